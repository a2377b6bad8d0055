// SPDX-License-Identifier: Apache-2.0
// Rates by batch on one A100 (Gu et al., "ElasticFlow", ASPLOS 2023, pkusys/ElasticFlow, jobs in
// elastic-training-executor). The files for T4 are Pollux's profiles with gradients added up to the
// batch, so they say nothing new and are not read.

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
    {"bert", "deepspeech2", "gpt2", "inception3", "resnet50", "resnet50_cifar10", "vgg16"});
constexpr auto kColumns = std::to_array<std::string_view>({"global_batch_size", "1"});
enum Cell { kBatch, kRate };

Result<Done> add_rows(Dataset& dataset, table::Reader reader, std::string_view model,
                      const JobMapping& job) {
  HORUS_TRY(const auto columns, columns_of(reader, kColumns));
  while (auto next = reader.next()) {
    HORUS_TRY(const table::Row row, std::move(*next));
    if (job.architecture.empty()) {
      add_unused(dataset.unmapped, model, job.reason);
      continue;
    }
    HORUS_TRY(const std::int64_t batch, row.integer(columns[kBatch], 1, 10'000'000));
    HORUS_TRY(Row made, row_of(job, model, batch));
    made.id = row.where();
    made.gpu = "A100-40GB";
    made.host = "elasticflow";
    HORUS_TRY(const double rate, row.number(columns[kRate], 1e-6, 1e6));
    made.measured.step_s = 1 / rate;
    dataset.rows.push_back(std::move(made));
  }
  return Done{};
}

}  // namespace

Result<Dataset> read_elasticflow(std::span<const DataFile> files) {
  HORUS_TRY(const JobTable jobs, JobTable::load("elasticflow.csv"));
  Dataset dataset{.name = "elasticflow",
                  .licence = Licence::Permissive,
                  .licence_name = "Apache-2.0",
                  .sources = sources_of(files)};
  for (const std::string_view model : kModels) {
    const std::optional<JobMapping> job = jobs.find(model);
    if (!job) return fail(Errc::NotFound, fmt::format("elasticflow.csv has no model {}", model));
    HORUS_TRY(table::Reader reader,
              open_table(files, fmt::format("throughput_A100_{}.csv", model)));
    HORUS_TRY_DONE(add_rows(dataset, std::move(reader), model, *job));
  }
  return dataset;
}

}  // namespace horus::lab
