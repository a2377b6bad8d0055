// SPDX-License-Identifier: Apache-2.0
// What PyTorch itself says of torchvision's models (data/saved_tensors.csv, tools/saved_tensors.py)
// against what the graphs of the zoo say.

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "horus/base/text.hpp"
#include "horus/domain/gpu.hpp"
#include "horus/graph/analysis.hpp"
#include "horus/predict/peak_memory.hpp"
#include "horus/zoo/zoo.hpp"

namespace horus::lab {
namespace {

struct Kept {
  std::string model;
  std::int64_t batch{};
  std::int64_t image{};
  double saved_bytes{};
  double peak_bytes{};  ///< 0: not known.
};

std::vector<Kept> kept_rows() {
  std::ifstream file{HORUS_SOURCE_DIR "/data/saved_tensors.csv"};
  std::vector<Kept> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const auto fields = split(line, ',');
    rows.push_back({.model = std::string{fields[0]},
                    .batch = parse_integer(fields[1]).value(),
                    .image = parse_integer(fields[2]).value(),
                    .saved_bytes = parse_number(fields[3]).value(),
                    .peak_bytes = fields[4].empty() ? 0 : parse_number(fields[4]).value()});
  }
  return rows;
}

GraphFeatures features_of(const Kept& row) {
  const auto model = zoo::build(row.model, {.batch = row.batch, .image = row.image});
  EXPECT_TRUE(model) << (model ? "" : model.error().text());
  return graph::analyse(*model).value().features;
}

TEST(SavedTensors, AreThoseThatPyTorchKeeps) {
  const std::vector<Kept> rows = kept_rows();
  EXPECT_GE(rows.size(), 20U);
  for (const Kept& row : rows) {
    const GraphFeatures features = features_of(row);
    double saved = 0;
    for (const OpWork& op : features.ops) {
      saved += 4 * op.saved_elements + as_double(op.saved_index_bytes);
    }
    // The batch is kept by the first layer, and counted here alone.
    saved -= 4 * features.input_elements;
    EXPECT_NEAR(saved / row.saved_bytes, 1, 0.001) << row.model;
  }
}

TEST(SavedTensors, PeakIsTheMostThatLivesInPyTorch) {
  std::size_t judged = 0;
  for (const Kept& row : kept_rows()) {
    if (row.peak_bytes == 0) continue;
    GraphFeatures features = features_of(row);
    for (OpWork& op : features.ops) op.gemm = {};  // Tensors only, no workspace.
    const auto parts = predict::memory_parts(features, features.ops, {.optimizer = Optimizer::None},
                                             *find_gpu("V100-16GB").value().spec);
    const double tensors =
        parts.gradients + parts.activations + parts.transient - 4 * features.input_elements;
    EXPECT_NEAR(tensors / row.peak_bytes, 1, 0.015) << row.model;
    ++judged;
  }
  EXPECT_GE(judged, 15U);
}

}  // namespace
}  // namespace horus::lab
