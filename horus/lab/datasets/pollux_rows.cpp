// SPDX-License-Identifier: Apache-2.0
// Step times by batch on T4 (Qiao et al., "Pollux", OSDI 2021, profiles of the artifact; jobs as in
// petuum/adaptdl, branch osdi21-artifact, folder benchmark/models).

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

constexpr auto kModels = std::to_array<std::string_view>(
    {"bert", "cifar10", "deepspeech2", "imagenet", "ncf", "yolov3"});
constexpr auto kColumns = std::to_array<std::string_view>({"placement", "local_bsz", "step_time"});
enum Cell { kPlacement, kBatch, kStep };

Result<Done> add_rows(Dataset& dataset, table::Reader reader, std::string_view model,
                      const JobMapping& job) {
  HORUS_TRY(const auto columns, columns_of(reader, kColumns));
  while (auto next = reader.next()) {
    HORUS_TRY(const table::Row row, std::move(*next));
    if (row.text(columns[kPlacement]) != "1") {
      add_unused(dataset.left_out, model, "more than one GPU");
      continue;
    }
    if (job.architecture.empty()) {
      add_unused(dataset.unmapped, model, job.reason);
      continue;
    }
    HORUS_TRY(const std::int64_t batch, row.integer(columns[kBatch], 1, 10'000'000));
    HORUS_TRY(Row made, row_of(job, model, batch));
    made.id = row.where();
    made.gpu = "T4";
    made.host = "pollux";
    HORUS_TRY(made.measured.step_s, row.number(columns[kStep], 1e-6, 1e5));
    dataset.rows.push_back(std::move(made));
  }
  return Done{};
}

}  // namespace

Result<Dataset> read_pollux(std::span<const DataFile> files) {
  HORUS_TRY(const JobTable jobs, JobTable::load("pollux.csv"));
  Dataset dataset{.name = "pollux",
                  .licence = Licence::Permissive,
                  .licence_name = "Apache-2.0",
                  .sources = sources_of(files)};
  for (const std::string_view model : kModels) {
    const std::optional<JobMapping> job = jobs.find(model);
    if (!job) return fail(Errc::NotFound, fmt::format("pollux.csv has no model {}", model));
    HORUS_TRY(table::Reader reader, open_table(files, fmt::format("{}_placements.csv", model)));
    HORUS_TRY_DONE(add_rows(dataset, std::move(reader), model, *job));
  }
  return dataset;
}

}  // namespace horus::lab
