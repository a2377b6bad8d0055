// SPDX-License-Identifier: Apache-2.0
// If and Loop: what they cost, by shapes and trips that can be counted by hand.

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/graph/structure_sketch_test.hpp"

namespace horus::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Shape = std::vector<std::int64_t>;

// ---- If.

/// Two layers to choose from: 4 x 16 and 4 x 4 weights.
void add_choice(ModelSketch& sketch, const std::string& condition) {
  ModelSketch wide;
  wide.weight("w", {4, 16})
      .node("MatMul", {"x", "w"}, {"h"})
      .weight("v", {16, 4})
      .node("MatMul", {"h", "v"}, {"y"});
  ModelSketch narrow;
  narrow.weight("w", {4, 4}).node("MatMul", {"x", "w"}, {"y"});
  add_flow(
      sketch, "If", {condition}, {"y"},
      {{"then_branch", body_of(wide, {}, {"y"})}, {"else_branch", body_of(narrow, {}, {"y"})}});
  sketch.output("y");
}

TEST(If, CostsTheBranchThatAConstantChooses) {
  for (const std::int64_t value : {0, 1}) {
    ModelSketch sketch;
    sketch.input("x", {8, 4});
    with_number(sketch, "c", value, ElementType::Bool);
    add_choice(sketch, "c");
    const Analysis analysis = analysis_of(sketch, with_values());
    EXPECT_THAT(analysis.gaps, IsEmpty());
    EXPECT_THAT(analysis.warnings, IsEmpty());
    EXPECT_EQ(totals_of(analysis.features).macs, value == 1 ? 2 * 8 * 4 * 16 : 8 * 4 * 4);
    EXPECT_EQ(has_node(analysis, "y/then_branch/h"), value == 1);
    EXPECT_EQ(shape_in(analysis, "y"), (Shape{8, 4}));
    // All weights are in the file and train once the other branch is taken.
    EXPECT_EQ(analysis.features.parameters, 64 + 64 + 16);
    EXPECT_EQ(analysis.nodes, 1);
  }
}

TEST(If, CostsTheDearerBranchWhereDataChoosesAndSaysSo) {
  ModelSketch sketch;
  sketch.input("x", {8, 4}).input("c", {}, ElementType::Bool);
  add_choice(sketch, "c");
  const Analysis analysis = analysis_of(sketch, with_values());
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_EQ(totals_of(analysis.features).macs, 2 * 8 * 4 * 16);
  EXPECT_THAT(analysis.warnings,
              ElementsAre(HasSubstr("the conditions of 1 If nodes depend on data ('y')")));
}

TEST(If, IgnoresWhatFailsInABranchThatIsNotTaken) {
  // How PyTorch exports squeeze(): the branch for other shapes cannot be inferred.
  ModelSketch squeeze;
  squeeze.integers("axes", {1}).node("Squeeze", {"x", "axes"}, {"y"});
  ModelSketch keep;
  keep.node("Identity", {"x"}, {"y"});
  ModelSketch sketch;
  sketch.input("x", {8, 4}).integers("at", {1}).integers("one", {1});
  sketch.node("Shape", {"x"}, {"s"}).node("Gather", {"s", "at"}, {"size"});
  sketch.node("Equal", {"size", "one"}, {"c"});
  add_flow(
      sketch, "If", {"c"}, {"y"},
      {{"then_branch", body_of(squeeze, {}, {"y"})}, {"else_branch", body_of(keep, {}, {"y"})}});
  sketch.output("y");
  const Analysis analysis = analysis_of(sketch, with_values());
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_EQ(shape_in(analysis, "y"), (Shape{8, 4}));
}

TEST(If, TakesTheLargerOfTwoShapesAndSaysSo) {
  ModelSketch twice;
  twice.node("Concat", {"x", "x"}, {"y"}, {{"axis", std::int64_t{0}}});
  ModelSketch once;
  once.node("Relu", {"x"}, {"y"});
  ModelSketch sketch;
  sketch.input("x", {8, 4}).input("c", {}, ElementType::Bool);
  add_flow(sketch, "If", {"c"}, {"y"},
           {{"then_branch", body_of(once, {}, {"y"})}, {"else_branch", body_of(twice, {}, {"y"})}});
  sketch.output("y");
  const Analysis analysis = analysis_of(sketch, with_values());
  EXPECT_EQ(shape_in(analysis, "y"), (Shape{16, 4}));
  EXPECT_THAT(analysis.warnings, ::testing::Contains(HasSubstr("[8, 4] or [16, 4]")));
}

TEST(If, MayShowAValueFromAroundIt) {
  ModelSketch sketch;
  sketch.input("x", {8, 4}).input("c", {}, ElementType::Bool).node("Relu", {"x"}, {"r"});
  add_flow(sketch, "If", {"c"}, {"y"},
           {{"then_branch", body_of(ModelSketch{}, {}, {"r"})},
            {"else_branch", body_of(ModelSketch{}, {}, {"x"})}});
  sketch.output("y");
  const Analysis analysis = analysis_of(sketch, with_values());
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_EQ(shape_in(analysis, "y"), (Shape{8, 4}));
}

TEST(If, IsAGapWithAReasonWhereItIsMalformed) {
  ModelSketch relu;
  relu.node("Relu", {"x"}, {"y"});
  const Graph good = body_of(relu, {}, {"y"});
  const Graph silent = body_of(relu, {}, {});
  ModelSketch orphan;
  orphan.node("Relu", {"nobody"}, {"y"});
  struct Case {
    std::map<std::string, Graph> bodies;
    std::string reason;
  };
  const std::vector<Case> cases{
      {{{"then_branch", good}}, "no subgraph 'else_branch'"},
      {{{"then_branch", good}, {"else_branch", silent}},
       "0 outputs of the else_branch, expected 1"},
      {{{"then_branch", good}, {"else_branch", body_of(orphan, {}, {"y"})}}, "value 'nobody'"},
      {{{"then_branch", good}, {"else_branch", body_of(relu, {}, {"z"})}}, "value 'z'"}};
  for (const Case& one : cases) {
    ModelSketch sketch;
    sketch.input("x", {8, 4}).input("c", {}, ElementType::Bool);
    add_flow(sketch, "If", {"c"}, {"y"}, one.bodies);
    sketch.output("y").node("Relu", {"x"}, {"other"});
    const Analysis analysis = analysis_of(sketch);
    ASSERT_EQ(analysis.gaps.size(), 1U) << one.reason;
    EXPECT_EQ(analysis.gaps[0].op_type, "If");
    EXPECT_EQ(analysis.gaps[0].node, "y");
    EXPECT_THAT(analysis.gaps[0].reason, HasSubstr(one.reason));
    EXPECT_TRUE(has_node(analysis, "other"));
  }
}

// ---- Loop.

/// h = relu(h w), and what `scanned` asks for, over and over.
Graph recurrence(const std::string& condition_out = "cond") {
  ModelSketch body;
  body.weight("w", {4, 4}).node("MatMul", {"h", "w"}, {"p"}).node("Relu", {"p"}, {"next"});
  return body_of(body, {"i", "cond", "h"}, {condition_out, "next", "next"});
}

ModelSketch looping(std::int64_t trips, Graph body = recurrence()) {
  ModelSketch sketch;
  sketch.input("x", {8, 4});
  with_number(sketch, "m", trips);
  add_flow(sketch, "Loop", {"m", "", "x"}, {"last", "all"}, {{"body", std::move(body)}});
  return std::move(sketch.output("last").output("all"));
}

TEST(Loop, MultipliesTheWorkOfItsBodyByItsTrips) {
  ModelSketch sketch = looping(10);
  const Analysis analysis = analysis_of(sketch, with_values());
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_THAT(analysis.warnings, IsEmpty());
  const OpWork product = work_in(analysis, "last/body/p");
  EXPECT_EQ(product.macs, 10 * 8 * 4 * 4);
  EXPECT_EQ(product.flops_forward, 2 * 10 * 8 * 4 * 4);
  EXPECT_EQ(product.kernels_forward, 10);
  EXPECT_EQ(product.sequential_steps, 10);
  EXPECT_EQ(product.weight_elements, 16);
  EXPECT_EQ(analysis.features.parameters, 16);
  EXPECT_EQ(shape_in(analysis, "last"), (Shape{8, 4}));
  EXPECT_EQ(shape_in(analysis, "all"), (Shape{10, 8, 4}));
}

TEST(Loop, CarriesGradientsFromTripToTrip) {
  // In the second trip h depends on w: its gradient has to be computed, as with
  // torch.nn.RNN(nonlinearity="relu"): two products backward for each forward.
  ModelSketch sketch = looping(10);
  const OpWork product = work_in(analysis_of(sketch), "last/body/p");
  EXPECT_TRUE(product.needs_input_gradient);
  EXPECT_EQ(product.flops_backward, 2 * product.flops_forward);
}

TEST(Loop, KeepsOneStatePerTrip) {
  // relu keeps its result, and the product of the next trip keeps the same tensor.
  ModelSketch sketch = looping(10);
  EXPECT_EQ(totals_of(analysis_of(sketch).features).activation_bytes, Bytes{10 * 8 * 4 * 4});
}

TEST(Loop, CountsOneTripWhereDataEndsItAndSaysHowToGiveMore) {
  ModelSketch body;
  body.node("Relu", {"h"}, {"next"})
      .node("ReduceSum", {"h"}, {"sum"}, {{"keepdims", std::int64_t{0}}});
  body.node("Cast", {"sum"}, {"goes_on"}, {{"to", std::int64_t{9}}});
  const Graph until = body_of(body, {"i", "cond", "h"}, {"goes_on", "next", "next"});
  // PyTorch writes the largest integer for a loop that only its condition ends.
  ModelSketch sketch = looping(std::numeric_limits<std::int64_t>::max(), until);
  const Analysis once = analysis_of(sketch, with_values());
  EXPECT_THAT(once.warnings,
              ElementsAre(HasSubstr("the trips of 1 loops depend on data ('last'): counted as one "
                                    "trip each, so their costs are lower bounds; give their number "
                                    "with --dim trips:last=COUNT")));
  EXPECT_EQ(shape_in(once, "all"), (Shape{1, 8, 4}));
  const Analysis more = analysis_of(sketch, with_trips("last", 7));
  EXPECT_THAT(more.warnings, IsEmpty());
  EXPECT_EQ(work_in(more, "last/body/next").flops_forward,
            7 * work_in(once, "last/body/next").flops_forward);
  EXPECT_EQ(shape_in(more, "all"), (Shape{7, 8, 4}));
}

TEST(Loop, CountsItsLargestNumberOfTripsWhereItMayEndEarlierAndSaysSo) {
  ModelSketch body;
  body.node("Relu", {"h"}, {"next"}).node("Not", {"cond"}, {"goes_on"});
  ModelSketch sketch = looping(5, body_of(body, {"i", "cond", "h"}, {"goes_on", "next", "next"}));
  const Analysis analysis = analysis_of(sketch, with_values());
  EXPECT_EQ(shape_in(analysis, "all"), (Shape{5, 8, 4}));
  EXPECT_THAT(analysis.warnings, ElementsAre(HasSubstr("may end before their largest number")));
}

TEST(Loop, GoesOnWhereItsConditionIsAConstant) {
  ModelSketch body;
  body.node("Constant", {}, {"yes"}, {{"value", truth(1)}}).node("Identity", {"yes"}, {"goes_on"});
  body.node("Relu", {"h"}, {"next"});
  ModelSketch sketch = looping(5, body_of(body, {"i", "cond", "h"}, {"goes_on", "next", "next"}));
  EXPECT_THAT(analysis_of(sketch).warnings, IsEmpty());
}

TEST(Loop, DoesNotRunWhereItsConditionFailsFirst) {
  ModelSketch sketch = looping(5);
  with_number(sketch, "no", 0, ElementType::Bool);
  sketch.model().graph.nodes[0].inputs[1] = "no";
  const Analysis analysis = analysis_of(sketch, with_values());
  EXPECT_EQ(totals_of(analysis.features).macs, 0);
  EXPECT_FALSE(has_node(analysis, "last/body/p"));
  EXPECT_EQ(shape_in(analysis, "last"), (Shape{8, 4}));
  EXPECT_EQ(shape_in(analysis, "all"), (Shape{0, 8, 4}));
}

TEST(Loop, TakesItsTripsFromShapes) {
  ModelSketch sketch = looping(0);
  sketch.model().graph.initializers.clear();
  sketch.input("steps", {1, 12}).integers("at", {1});
  sketch.node("Shape", {"steps"}, {"s"}).node("Gather", {"s", "at"}, {"m"});
  const Analysis analysis = analysis_of(sketch, with_values());
  EXPECT_EQ(work_in(analysis, "last/body/p").macs, 12 * 8 * 4 * 4);
}

TEST(Loop, MultipliesTripsOfLoopsInLoops) {
  ModelSketch outer;
  with_number(outer, "inner_trips", 3);
  add_flow(outer, "Loop", {"inner_trips", "", "h"}, {"next", "unused"}, {{"body", recurrence()}});
  ModelSketch sketch = looping(10, body_of(outer, {"i", "cond", "h"}, {"cond", "next", "next"}));
  const Analysis analysis = analysis_of(sketch);
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_EQ(work_in(analysis, "last/body/next/body/p").macs, 30 * 8 * 4 * 4);
}

TEST(Loop, FollowsAStateThatGrowsAndSaysThatItsBodyIsCostedOnce) {
  // Collecting results by Concat, as a decoder does.
  ModelSketch body;
  body.node("Concat", {"seen", "token"}, {"more"}, {{"axis", std::int64_t{1}}});
  ModelSketch sketch;
  sketch.input("start", {8, 1}).input("token", {8, 1});
  with_number(sketch, "m", 20);
  add_flow(sketch, "Loop", {"m", "", "start"}, {"text"},
           {{"body", body_of(body, {"i", "cond", "seen"}, {"cond", "more"})}});
  sketch.output("text");
  const Analysis analysis = analysis_of(sketch, with_values());
  EXPECT_EQ(shape_in(analysis, "text"), (Shape{8, 21}));
  EXPECT_THAT(analysis.warnings, ElementsAre(HasSubstr("from [8, 1] to [8, 2] in the first trip")));
}

TEST(Loop, HandsAValueThatNoTripChangesToItsBodyAsItIs) {
  // The target shape stays known, and the weight stays a weight.
  ModelSketch body;
  body.node("Reshape", {"h", "target"}, {"flat"}).node("MatMul", {"flat", "w"}, {"p"});
  body.node("Identity", {"target"}, {"same"});
  ModelSketch sketch;
  sketch.input("x", {8, 4}).integers("shape", {4, 8}).weight("weight", {8, 2});
  with_number(sketch, "m", 3);
  add_flow(sketch, "Loop", {"m", "", "shape", "weight"}, {"s", "v", "all"},
           {{"body", [&] {
               ModelSketch inner = body;
               inner.model().graph.nodes[0].inputs[0] = "x";
               return body_of(inner, {"i", "cond", "target", "w"}, {"cond", "same", "w", "p"});
             }()}});
  sketch.output("all");
  const Analysis analysis = analysis_of(sketch, with_values());
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_EQ(shape_in(analysis, "all"), (Shape{3, 4, 2}));
  EXPECT_EQ(analysis.features.parameters, 16);
}

TEST(Loop, DoesNotTakeTheFirstValueOfAStateForAllOfThem) {
  // A counter that the body adds to: no constant, so the branch on it stays open.
  ModelSketch wide;
  wide.node("Relu", {"x"}, {"y"});
  ModelSketch body;
  with_number(body, "one", 1);
  with_number(body, "zero", 0);
  body.node("Add", {"count", "one"}, {"next"}).node("Equal", {"count", "zero"}, {"is_first"});
  ModelSketch same;
  same.node("Identity", {"x"}, {"y"});
  add_flow(body, "If", {"is_first"}, {"r"},
           {{"then_branch", body_of(same, {}, {"y"})}, {"else_branch", body_of(wide, {}, {"y"})}});
  ModelSketch sketch;
  sketch.input("x", {8, 4});
  with_number(sketch, "m", 4);
  with_number(sketch, "start", 0);
  add_flow(sketch, "Loop", {"m", "", "start"}, {"end", "all"},
           {{"body", body_of(body, {"i", "cond", "count"}, {"cond", "next", "r"})}});
  sketch.output("all");
  const Analysis analysis = analysis_of(sketch);
  EXPECT_EQ(work_in(analysis, "end/body/r/else_branch/y").flops_forward, 4 * 8 * 4);
}

TEST(Loop, IsAGapWithAReasonWhereItIsMalformed) {
  struct Case {
    Strings inputs;
    Strings outputs;
    std::string reason;
  };
  const std::vector<Case> cases{
      {{"i", "cond"}, {"cond", "next", "next"}, "2 inputs of the body, expected 3"},
      {{"i", "cond", "h"}, {"cond", "next"}, "2 outputs of the body, expected 3"},
      {{"i", "h", "h"}, {"h", "next", "next"}, "defined twice"}};
  for (const Case& one : cases) {
    ModelSketch body;
    body.node("Relu", {"h"}, {"next"});
    ModelSketch sketch = looping(3, body_of(body, one.inputs, one.outputs));
    const Analysis analysis = analysis_of(sketch);
    ASSERT_EQ(analysis.gaps.size(), 1U) << one.reason;
    EXPECT_EQ(analysis.gaps[0].op_type, "Loop");
    EXPECT_THAT(analysis.gaps[0].reason, HasSubstr(one.reason));
  }
}

TEST(Loop, CollectsASequenceTripByTrip) {
  ModelSketch body;
  body.node("Relu", {"x"}, {"y"}).node("SequenceInsert", {"seen", "y"}, {"more"});
  ModelSketch sketch;
  sketch.input("x", {8, 4}).node("SequenceEmpty", {}, {"none"});
  with_number(sketch, "m", 5);
  add_flow(sketch, "Loop", {"m", "", "none"}, {"list"},
           {{"body", body_of(body, {"i", "cond", "seen"}, {"cond", "more"})}});
  sketch.node("ConcatFromSequence", {"list"}, {"all"}, {{"axis", std::int64_t{0}}}).output("all");
  const Analysis analysis = analysis_of(sketch, with_values());
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_EQ(shape_in(analysis, "all"), (Shape{40, 4}));
}

TEST(Loop, StaysFiniteHoweverManyTripsAreAskedFor) {
  constexpr std::int64_t kMany = std::int64_t{1} << 31;
  Graph body = recurrence();
  for (int depth = 0; depth < 12; ++depth) {
    ModelSketch outer;
    with_number(outer, "m", kMany);
    add_flow(outer, "Loop", {"m", "", "h"}, {"next", "unused"}, {{"body", std::move(body)}});
    body = body_of(outer, {"i", "cond", "h"}, {"cond", "next", "next"});
  }
  ModelSketch sketch = looping(kMany, std::move(body));
  const Totals totals = totals_of(analysis_of(sketch).features);
  EXPECT_TRUE(std::isfinite(totals.macs));
  EXPECT_GT(totals.macs, 1e15);
  EXPECT_GT(totals.activation_bytes, Bytes{1});
}

TEST(Loop, IsAGapWhereItsSequenceGrowsBeyondAllBounds) {
  ModelSketch body;
  body.node("SequenceInsert", {"seen", "x"}, {"more"});
  ModelSketch sketch;
  sketch.input("x", {8, 4}).node("SequenceEmpty", {}, {"none"});
  with_number(sketch, "m", 1'000'000);
  add_flow(sketch, "Loop", {"m", "", "none"}, {"list"},
           {{"body", body_of(body, {"i", "cond", "seen"}, {"cond", "more"})}});
  sketch.output("list");
  const Analysis analysis = analysis_of(sketch);
  ASSERT_EQ(analysis.gaps.size(), 1U);
  EXPECT_THAT(analysis.gaps[0].reason, HasSubstr("grows over 1000000 trips"));
}

TEST(Loop, ScalesWithTheBatch) {
  ModelSketch sketch = looping(10);
  AnalysisOptions options;
  options.batch = 16;
  EXPECT_EQ(work_in(analysis_of(sketch, options), "last/body/p").macs, 10 * 16 * 4 * 4);
}

}  // namespace
}  // namespace horus::graph
