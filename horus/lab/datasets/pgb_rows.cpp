// SPDX-License-Identifier: Apache-2.0
// Batch times of torchvision models on six GPU types (ryujaehun/pytorch-gpu-benchmark): forward and
// backward pass without an update, 12 random images of 224x224 pixels that stay on the GPU.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "horus/lab/datasets/data_file.hpp"
#include "horus/lab/datasets/dataset_readers.hpp"
#include "horus/lab/datasets/job_table.hpp"

namespace horus::lab {
namespace {

constexpr std::int64_t kBatch = 12;

/// The folders of the source that measured one GPU by itself, one for each type of GPU.
struct Machine {
  std::string_view set;
  std::string_view gpu;
  Precision single;  ///< What "float" means: PyTorch computes in TF32 on Ampere.
};
constexpr auto kMachines = std::to_array<Machine>({
    {"1080TI", "GTX1080Ti", Precision::Fp32},
    {"2080TI", "RTX2080Ti", Precision::Fp32},
    {"TITANXP", "TitanXp", Precision::Fp32},
    {"TitanRTX", "TitanRTX", Precision::Fp32},
    {"TitanV", "TitanV", Precision::Fp32},
    {"dgx-a100", "A100-40GB", Precision::Tf32},
});

constexpr auto kColumns =
    std::to_array<std::string_view>({"set", "n_gpus", "precision", "mode", "model", "median_ms"});
enum Cell { kSet, kGpus, kPrecision, kMode, kModel, kMedian };

/// Why a row is not used, or "".
std::string rule_against(const table::Row& row, std::span<const table::Column> columns,
                         const Machine* machine) {
  if (row.text(columns[kMode]) != "train") return "inference";
  if (row.text(columns[kGpus]) != "1") return "more than one GPU";
  if (row.text(columns[kPrecision]) == "double") return "double precision";
  if (machine == nullptr) return "another machine with a GPU type that is there already";
  return {};
}

Result<Precision> precision_of(const table::Row& row, const table::Column& column,
                               const Machine& machine) {
  if (row.text(column) == "float") return machine.single;
  if (row.text(column) == "half") return Precision::Fp16;
  return tl::make_unexpected(row.bad_cell(column, "double, float or half"));
}

Result<Row> measured_row(const table::Row& row, std::span<const table::Column> columns,
                         const Machine& machine, const JobMapping& job) {
  HORUS_TRY(Row made, row_of(job, row.text(columns[kModel]), kBatch));
  made.id = row.where();
  made.gpu = machine.gpu;
  made.host = fmt::format("pgb-{}", machine.set);
  HORUS_TRY(made.setup.precision, precision_of(row, columns[kPrecision], machine));
  HORUS_TRY(const double milliseconds, row.number(columns[kMedian], 1e-3, 1e7));
  made.measured.step_s = milliseconds / 1000;
  return made;
}

}  // namespace

Result<Dataset> read_pgb(std::span<const DataFile> files) {
  HORUS_TRY(const JobTable jobs, JobTable::load("pgb.csv"));
  HORUS_TRY(table::Reader reader, open_table(files, "batch_time_bs12.csv"));
  HORUS_TRY(const auto columns, columns_of(reader, kColumns));
  Dataset dataset{.name = "pgb",
                  .licence = Licence::Permissive,
                  .licence_name = "MIT",
                  .sources = sources_of(files)};
  while (auto next = reader.next()) {
    HORUS_TRY(const table::Row row, std::move(*next));
    const std::string_view model = row.text(columns[kModel]);
    const auto machine = std::ranges::find(kMachines, row.text(columns[kSet]), &Machine::set);
    const Machine* const known = machine == kMachines.end() ? nullptr : &*machine;
    if (const std::string rule = rule_against(row, columns, known); !rule.empty()) {
      add_unused(dataset.left_out, "all", rule);
      continue;
    }
    const std::optional<JobMapping> job = jobs.find(model);
    if (!job || job->architecture.empty()) {
      add_unused(dataset.unmapped, model, kNoArchitecture);
      continue;
    }
    HORUS_TRY(Row made, measured_row(row, columns, *known, *job));
    dataset.rows.push_back(std::move(made));
  }
  return dataset;
}

}  // namespace horus::lab
