// SPDX-License-Identifier: Apache-2.0
// Loops of one trip are no loops; loops beyond counting say so.

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/graph/structure_sketch_test.hpp"

namespace horus::graph {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Shape = std::vector<std::int64_t>;

/// tensor_split of `x` before position 1, as PyTorch's exporter of TorchScript writes it: a loop
/// that cuts x[offsets[i] : offsets[i + 1]] out for each section, and what is left behind it.
ModelSketch tensor_split() {
  ModelSketch body;
  with_number(body, "one", 1).node("Gather", {"offsets", "i"}, {"from"});
  body.node("Add", {"i", "one"}, {"next"}).node("Gather", {"offsets", "next"}, {"to"});
  body.integers("axis", {0}).node("Unsqueeze", {"from", "axis"}, {"starts"});
  body.node("Unsqueeze", {"to", "axis"}, {"ends"});
  body.node("Slice", {"x", "starts", "ends", "second"}, {"part"});
  body.node("SequenceInsert", {"parts", "part"}, {"more"}).node("Identity", {"goes_on"}, {"again"});
  ModelSketch sketch;
  sketch.input("x", {4, 9}).integers("offsets", {0, 1}).integers("second", {1});
  with_number(sketch, "trips", 1);
  with_number(sketch, "holds", 1, ElementType::Bool);
  sketch.node("SequenceEmpty", {}, {"none"});
  add_flow(sketch, "Loop", {"trips", "holds", "none"}, {"first"},
           {{"body", body_of(body, {"i", "goes_on", "parts"}, {"again", "more"})}});
  with_number(sketch, "zero", 0).node("SequenceAt", {"first", "zero"}, {"y"}).output("y");
  return sketch;
}

TEST(LoopOnce, KnowsItsCounterSoThatSlicesAreExact) {
  ModelSketch sketch = tensor_split();
  const Analysis analysis = analysis_of(sketch, with_values());
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_EQ(shape_in(analysis, "y"), (Shape{4, 1}));
  EXPECT_THAT(analysis.warnings, Not(Contains(HasSubstr("upper bounds"))));
  EXPECT_EQ(analysis.nodes_with_bounds, 0);
}

TEST(LoopOnce, HandsOnWhatIsKnownOfItsState) {
  ModelSketch body;
  body.node("Mul", {"size", "size"}, {"square"}).node("Identity", {"goes_on"}, {"again"});
  ModelSketch sketch;
  sketch.integers("size", {3});
  with_number(sketch, "trips", 1);
  add_flow(sketch, "Loop", {"trips", "", "size"}, {"shape"},
           {{"body", body_of(body, {"i", "goes_on", "size"}, {"again", "square"})}});
  sketch.node("ConstantOfShape", {"shape"}, {"y"}).output("y");
  EXPECT_EQ(shape_in(analysis_of(sketch, with_values()), "y"), Shape{9});
}

/// A product in loops of `trips` each, one inside the other.
Graph nested(int depth, std::int64_t trips) {
  ModelSketch body;
  if (depth == 0) {
    body.node("MatMul", {"s", "w"}, {"t"});
  } else {
    with_number(body, "n", trips);
    add_flow(body, "Loop", {"n", "", "s"}, {"t"}, {{"body", nested(depth - 1, trips)}});
  }
  body.node("Identity", {"c"}, {"d"});
  return body_of(body, {"i", "c", "s"}, {"d", "t"});
}

TEST(Loop, BeyondCountingSaysThatItsCostsAreAtLeast) {
  for (const int depth : {2, 3}) {
    ModelSketch sketch;
    sketch.input("x", {2, 2}).weight("w", {2, 2});
    // Two levels run 2^40 times, three would run 2^60 times.
    with_number(sketch, "n", std::int64_t{1} << 20);
    add_flow(sketch, "Loop", {"n", "", "x"}, {"y"}, {{"body", nested(depth - 1, 1 << 20)}});
    sketch.output("y");
    const Analysis analysis = analysis_of(sketch);
    const auto says_so = Contains(HasSubstr("more than 2^53 times"));
    if (depth == 3) {
      EXPECT_THAT(analysis.warnings, says_so);
    } else {
      EXPECT_THAT(analysis.warnings, Not(says_so));
    }
  }
}

// ---- Constants of bodies that stand several times in the flat graph.

Tensor array(std::int64_t size) {
  Tensor tensor{.name = "", .type = ElementType::Float32, .dims = {size, size}};
  return tensor;
}

TEST(Flatten, CountsAConstantOfAFunctionOnce) {
  ModelSketch body;
  body.node("Constant", {}, {"w"}, {{"value", array(4)}}).node("MatMul", {"a", "w"}, {"b"});
  ModelSketch sketch;
  sketch.input("x", {2, 4});
  sketch.model().functions.push_back(function_of("layer", body, {"a"}, {"b"}));
  add_call(sketch, "layer", {"x"}, {"h"});
  add_call(sketch, "layer", {"h"}, {"y"});
  sketch.output("y");
  const Analysis analysis = analysis_of(sketch, with_values());
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_EQ(analysis.features.parameters, 16);
  EXPECT_EQ(totals_of(analysis.features).macs, 2 * (2 * 4 * 4));
}

TEST(Flatten, CountsAnInitializerOfABranchInAFunctionOnce) {
  ModelSketch branch;
  branch.weight("w", {4, 4}).node("MatMul", {"a", "w"}, {"r"});
  ModelSketch other;
  other.node("Identity", {"a"}, {"r"});
  ModelSketch body;
  add_flow(
      body, "If", {"c"}, {"b"},
      {{"then_branch", body_of(branch, {}, {"r"})}, {"else_branch", body_of(other, {}, {"r"})}});
  ModelSketch sketch;
  sketch.input("x", {2, 4});
  with_number(sketch, "c", 1, ElementType::Bool);
  sketch.model().functions.push_back(function_of("layer", body, {"a", "c"}, {"b"}));
  add_call(sketch, "layer", {"x", "c"}, {"h"});
  add_call(sketch, "layer", {"h", "c"}, {"y"});
  sketch.output("y");
  const Analysis analysis = analysis_of(sketch, with_values());
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_EQ(analysis.features.parameters, 16);
  EXPECT_EQ(totals_of(analysis.features).macs, 2 * (2 * 4 * 4));
}

}  // namespace
}  // namespace horus::graph
