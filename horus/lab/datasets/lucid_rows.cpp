// SPDX-License-Identifier: Apache-2.0
// Jobs alone and in pairs on an RTX 3090 (Hu et al., "Lucid", ASPLOS 2023, artifact
// S-Lab-System-Group/Lucid). How each job trains is read from the artifact's workloads folder.

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "horus/lab/datasets/data_file.hpp"
#include "horus/lab/datasets/dataset_readers.hpp"
#include "horus/lab/datasets/job_table.hpp"
#include "horus/lab/datasets/mapping_text.hpp"

namespace horus::lab {
namespace {

constexpr double kMemoryMaxMib = 1e6;
constexpr double kRateMax = 1e9;  ///< Samples per second.

using LoaderRates = std::map<std::string, double, std::less<>>;

Result<LoaderRates> read_loader_rates() {
  HORUS_TRY(table::Reader reader, open_mapping("lucid_loader.csv"));
  constexpr auto kNames = std::to_array<std::string_view>({"model", "samples_per_s"});
  HORUS_TRY(const auto columns, columns_of(reader, kNames));
  LoaderRates rates;
  while (auto next = reader.next()) {
    HORUS_TRY(const table::Row row, std::move(*next));
    HORUS_TRY(const double rate, row.number(columns[1], 1e-3, kRateMax));
    rates[std::string{row.text(columns[0])}] = rate;
  }
  return rates;
}

/// What names one configuration in both files.
struct Configuration {
  std::string model;
  std::int64_t batch{};
  std::int64_t is_mixed{};  ///< 1: automatic mixed precision.
  friend auto operator<=>(const Configuration&, const Configuration&) = default;
};

Result<Configuration> configuration_of(const table::Row& row, const table::Column& model,
                                       const table::Column& batch, const table::Column& amp) {
  Configuration key{.model = std::string{row.text(model)}};
  HORUS_TRY(key.batch, row.integer(batch, 1, 1'000'000));
  HORUS_TRY(key.is_mixed, row.integer(amp, 0, 1));
  return key;
}

class LucidReader {
 public:
  Result<Dataset> read(std::span<const DataFile> files) {
    HORUS_TRY(jobs_, JobTable::load("lucid.csv"));
    HORUS_TRY(rates_, read_loader_rates());
    HORUS_TRY_DONE(read_solo(files));
    HORUS_TRY_DONE(read_pairs(files));
    dataset_.name = "lucid";
    dataset_.licence = Licence::NonCommercial;
    dataset_.licence_name = "S-Lab License 1.0";
    dataset_.sources = sources_of(files);
    return std::move(dataset_);
  }

 private:
  Result<Done> read_solo(std::span<const DataFile> files) {
    HORUS_TRY(table::Reader reader, open_table(files, "single_profile.csv"));
    constexpr auto kNames = std::to_array<std::string_view>(
        {"model", "batchsize", "amp", "speed", "gpu_util", "gmem_util", "gmem"});
    HORUS_TRY(const auto columns, columns_of(reader, kNames));
    while (auto next = reader.next()) {
      HORUS_TRY(const table::Row row, std::move(*next));
      HORUS_TRY(const Configuration key, configuration_of(row, columns[0], columns[1], columns[2]));
      const std::optional<JobMapping> job = jobs_.find(key.model);
      if (!job || job->architecture.empty()) {
        add_unused(dataset_.unmapped, key.model, job ? job->reason : kNoArchitecture);
        continue;
      }
      HORUS_TRY(Row made, measured_row(row, columns, key, *job));
      if (!rows_.emplace(key, dataset_.rows.size()).second) {
        return tl::make_unexpected(row.bad_cell(columns[0], "a configuration not listed before"));
      }
      dataset_.rows.push_back(std::move(made));
    }
    return Done{};
  }

  Result<Row> measured_row(const table::Row& row, std::span<const table::Column> columns,
                           const Configuration& key, const JobMapping& job) const {
    HORUS_TRY(Row made, row_of(job, key.model, key.batch));
    made.id = row.where();
    made.gpu = "RTX3090";
    made.host = "lucid";
    if (key.is_mixed == 1) made.setup.precision = Precision::Amp;
    if (const auto rate = rates_.find(key.model); rate != rates_.end()) {
      made.setup.samples_per_second = rate->second;
    }
    HORUS_TRY(const double speed, row.number(columns[3], 1e-6, kRateMax));
    if (job.rate == RateOf::Steps) made.measured.step_s = static_cast<double>(key.batch) / speed;
    HORUS_TRY(const double utilization, row.number(columns[4], 0, 100));
    made.measured.utilization = utilization / 100;
    HORUS_TRY(const double bandwidth, row.number(columns[5], 0, 100));
    made.measured.bandwidth_utilization = bandwidth / 100;
    HORUS_TRY(made.measured.memory_mib, row.number(columns[6], 1, kMemoryMaxMib));
    return made;
  }

  Result<Done> read_pairs(std::span<const DataFile> files) {
    HORUS_TRY(table::Reader reader, open_table(files, "colocate_pairs.csv"));
    constexpr auto kNames =
        std::to_array<std::string_view>({"model1", "batchsize1", "amp1", "speed1", "model2",
                                         "batchsize2", "amp2", "speed2", "gpu_util", "gmem"});
    HORUS_TRY(const auto columns, columns_of(reader, kNames));
    while (auto next = reader.next()) {
      HORUS_TRY(const table::Row row, std::move(*next));
      HORUS_TRY_DONE(add_pair(row, columns));
    }
    return Done{};
  }

  Result<Done> add_pair(const table::Row& row, std::span<const table::Column> columns) {
    HORUS_TRY(const Configuration first, configuration_of(row, columns[0], columns[1], columns[2]));
    HORUS_TRY(const Configuration second,
              configuration_of(row, columns[4], columns[5], columns[6]));
    const auto first_row = rows_.find(first);
    const auto second_row = rows_.find(second);
    if (first_row == rows_.end() || second_row == rows_.end()) {
      add_unused(dataset_.left_out, first.model + " with " + second.model,
                 "pair: one of them has no row of its own");
      return Done{};
    }
    Pair pair{.id = row.where(), .first = first_row->second, .second = second_row->second};
    HORUS_TRY(const double first_speed, row.number(columns[3], 1e-3, 1e3));
    HORUS_TRY(const double second_speed, row.number(columns[7], 1e-3, 1e3));
    pair.slowdown_first = 1 / first_speed;
    pair.slowdown_second = 1 / second_speed;
    HORUS_TRY(const double utilization, row.number(columns[8], 0, 100));
    pair.utilization = utilization / 100;
    HORUS_TRY(pair.memory_mib, row.number(columns[9], 1, kMemoryMaxMib));
    dataset_.pairs.push_back(std::move(pair));
    return Done{};
  }

  JobTable jobs_;
  LoaderRates rates_;
  std::map<Configuration, std::size_t> rows_;
  Dataset dataset_;
};

}  // namespace

Result<Dataset> read_lucid(std::span<const DataFile> files) { return LucidReader{}.read(files); }

}  // namespace horus::lab
