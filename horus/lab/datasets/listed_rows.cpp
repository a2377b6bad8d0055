// SPDX-License-Identifier: Apache-2.0
// Random networks on an A100 40 GB, each described by the list of its layers (GPUMemNet,
// arXiv:2602.17817, folder NeuroNetGen_scripts).

#include <array>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "horus/graph/analysis.hpp"
#include "horus/lab/datasets/data_file.hpp"
#include "horus/lab/datasets/dataset_readers.hpp"
#include "horus/lab/datasets/job_table.hpp"
#include "horus/zoo/listed_network.hpp"

namespace horus::lab {
namespace {

/// Both generators make up 4096 samples and go over them until a minute is over.
constexpr std::int64_t kSamplesPerEpoch = 4096;

/// A network as the data set writes it.
struct Listing {
  std::string run;     ///< "input:1259_output:79_depth:8_arch:pyramid_batch:717".
  std::string layers;  ///< "[('linear', 629, 792540), ...]".
};

struct Rebuilt {
  zoo::ListedInput input;
  graph::Model model;
};

Result<Rebuilt> rebuild(const Listing& listing) {
  HORUS_TRY(const zoo::ListedInput input, zoo::parse_run_name(listing.run));
  HORUS_TRY(const auto layers, zoo::parse_layer_list(listing.layers));
  HORUS_TRY(graph::Model model, zoo::build_listed(input, layers, input.batch));
  return Rebuilt{.input = input, .model = std::move(model)};
}

Result<GraphFeatures> features_of_listing(const Listing& listing) {
  HORUS_TRY(const Rebuilt rebuilt, rebuild(listing));
  HORUS_TRY(graph::Analysis analysis,
            graph::analyse(rebuilt.model, {.batch = rebuilt.input.batch, .dims = {}}));
  return std::move(analysis.features);
}

/// What follows "arch:" in the name of a run.
std::string shape_of(std::string_view run) {
  constexpr std::string_view kKey = "arch:";
  const std::size_t at = run.find(kKey);
  if (at == std::string_view::npos) return "unknown";
  const std::string_view rest = run.substr(at + kKey.size());
  return std::string{rest.substr(0, rest.find_first_of("_."))};
}

/// Random networks have no names. Those of one shape and of one half decade of parameters are as
/// near to each other as the batches of a named model: "uniform 3e6" has 3 to 10 million.
std::string group_of(const std::string& shape, double parameters) {
  int exponent = 0;
  double bound = 1;
  while (exponent < 15 && 10 * bound <= parameters) {
    bound *= 10;
    ++exponent;
  }
  return fmt::format("{} {}e{}", shape, parameters >= 3 * bound ? 3 : 1, exponent);
}

constexpr auto kColumns =
    std::to_array<std::string_view>({"Filename", "Activations-Params", "Total Parameters",
                                     "Max GPU Memory (MiB)", "Avg GPUTL", "Avg SMACT"});
enum Cell { kRun, kLayers, kParameters, kMemory, kUtilization, kSmActive };

class ListedReader {
 public:
  ListedReader(std::string_view name, JobMapping job) : job_{std::move(job)} {
    dataset_.name = name;
    dataset_.licence = Licence::NonCommercial;
    dataset_.licence_name = "CC BY-NC 4.0";
  }

  Result<Done> read(table::Reader reader) {
    HORUS_TRY(const auto columns, columns_of(reader, kColumns));
    const std::optional<table::Column> status = reader.find_column("Status");
    while (auto next = reader.next()) {
      HORUS_TRY(const table::Row row, std::move(*next));
      HORUS_TRY_DONE(add(row, columns, status));
    }
    return Done{};
  }

  Dataset take(std::span<const DataFile> files) {
    dataset_.sources = sources_of(files);
    return std::move(dataset_);
  }

 private:
  Result<Done> add(const table::Row& row, std::span<const table::Column> columns,
                   const std::optional<table::Column>& status) {
    const Listing listing{.run = std::string{row.text(columns[kRun])},
                          .layers = std::string{row.text(columns[kLayers])}};
    const std::string shape = shape_of(listing.run);
    if (listing.layers == "[]") {
      add_unused(dataset_.left_out, shape, "the run ended before its layers were written down");
      return Done{};
    }
    if (const auto rebuilt = rebuild(listing); !rebuilt) {
      add_unused(dataset_.unmapped, shape, rebuilt.error().text());
      return Done{};
    }
    HORUS_TRY(const double parameters, row.number(columns[kParameters], 0, 1e15));
    Row made{.id = row.where(),
             .model = group_of(shape, parameters),
             .family = shape,
             .gpu = "A100-40GB",
             .host = "gpumemnet",
             .framework = "pytorch",
             .setup = job_.setup,
             .samples_per_epoch = kSamplesPerEpoch};
    HORUS_TRY(made.measured, measured(row, columns, status));
    made.features = [listing] { return features_of_listing(listing); };
    dataset_.rows.push_back(std::move(made));
    return Done{};
  }

  /// What was measured of a run; of one that ran out of memory only this.
  static Result<Measured> measured(const table::Row& row, std::span<const table::Column> columns,
                                   const std::optional<table::Column>& status) {
    Measured found;
    found.out_of_memory = status && row.text(*status) == "OOM_CRASH";
    if (status && !found.out_of_memory && row.text(*status) != "SUCCESSFUL") {
      return tl::make_unexpected(row.bad_cell(*status, "SUCCESSFUL or OOM_CRASH"));
    }
    if (found.out_of_memory) return found;
    HORUS_TRY(found.memory_mib, row.number(columns[kMemory], 1, 1e6));
    // -1: not sampled. 0 over a minute of training: sampled beside it.
    HORUS_TRY(const double utilization, row.number(columns[kUtilization], -1, 100));
    HORUS_TRY(const double active, row.number(columns[kSmActive], -1, 1));
    if (utilization <= 0) return found;
    found.utilization = utilization / 100;
    if (active >= 0) found.sm_active = active;
    return found;
  }

  JobMapping job_;
  Dataset dataset_;
};

Result<Dataset> read_listed(std::span<const DataFile> files, std::string_view name,
                            std::string_view jobs_name,
                            std::span<const std::string_view> file_names) {
  HORUS_TRY(const JobTable jobs, JobTable::load(jobs_name));
  const std::optional<JobMapping> job = jobs.find(name);
  if (!job) return fail(Errc::NotFound, fmt::format("{} has no row *", jobs_name));
  ListedReader listed{name, *job};
  for (const std::string_view file : file_names) {
    HORUS_TRY(table::Reader reader, open_table(files, file));
    HORUS_TRY_DONE(listed.read(std::move(reader)));
  }
  return listed.take(files);
}

}  // namespace

Result<Dataset> read_gpumemnet_cnn(std::span<const DataFile> files) {
  constexpr std::array<std::string_view, 1> kFiles{"cnn_step1.csv"};
  return read_listed(files, "gpumemnet-cnn", "gpumemnet_cnn.csv", kFiles);
}

Result<Dataset> read_gpumemnet_mlp(std::span<const DataFile> files) {
  constexpr std::array<std::string_view, 2> kFiles{"mlp_step1.csv", "mlp_step2.csv"};
  return read_listed(files, "gpumemnet-mlp", "gpumemnet_mlp.csv", kFiles);
}

}  // namespace horus::lab
