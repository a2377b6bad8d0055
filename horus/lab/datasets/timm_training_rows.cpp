// SPDX-License-Identifier: Apache-2.0
// Training steps of timm's image models on an RTX 3090 (huggingface/pytorch-image-models,
// results/benchmark-train-amp-nchw-pt112-cu113-rtx3090.csv), each at the largest batch that fitted.

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "horus/lab/datasets/data_file.hpp"
#include "horus/lab/datasets/dataset_readers.hpp"
#include "horus/lab/datasets/job_table.hpp"

namespace horus::lab {
namespace {

constexpr auto kColumns = std::to_array<std::string_view>(
    {"model", "train_step_time", "train_batch_size", "train_img_size"});
enum Cell { kModel, kStep, kBatch, kImage };

Result<Row> measured_row(const table::Row& row, std::span<const table::Column> columns,
                         JobMapping job) {
  HORUS_TRY(const std::int64_t batch, row.integer(columns[kBatch], 1, 1'000'000));
  HORUS_TRY(job.image, row.integer(columns[kImage], 1, 4096));
  HORUS_TRY(Row made, row_of(job, row.text(columns[kModel]), batch));
  made.id = row.where();
  made.gpu = "RTX3090";
  made.host = "timm-rtx3090";
  HORUS_TRY(const double milliseconds, row.number(columns[kStep], 1e-3, 1e7));
  made.measured.step_s = milliseconds / 1000;
  return made;
}

}  // namespace

Result<Dataset> read_timm_training(std::span<const DataFile> files) {
  HORUS_TRY(const JobTable jobs, JobTable::load("timm_training.csv"));
  HORUS_TRY(table::Reader reader, open_table(files, "train_amp_rtx3090.csv"));
  HORUS_TRY(const auto columns, columns_of(reader, kColumns));
  Dataset dataset{.name = "timm",
                  .licence = Licence::Permissive,
                  .licence_name = "Apache-2.0",
                  .sources = sources_of(files)};
  while (auto next = reader.next()) {
    HORUS_TRY(const table::Row row, std::move(*next));
    const std::string_view model = row.text(columns[kModel]);
    const std::optional<JobMapping> job = jobs.find(model);
    if (!job || job->architecture.empty()) {
      add_unused(dataset.unmapped, model, kNoArchitecture);
      continue;
    }
    HORUS_TRY(Row made, measured_row(row, columns, *job));
    dataset.rows.push_back(std::move(made));
  }
  return dataset;
}

}  // namespace horus::lab
