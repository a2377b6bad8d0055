// SPDX-License-Identifier: Apache-2.0
// A node whose first output nobody wants still costs what it computes.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "horus/graph/analysis.hpp"
#include "horus/graph/model_sketch.hpp"

namespace horus::graph {
namespace {

using Strings = std::vector<std::string>;

Totals totals_with(ModelSketch sketch, const std::string& op, const Strings& inputs,
                   const Strings& outputs, const ModelSketch::Attributes& attributes) {
  sketch.node(op, inputs, outputs, attributes).output(outputs.back());
  const auto analysis = analyse(sketch.model(), {.values = ListValues::Yes});
  EXPECT_TRUE(analysis) << (analysis ? "" : analysis.error().text());
  if (!analysis) return {};
  EXPECT_TRUE(analysis->gaps.empty());
  for (const ListedValue& value : analysis->values) EXPECT_FALSE(value.name.empty());
  return totals_of(analysis->features);
}

ModelSketch recurrent() {
  ModelSketch sketch;
  sketch.input("x", {7, 2, 5}).weight("w", {1, 12, 5}).weight("r", {1, 12, 3});
  return sketch;
}

TEST(OmittedOutput, ARecurrentOperatorRunsAllStepsForItsLastState) {
  const ModelSketch::Attributes hidden{{"hidden_size", std::int64_t{3}}};
  // 7 steps of 2 samples: 4 gates x 3 hidden x (5 features + 3 hidden).
  for (const Strings& outputs : std::vector<Strings>{{"y"}, {"", "h"}, {"", "", "c"}}) {
    const Totals totals = totals_with(recurrent(), "LSTM", {"x", "w", "r"}, outputs, hidden);
    EXPECT_EQ(totals.macs, 7 * 2 * 12 * (5 + 3)) << outputs.size();
    EXPECT_GT(totals.kernels, 0) << outputs.size();
    EXPECT_GT(totals.flops_training, totals.flops_forward) << outputs.size();
  }
}

TEST(OmittedOutput, APoolOfWhichOnlyTheIndicesAreUsedReadsItsInput) {
  const ModelSketch::Attributes window{{"kernel_shape", std::vector<std::int64_t>{2, 2}},
                                       {"strides", std::vector<std::int64_t>{2, 2}}};
  ModelSketch sketch;
  sketch.input("x", {1, 3, 8, 8});
  const Totals whole = totals_with(sketch, "MaxPool", {"x"}, {"y", "i"}, window);
  const Totals indices = totals_with(sketch, "MaxPool", {"x"}, {"", "i"}, window);
  EXPECT_EQ(indices.flops_forward, whole.flops_forward);
  EXPECT_EQ(indices.kernels, 1);
}

TEST(OmittedOutput, IsNoValueThatAnotherNodeDefines) {
  ModelSketch sketch;
  sketch.input("x", {4, 8}).integers("k", {2});
  sketch.node("TopK", {"x", "k"}, {"", "i"}).node("TopK", {"x", "k"}, {"", "j"});
  sketch.output("i").output("j");
  const auto analysis = analyse(sketch.model());
  ASSERT_TRUE(analysis) << analysis.error().text();
  EXPECT_EQ(totals_of(analysis->features).kernels,
            2 * totals_of({.ops = {analysis->features.ops.front()}}).kernels);
  EXPECT_GT(totals_of(analysis->features).kernels, 0);
}

}  // namespace
}  // namespace horus::graph
