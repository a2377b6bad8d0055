// SPDX-License-Identifier: Apache-2.0
// Batch times on slices of an A100 40 GB (Li et al., "MISO", SoCC 2022, boringlee24/socc22-miso,
// folder mps/models): TensorFlow jobs, each on the five sizes of MIG instances.

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "horus/lab/datasets/data_file.hpp"
#include "horus/lab/datasets/dataset_readers.hpp"
#include "horus/lab/datasets/job_table.hpp"

namespace horus::lab {
namespace {

/// Compute slices and gigabytes of an instance, smallest first.
struct Slice {
  std::int64_t compute{};
  std::int64_t memory_gb{};
  friend bool operator==(const Slice&, const Slice&) = default;
};
constexpr auto kSlices = std::to_array<Slice>({{1, 5}, {2, 10}, {3, 20}, {4, 20}, {7, 40}});

constexpr auto kColumns =
    std::to_array<std::string_view>({"mig_gpcs", "mig_mem_gb", "model", "batch_size", "median_s"});
enum Cell { kCompute, kMemory, kModel, kBatch, kMedian };

using Job = std::pair<std::string, std::int64_t>;  ///< Model and batch.

class MisoReader {
 public:
  Result<Dataset> read(std::span<const DataFile> files) {
    HORUS_TRY(jobs_, JobTable::load("miso.csv"));
    HORUS_TRY(table::Reader reader, open_table(files, "a100_mig_batch_time.csv"));
    HORUS_TRY(const auto columns, columns_of(reader, kColumns));
    while (auto next = reader.next()) {
      HORUS_TRY(const table::Row row, std::move(*next));
      HORUS_TRY_DONE(add(row, columns));
    }
    HORUS_TRY_DONE(add_missing(reader.source()));
    dataset_.name = "miso";
    dataset_.licence = Licence::Permissive;
    dataset_.licence_name = "MIT";
    dataset_.sources = sources_of(files);
    return std::move(dataset_);
  }

 private:
  Result<Done> add(const table::Row& row, std::span<const table::Column> columns) {
    Slice slice;
    HORUS_TRY(slice.compute, row.integer(columns[kCompute], 1, 7));
    HORUS_TRY(slice.memory_gb, row.integer(columns[kMemory], 1, 80));
    if (std::ranges::find(kSlices, slice) == kSlices.end()) {
      return tl::make_unexpected(row.bad_cell(columns[kMemory], "the memory of that slice"));
    }
    HORUS_TRY(const std::int64_t batch, row.integer(columns[kBatch], 1, 1'000'000));
    const Job job{std::string{row.text(columns[kModel])}, batch};
    HORUS_TRY(std::optional<Row> made, row_on(slice, job));
    if (!made) return Done{};
    made->id = row.where();
    HORUS_TRY(made->measured.step_s, row.number(columns[kMedian], 1e-6, 1e5));
    dataset_.rows.push_back(*std::move(made));
    memories_gb_[job].push_back(slice.memory_gb);
    return Done{};
  }

  /// Absent where no architecture stands for the model.
  Result<std::optional<Row>> row_on(const Slice& slice, const Job& job) {
    const std::optional<JobMapping> mapping = jobs_.find(job.first);
    if (!mapping || mapping->architecture.empty()) {
      add_unused(dataset_.unmapped, job.first, mapping ? mapping->reason : kNoArchitecture);
      return std::nullopt;
    }
    HORUS_TRY(Row made, row_of(*mapping, job.first, job.second));
    made.gpu = fmt::format("A100-40GB MIG {}g.{}gb", slice.compute, slice.memory_gb);
    made.host = "miso";
    made.framework = "tensorflow";
    return made;
  }

  /// Jobs that the file does not have on the instances of the smaller memories did not fit there.
  Result<Done> add_missing(const std::string& source) {
    for (const auto& [job, sizes] : memories_gb_) {
      const std::int64_t smallest = *std::ranges::min_element(sizes);
      for (const Slice& slice : kSlices) {
        if (slice.memory_gb >= smallest) continue;
        HORUS_TRY(std::optional<Row> made, row_on(slice, job));
        made->id = fmt::format("{}: {} {} on {}g.{}gb", source, job.first, job.second,
                               slice.compute, slice.memory_gb);
        made->measured.out_of_memory = true;
        dataset_.rows.push_back(*std::move(made));
      }
    }
    return Done{};
  }

  JobTable jobs_;
  std::map<Job, std::vector<std::int64_t>> memories_gb_;  ///< Of the instances a job ran on.
  Dataset dataset_;
};

}  // namespace

Result<Dataset> read_miso(std::span<const DataFile> files) { return MisoReader{}.read(files); }

}  // namespace horus::lab
