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

TEST(LargeGraphs, OfALoopWithThousandsOfStatesThatOneChainOfCopiesMakesAreCountedToTheLast) {
  // Looking through the chain once per state would take 16 million steps.
  constexpr int kMany = 4000;
  ModelSketch body;
  for (int i = 0; i < kMany; ++i) {
    body.node("Identity", {"c" + std::to_string(i)}, {"c" + std::to_string(i + 1)});
  }
  body.node("Relu", {"c" + std::to_string(kMany)}, {"r"});
  Strings inputs{"i", "cond"};
  Strings outputs{"cond"};
  Strings given{"m", ""};
  Strings results;
  for (int i = 0; i < kMany; ++i) {
    inputs.push_back("c" + std::string(i == 0 ? "" : "_") + std::to_string(i));
    outputs.push_back("c" + std::to_string(kMany));
    given.emplace_back("x");
    results.push_back("y" + std::to_string(i));
  }
  ModelSketch sketch;
  sketch.input("x", {2, 8}).output("y0");
  with_number(sketch, "m", 3);
  add_flow(sketch, "Loop", given, results, {{"body", body_of(body, inputs, outputs)}});
  const Analysis analysis = analysis_of(sketch);
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_EQ(totals_of(analysis.features).flops_forward, 3.0 * 16);
}

TEST(LargeGraphs, ThatCopyListsWithoutEndKeepTheirShapesAndAreToldWhereTheListsEnd) {
  // 8,192 integers are 64 KiB, so that 1,024 copies fill the 64 MiB that are followed.
  ModelSketch sketch;
  sketch.input("x", {2, 8}).integers("c0", std::vector<std::int64_t>(8192, 1));
  for (int i = 0; i < 1030; ++i) {
    sketch.node("Identity", {"c" + std::to_string(i)}, {"c" + std::to_string(i + 1)});
  }
  sketch.integers("turned", {8, 2}).node("Identity", {"turned"}, {"shape"});
  sketch.node("Reshape", {"x", "shape"}, {"y"}).output("y").output("c1030");
  const Analysis analysis = analysis_of(sketch, with_values());
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_THAT(analysis.warnings,
              ::testing::ElementsAre(::testing::HasSubstr("from Identity 'c1025' on")));
  EXPECT_EQ(shape_in(analysis, "c1030"), (std::vector<std::int64_t>{8192}));
  EXPECT_EQ(shape_in(analysis, "y"), (std::vector<std::int64_t>{8, 2}));
}

TEST(LargeGraphs, ThatCopySequencesWithoutEndHaveAGapWhereThesePassTheBudget) {
  // 8,000 shapes of eight axes are 704 kB: 95 of such sequences are within 64 MiB.
  ModelSketch sketch;
  sketch.input("x", {2, 1, 1, 1, 1, 1, 1, 1});
  sketch.node("SequenceConstruct", Strings(8000, "x"), {"s0"});
  for (int i = 0; i < 120; ++i) {
    sketch.node("Identity", {"s" + std::to_string(i)}, {"s" + std::to_string(i + 1)});
  }
  sketch.output("s120");
  const Analysis analysis = analysis_of(sketch);
  ASSERT_FALSE(analysis.gaps.empty());
  EXPECT_EQ(analysis.gaps[0].node, "s95");
  EXPECT_THAT(analysis.gaps[0].reason, ::testing::HasSubstr("take more than 64 MiB"));
}

}  // namespace
}  // namespace horus::graph
