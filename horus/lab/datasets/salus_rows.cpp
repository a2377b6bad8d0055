// SPDX-License-Identifier: Apache-2.0
// Memory and run time of TensorFlow benchmarks (Yu and Chowdhury, "Salus", MLSys 2020,
// SymbioticLab/Salus, tests/workloads.csv). The file does not name the GPU; the paper's machines
// have P100 with 16 GB. Memory is that of TensorFlow's tensors, without the CUDA context.

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

constexpr auto kColumns =
    std::to_array<std::string_view>({"model", "batch", "runtime_s", "memory_mb", "iterations"});
enum Cell { kModel, kBatch, kRuntime, kMemory, kIterations };

struct Run {
  std::string id;
  double runtime_s{};
  double memory_mb{};
  double iterations{};
};

/// Each configuration ran for three durations.
struct Runs {
  Run shortest;
  Run longest;
  std::size_t count{};
};

/// By model, then batch.
using RunsByJob = std::map<std::pair<std::string, std::int64_t>, Runs>;

Result<RunsByJob> read_runs(table::Reader& reader) {
  HORUS_TRY(const auto columns, columns_of(reader, kColumns));
  RunsByJob jobs;
  while (auto next = reader.next()) {
    HORUS_TRY(const table::Row row, std::move(*next));
    Run run{.id = row.where()};
    HORUS_TRY(const std::int64_t batch, row.integer(columns[kBatch], 1, 1'000'000));
    HORUS_TRY(run.runtime_s, row.number(columns[kRuntime], 1e-3, 1e7));
    HORUS_TRY(run.memory_mb, row.number(columns[kMemory], 1, 1e6));
    HORUS_TRY(run.iterations, row.number(columns[kIterations], 1, 1e9));
    Runs& runs = jobs[{std::string{row.text(columns[kModel])}, batch}];
    if (runs.count == 0 || run.iterations < runs.shortest.iterations) runs.shortest = run;
    if (runs.count == 0 || run.iterations > runs.longest.iterations) runs.longest = run;
    ++runs.count;
  }
  return jobs;
}

/// What a step takes when the time to start, which all durations share, cancels out.
std::optional<double> step_of(const Runs& runs) {
  const double steps = runs.longest.iterations - runs.shortest.iterations;
  const double seconds = runs.longest.runtime_s - runs.shortest.runtime_s;
  if (steps <= 0 || seconds <= 0) return std::nullopt;
  return seconds / steps;
}

}  // namespace

Result<Dataset> read_salus(std::span<const DataFile> files) {
  constexpr double kMibPerMb = 1e6 / (1024.0 * 1024.0);
  HORUS_TRY(const JobTable jobs, JobTable::load("salus.csv"));
  HORUS_TRY(table::Reader reader, open_table(files, "tf_memory_runtime.csv"));
  HORUS_TRY(const RunsByJob by_job, read_runs(reader));
  Dataset dataset{.name = "salus",
                  .licence = Licence::Permissive,
                  .licence_name = "Apache-2.0",
                  .sources = sources_of(files)};
  for (const auto& [key, runs] : by_job) {
    const auto& [model, batch] = key;
    const std::optional<JobMapping> job = jobs.find(model);
    if (!job || job->architecture.empty()) {
      add_unused(dataset.unmapped, model, job ? job->reason : kNoArchitecture, runs.count);
      continue;
    }
    HORUS_TRY(Row made, row_of(*job, model, batch));
    made.id = runs.longest.id;
    made.gpu = "P100-16GB";
    made.host = "salus";
    made.framework = "tensorflow-tensors";
    made.measured.memory_mib = runs.longest.memory_mb * kMibPerMb;
    made.measured.step_s = step_of(runs);
    dataset.rows.push_back(std::move(made));
    add_unused(dataset.left_out, model, "the same run for less time", runs.count - 1);
  }
  return dataset;
}

}  // namespace horus::lab
