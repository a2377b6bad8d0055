// SPDX-License-Identifier: Apache-2.0
// Peak memory of timm's image models at batches of 8 to 128 on an A100 40 GB (GPUMemNet,
// arXiv:2602.17817, folder Related_works/FakeTensor).

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "horus/lab/datasets/data_file.hpp"
#include "horus/lab/datasets/dataset_readers.hpp"
#include "horus/lab/datasets/job_table.hpp"
#include "horus/lab/datasets/timm_facts.hpp"

namespace horus::lab {
namespace {

/// Runs that crashed are not marked. A run this near to the card's 40 GB did not hold all that it
/// wanted, and memory that does not grow with the batch is that of a run which ended early.
constexpr double kFullMib = 38000;
constexpr double kGrowthMin = 1.02;
constexpr std::string_view kRule =
    "at or after the model's first run above 38,000 MiB or below 1.02 times the run before";

struct Run {
  std::string id;
  std::int64_t batch{};
  double memory_mib{};
};

using RunsByModel = std::map<std::string, std::vector<Run>, std::less<>>;

Result<RunsByModel> read_runs(table::Reader& reader) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"model", "batch_size", "max_gpu_memory_mib"});
  HORUS_TRY(const auto columns, columns_of(reader, kNames));
  RunsByModel runs;
  while (auto next = reader.next()) {
    HORUS_TRY(const table::Row row, std::move(*next));
    Run run{.id = row.where()};
    HORUS_TRY(run.batch, row.integer(columns[1], 1, 1'000'000));
    HORUS_TRY(run.memory_mib, row.number(columns[2], 1, 1e6));
    runs[std::string{row.text(columns[0])}].push_back(std::move(run));
  }
  return runs;
}

/// `usual` with what timm does differently for `model`.
Result<JobMapping> job_of(JobMapping usual, const std::string& model) {
  HORUS_TRY(usual.image, timm_image(model));
  HORUS_TRY(usual.setup.attention, timm_attention(model, usual.setup.attention));
  return usual;
}

/// How many of a model's runs, by batch, come before the first that the rule leaves out.
std::size_t good_runs(const std::vector<Run>& runs) {
  std::size_t good = 0;
  double before = 0;
  while (good < runs.size() && runs[good].memory_mib >= kGrowthMin * before &&
         runs[good].memory_mib <= kFullMib) {
    before = runs[good].memory_mib;
    ++good;
  }
  return good;
}

Result<Row> measured_row(const JobMapping& job, const std::string& model, const Run& run) {
  HORUS_TRY(Row made, row_of(job, model, run.batch));
  made.id = run.id;
  made.gpu = "A100-40GB";
  made.host = "gpumemnet";
  made.measured.memory_mib = run.memory_mib;
  return made;
}

}  // namespace

Result<Dataset> read_timm_memory(std::span<const DataFile> files) {
  HORUS_TRY(const JobTable jobs, JobTable::load("gpumemnet_timm.csv"));
  HORUS_TRY(table::Reader reader, open_table(files, "timm_memory.csv"));
  HORUS_TRY(RunsByModel runs, read_runs(reader));
  Dataset dataset{.name = "gpumemnet-timm",
                  .licence = Licence::NonCommercial,
                  .licence_name = "CC BY-NC 4.0",
                  .sources = sources_of(files)};
  for (auto& [model, its] : runs) {
    const std::optional<JobMapping> job = jobs.find(model);
    if (!job || job->architecture.empty()) {
      add_unused(dataset.unmapped, model, kNoArchitecture, its.size());
      continue;
    }
    HORUS_TRY(const JobMapping as_timm, job_of(*job, model));
    std::ranges::stable_sort(its, {}, &Run::batch);
    const std::size_t good = good_runs(its);
    for (std::size_t i = 0; i < good; ++i) {
      HORUS_TRY(Row made, measured_row(as_timm, model, its[i]));
      dataset.rows.push_back(std::move(made));
    }
    if (good < its.size()) add_unused(dataset.left_out, model, kRule, its.size() - good);
  }
  return dataset;
}

}  // namespace horus::lab
