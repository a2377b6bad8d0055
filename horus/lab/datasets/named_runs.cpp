// SPDX-License-Identifier: Apache-2.0
// Peak memory of well-known models on an A100 40 GB (GPUMemNet, arXiv:2602.17817, folder
// Results_plotter_for_paper): the runs by which that paper compares estimators.

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "horus/lab/datasets/data_file.hpp"
#include "horus/lab/datasets/dataset_readers.hpp"
#include "horus/lab/datasets/job_table.hpp"

namespace horus::lab {
namespace {

constexpr auto kColumns = std::to_array<std::string_view>({"batch_size", "Actual GPU memory"});
enum Cell { kBatch, kMemory };

Result<Row> measured_row(const table::Row& row, std::span<const table::Column> columns,
                         const JobMapping& job, const std::string& model) {
  HORUS_TRY(const std::int64_t batch, row.integer(columns[kBatch], 1, 1'000'000));
  HORUS_TRY(Row made, row_of(job, model, batch));
  made.id = row.where();
  made.gpu = "A100-40GB";
  made.host = "gpumemnet";
  HORUS_TRY(made.measured.memory_mib, row.number(columns[kMemory], 1, 1e6));
  return made;
}

}  // namespace

Result<Dataset> read_named_runs(std::span<const DataFile> files) {
  HORUS_TRY(const JobTable jobs, JobTable::load("gpumemnet_real.csv"));
  HORUS_TRY(table::Reader reader, open_table(files, "real_models_estimators.csv"));
  HORUS_TRY(const auto columns, columns_of(reader, kColumns));
  const table::Column name{.index = 0, .name = "(first)"};  // Its title is empty.
  Dataset dataset{.name = "gpumemnet-real",
                  .licence = Licence::NonCommercial,
                  .licence_name = "CC BY-NC 4.0",
                  .sources = sources_of(files)};
  std::string model;
  while (auto next = reader.next()) {
    HORUS_TRY(const table::Row row, std::move(*next));
    // A model is named in the first of its rows.
    if (!row.text(name).empty()) model = row.text(name);
    if (model.empty()) return tl::make_unexpected(row.bad_cell(name, "the name of a model"));
    const std::optional<JobMapping> job = jobs.find(model);
    if (!job || job->architecture.empty()) {
      add_unused(dataset.unmapped, model, job ? job->reason : kNoArchitecture);
      continue;
    }
    HORUS_TRY(Row made, measured_row(row, columns, *job, model));
    dataset.rows.push_back(std::move(made));
  }
  return dataset;
}

}  // namespace horus::lab
