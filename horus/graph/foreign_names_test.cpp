// SPDX-License-Identifier: Apache-2.0
// Names come from foreign files: what a person reads of them holds no control character.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "horus/graph/analysis.hpp"
#include "horus/graph/model_sketch.hpp"

namespace horus::graph {
namespace {

const std::string kRed = "\x1b[31m\n";

bool is_clean(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return c < 0x20 || c == 0x7f; });
}

void expect_clean(const Analysis& analysis) {
  for (const CostGap& gap : analysis.gaps) EXPECT_TRUE(is_clean(gap.reason)) << gap.reason;
  for (const std::string& warning : analysis.warnings) EXPECT_TRUE(is_clean(warning)) << warning;
}

std::string refusal(const Model& model, const AnalysisOptions& options = {}) {
  const auto analysis = analyse(model, options);
  EXPECT_FALSE(analysis);
  return analysis ? std::string{} : analysis.error().text();
}

TEST(ForeignNames, ReasonsAndWarningsAreClean) {
  ModelSketch sketch;
  sketch.open_input("x" + kRed, {dim("N" + kRed), dim(6)}).input("image", {1, 2, 8, 8});
  sketch.open_input("y", {dim(1), dim("length" + kRed)}).weight("k", {2, 2, 3, 3});
  sketch.node("Relu" + kRed, {"x" + kRed}, {"a" + kRed}).node("Relu", {"a" + kRed}, {"b"});
  sketch.node("Relu", {"x" + kRed}, {"c" + kRed}).node("Relu", {"y"}, {"d"});
  sketch.model().graph.nodes[2].domain = "domain" + kRed;
  sketch.node("Conv", {"image", "k"}, {"e"}, {{"auto_pad", "SAME" + kRed}});
  sketch.node("Einsum", {"x" + kRed}, {"f"}, {{"equation", "ab" + kRed}});
  sketch.output("b").output("e");
  const auto analysis = analyse(sketch.model());
  ASSERT_TRUE(analysis);
  EXPECT_EQ(analysis->gaps.size(), 6U);
  EXPECT_EQ(analysis->warnings.size(), 1U) << "the batch is open";
  expect_clean(*analysis);
  EXPECT_EQ(analysis->inputs[0].name, "x" + kRed) << "a name as such is left as it is";
}

TEST(ForeignNames, AScaledConstantIsNamedCleanly) {
  ModelSketch sketch;
  sketch.input("x", {1, 6}).weight("w", {6, 6}).integers("target", {1, 6});
  sketch.node("MatMul", {"x", "w"}, {"h"}).node("Reshape", {"h", "target"}, {"y" + kRed});
  sketch.output("y" + kRed);
  const auto analysis = analyse(sketch.model(), {.batch = 3, .dims = {}});
  ASSERT_TRUE(analysis);
  ASSERT_EQ(analysis->warnings.size(), 1U);
  expect_clean(*analysis);
}

TEST(ForeignNames, ErrorsAreClean) {
  ModelSketch cycle;
  cycle.input("x", {2}).node("Add", {"x", "b" + kRed}, {"a" + kRed});
  cycle.node("Relu", {"a" + kRed}, {"b" + kRed}).output("b" + kRed);
  EXPECT_TRUE(is_clean(refusal(cycle.model())));
  ModelSketch twice;
  twice.input("x", {2}).node("Relu", {"x"}, {"y" + kRed}).node("Abs", {"x"}, {"y" + kRed});
  EXPECT_TRUE(is_clean(refusal(twice.model())));
  ModelSketch ghost;
  ghost.input("x", {2}).node("Add" + kRed, {"x", "ghost" + kRed}, {"y"}).output("y");
  EXPECT_TRUE(is_clean(refusal(ghost.model())));
}

TEST(ForeignNames, ASuggestedDimensionIsClean) {
  ModelSketch sketch;
  sketch.open_input("x", {dim("batch"), dim("sequence\n")}).node("Relu", {"x"}, {"y"}).output("y");
  const std::string text = refusal(sketch.model(), {.batch = {}, .dims = {{"sequence", 4}}});
  EXPECT_TRUE(is_clean(text)) << text;
  EXPECT_NE(text.find("sequence\\x0a"), std::string::npos) << text;
}

}  // namespace
}  // namespace horus::graph
