// SPDX-License-Identifier: Apache-2.0
// Job types alone and in pairs on K80, P100 and V100 (Narayanan et al., "Heterogeneity-Aware
// Cluster Scheduling Policies", OSDI 2020, stanford-futuredata/gavel).

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/lab/datasets/data_file.hpp"
#include "horus/lab/datasets/dataset_readers.hpp"
#include "horus/lab/datasets/job_table.hpp"

namespace horus::lab {
namespace {

constexpr double kRateMax = 1e6;  ///< Steps per second.

struct Type {
  std::string_view name;
  std::string_view gpu;
};
constexpr auto kTypes =
    std::to_array<Type>({{"k80", "K80"}, {"p100", "P100-16GB"}, {"v100", "V100-16GB"}});

constexpr auto kColumns =
    std::to_array<std::string_view>({"gpu", "job1", "n1", "job2", "n2", "steps_per_s_1",
                                     "steps_per_s_2", "solo_steps_per_s_1", "solo_steps_per_s_2"});
enum Cell { kGpu, kJob1, kCount1, kJob2, kCount2, kRate1, kRate2, kSolo1, kSolo2 };

/// "ResNet-18 (batch size 16)", or "A3C" without a batch.
struct JobType {
  std::string model;
  std::optional<std::int64_t> batch;
};

Result<JobType> job_type_of(const table::Row& row, const table::Column& column) {
  constexpr std::string_view kOpen = " (batch size ";
  const std::string_view text = row.text(column);
  const std::size_t at = text.find(kOpen);
  if (at == std::string_view::npos) return JobType{.model = std::string{text}, .batch = {}};
  std::string_view number = text.substr(at + kOpen.size());
  if (number.ends_with(')')) number.remove_suffix(1);
  const auto batch = parse_integer(number);
  if (!batch || *batch < 1 || *batch > 1'000'000) {
    return tl::make_unexpected(row.bad_cell(column, "NAME or NAME (batch size N)"));
  }
  return JobType{.model = std::string{text.substr(0, at)}, .batch = batch};
}

class GavelReader {
 public:
  Result<Dataset> read(std::span<const DataFile> files) {
    HORUS_TRY(jobs_, JobTable::load("gavel.csv"));
    HORUS_TRY(table::Reader reader, open_table(files, "pairs_flat.csv"));
    HORUS_TRY(columns_, columns_of(reader, kColumns));
    while (auto next = reader.next()) {
      HORUS_TRY(const table::Row row, std::move(*next));
      HORUS_TRY_DONE(add(row));
    }
    dataset_.name = "gavel";
    dataset_.licence = Licence::Permissive;
    dataset_.licence_name = "MIT";
    dataset_.sources = sources_of(files);
    return std::move(dataset_);
  }

 private:
  [[nodiscard]] const table::Column& column(Cell cell) const { return columns_[cell]; }

  Result<Done> add(const table::Row& row) {
    if (row.text(column(kCount1)) != "1" || row.text(column(kCount2)) != "1") {
      add_unused(dataset_.left_out, "all", "pair: on more than one GPU");
      return Done{};
    }
    HORUS_TRY(const std::optional<std::size_t> first, row_index(row, kJob1, kSolo1));
    HORUS_TRY(const std::optional<std::size_t> second, row_index(row, kJob2, kSolo2));
    if (!first || !second) return Done{};
    return add_pair(row, *first, *second);
  }

  Result<Done> add_pair(const table::Row& row, std::size_t first, std::size_t second) {
    constexpr std::string_view kIncomparable = "Recommendation";
    if (dataset_.rows[first].model == kIncomparable ||
        dataset_.rows[second].model == kIncomparable) {
      add_unused(dataset_.left_out, kIncomparable,
                 "pair: the solo rate in this file is not that of the pairs");
      return Done{};
    }
    HORUS_TRY(const double first_rate, row.number(column(kRate1), 0, kRateMax));
    HORUS_TRY(const double second_rate, row.number(column(kRate2), 0, kRateMax));
    HORUS_TRY(const double first_solo, row.number(column(kSolo1), 1e-6, kRateMax));
    HORUS_TRY(const double second_solo, row.number(column(kSolo2), 1e-6, kRateMax));
    Pair pair{.id = row.where(), .first = first, .second = second};
    if (first_rate > 0 && second_rate > 0) {  // Else it did not run.
      pair.slowdown_first = first_solo / first_rate;
      pair.slowdown_second = second_solo / second_rate;
    }
    dataset_.pairs.push_back(std::move(pair));
    return Done{};
  }

  /// The row of a job alone on the GPU type of `row`, made where it is met first; absent where no
  /// architecture stands for it.
  Result<std::optional<std::size_t>> row_index(const table::Row& row, Cell job, Cell solo) {
    const std::string key = fmt::format("{} {}", row.text(column(kGpu)), row.text(column(job)));
    if (const auto known = indices_.find(key); known != indices_.end()) return known->second;
    HORUS_TRY(const JobType type, job_type_of(row, column(job)));
    const std::optional<JobMapping> mapping = jobs_.find(type.model);
    if (!mapping || mapping->architecture.empty()) {
      add_unused(dataset_.unmapped, type.model, mapping ? mapping->reason : kNoArchitecture);
      return std::nullopt;
    }
    HORUS_TRY(Row made, solo_row(row, *mapping, type, solo));
    const std::size_t index = dataset_.rows.size();
    dataset_.rows.push_back(std::move(made));
    indices_.emplace(key, index);
    return index;
  }

  Result<Row> solo_row(const table::Row& row, const JobMapping& mapping, const JobType& type,
                       Cell solo) const {
    const auto gpu = std::ranges::find(kTypes, row.text(column(kGpu)), &Type::name);
    if (gpu == kTypes.end()) {
      return tl::make_unexpected(row.bad_cell(column(kGpu), "k80, p100 or v100"));
    }
    const std::int64_t batch = type.batch.value_or(mapping.batch.value_or(1));
    HORUS_TRY(Row made, row_of(mapping, type.model, batch));
    made.id = fmt::format("{} {}", row.where(), solo == kSolo1 ? "job1" : "job2");
    made.gpu = gpu->gpu;
    made.host = fmt::format("gavel-{}", gpu->name);
    HORUS_TRY(const double rate, row.number(column(solo), 1e-6, kRateMax));
    if (mapping.rate == RateOf::Steps) made.measured.step_s = 1 / rate;
    return made;
  }

  JobTable jobs_;
  std::vector<table::Column> columns_;
  std::map<std::string, std::size_t> indices_;  ///< Of rows, by GPU type and job.
  Dataset dataset_;
};

}  // namespace

Result<Dataset> read_gavel(std::span<const DataFile> files) { return GavelReader{}.read(files); }

}  // namespace horus::lab
