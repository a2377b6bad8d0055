// SPDX-License-Identifier: Apache-2.0
// Graphs of 10,000 and 100,000 nodes: deep, wide, and in functions that nest.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/graph/structure_sketch_test.hpp"

namespace horus::graph {
namespace {

using ::testing::IsEmpty;

/// Each node reads the one before.
ModelSketch chain(int nodes) {
  ModelSketch sketch;
  sketch.input("v0", {2, 8});
  for (int i = 0; i < nodes; ++i) {
    sketch.node("Relu", {"v" + std::to_string(i)}, {"v" + std::to_string(i + 1)});
  }
  return std::move(sketch.output("v" + std::to_string(nodes)));
}

/// All nodes read the input, and one sums them up.
ModelSketch fan(int nodes) {
  ModelSketch sketch;
  sketch.input("x", {2, 8});
  Strings parts;
  for (int i = 0; i < nodes; ++i) {
    parts.push_back("v" + std::to_string(i));
    sketch.node("Relu", {"x"}, {parts.back()});
  }
  return std::move(sketch.node("Sum", parts, {"y"}).output("y"));
}

TEST(LargeGraphs, OfAHundredThousandNodesInARowAreCountedToTheLast) {
  ModelSketch sketch = chain(100'000);
  const Analysis analysis = analysis_of(sketch);
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_EQ(totals_of(analysis.features).flops_forward, 100'000.0 * 16);
}

TEST(LargeGraphs, OfTenThousandNodesSideBySideAreCountedToTheLast) {
  ModelSketch sketch = fan(10'000);
  const Analysis analysis = analysis_of(sketch);
  EXPECT_THAT(analysis.gaps, IsEmpty());
  // One comparison per element of each node, and a sum of 10,000 terms per element.
  EXPECT_EQ(totals_of(analysis.features).flops_forward, 10'000.0 * 16 + 9'999.0 * 16);
}

TEST(LargeGraphs, MayStandBackwardsInTheirFile) {
  ModelSketch sketch = chain(10'000);
  auto& nodes = sketch.model().graph.nodes;
  std::reverse(nodes.begin(), nodes.end());
  const Analysis analysis = analysis_of(sketch);
  EXPECT_EQ(totals_of(analysis.features).flops_forward, 10'000.0 * 16);
}

TEST(LargeGraphs, OfTenFunctionsThatDoubleAreCountedToTheLast) {
  // 2^10 calls of the innermost function.
  ModelSketch sketch;
  sketch.input("x", {2, 8}).output("y");
  add_call(sketch, "f0", {"x"}, {"y"});
  for (int i = 0; i < 10; ++i) {
    ModelSketch body;
    add_call(body, "f" + std::to_string(i + 1), {"a"}, {"b"});
    add_call(body, "f" + std::to_string(i + 1), {"b"}, {"c"});
    sketch.model().functions.push_back(function_of("f" + std::to_string(i), body, {"a"}, {"c"}));
  }
  ModelSketch last;
  last.node("Relu", {"a"}, {"b"});
  sketch.model().functions.push_back(function_of("f10", last, {"a"}, {"b"}));
  const Analysis analysis = analysis_of(sketch);
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_EQ(analysis.nodes, 1);
  EXPECT_EQ(totals_of(analysis.features).flops_forward, 1024.0 * 16);
}

TEST(LargeGraphs, OfAThousandLoopsInARowAreCountedToTheLast) {
  ModelSketch sketch;
  sketch.input("v0", {2, 8}).weight("m", {}, ElementType::Int64);
  sketch.model().graph.initializers.back().integers = std::vector<std::int64_t>{3};
  for (int i = 0; i < 1000; ++i) {
    ModelSketch body;
    body.node("Relu", {"h"}, {"next"});
    add_flow(sketch, "Loop", {"m", "", "v" + std::to_string(i)}, {"v" + std::to_string(i + 1)},
             {{"body", body_of(body, {"i", "c", "h"}, {"c", "next"})}});
  }
  sketch.output("v1000");
  const Analysis analysis = analysis_of(sketch);
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_EQ(totals_of(analysis.features).flops_forward, 1000.0 * 3 * 16);
}

}  // namespace
}  // namespace horus::graph
