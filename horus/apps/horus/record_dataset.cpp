// SPDX-License-Identifier: Apache-2.0
#include "horus/apps/horus/record_dataset.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "horus/graph/analysis.hpp"
#include "horus/graph/onnx.hpp"
#include "horus/lab/datasets/data_file.hpp"
#include "horus/lab/datasets/record_rows.hpp"
#include "horus/wire/run_records.hpp"

namespace horus::apps {
namespace {

/// Graphs by the SHA-256 of their files. Rows share them, since each builds its features anew.
// shared: rows outlive the reader and each other.
using Graphs = std::map<std::string, std::shared_ptr<const graph::Model>>;  // shared: see above

/// The graphs that `records` name. Other files beside them are nobody's business.
Result<Graphs> read_graphs(std::span<const lab::DataFile> files,
                           std::span<const RunRecord> records) {
  Graphs graphs;
  for (const lab::DataFile& file : files) {
    if (!file.name.ends_with(".onnx")) continue;
    const auto names_it = [&](const RunRecord& run) { return run.onnx_sha256 == file.sha256; };
    if (std::ranges::none_of(records, names_it)) continue;
    auto model = graph::read_onnx(std::as_bytes(std::span{file.text}));
    if (!model) {
      return fail(model.error().code, model.error().message,
                  file.name + (model.error().where.empty() ? "" : ": ") + model.error().where);
    }
    graphs[file.sha256] = std::make_shared<const graph::Model>(*std::move(model));  // shared: rows
  }
  return graphs;
}

std::optional<lab::FeaturesSource> graph_of(const Graphs& graphs, const RunRecord& record) {
  const auto found = graphs.find(record.onnx_sha256);
  if (found == graphs.end()) return lab::zoo_graph_of(record);
  return [model = found->second, record]() -> Result<GraphFeatures> {
    graph::AnalysisOptions options{.batch = record.batch, .dims = {}};
    if (record.sequence) options.dims.emplace("sequence", *record.sequence);
    HORUS_TRY(graph::Analysis analysis, graph::analyse(*model, options));
    return std::move(analysis.features);
  };
}

Result<lab::Dataset> read_records(std::span<const lab::DataFile> files) {
  std::vector<RunRecord> records;
  for (const lab::DataFile& file : files) {
    if (file.name.ends_with(".onnx")) continue;
    HORUS_TRY(std::vector<RunRecord> read, wire::read_run_records(file.text, file.name));
    std::ranges::move(read, std::back_inserter(records));
  }
  HORUS_TRY(const Graphs graphs, read_graphs(files, records));
  HORUS_TRY(lab::Dataset dataset, lab::rows_of_records(records, [&graphs](const RunRecord& record) {
              return graph_of(graphs, record);
            }));
  dataset.sources = lab::sources_of(files);
  return dataset;
}

}  // namespace

const lab::DatasetKind& record_dataset() {
  static const lab::DatasetKind kind{
      .name = "profile",
      .folder = "profile",
      .summary = "records of horus profile or of the GPU campaign, and the ONNX files they name",
      .files = {"*.jsonl", "*.onnx"},
      .read = read_records};
  return kind;
}

}  // namespace horus::apps
