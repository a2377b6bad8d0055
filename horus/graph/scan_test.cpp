// SPDX-License-Identifier: Apache-2.0
// Scan and SequenceMap, and control flow inside of functions.

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/graph/structure_sketch_test.hpp"

namespace horus::graph {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Shape = std::vector<std::int64_t>;

/// A running sum over 6 steps of 8 x 4 values: state, and all states.
Graph running_sum() {
  ModelSketch body;
  body.node("Add", {"sum", "step"}, {"next"}).node("Identity", {"next"}, {"out"});
  return body_of(body, {"sum", "step"}, {"next", "out"});
}

TEST(Scan, RunsAlongItsAxis) {
  ModelSketch sketch;
  sketch.input("start", {8, 4}).input("x", {8, 6, 4});
  add_flow(sketch, "Scan", {"start", "x"}, {"last", "all"}, {{"body", running_sum()}},
           {{"num_scan_inputs", std::int64_t{1}},
            {"scan_input_axes", std::vector<std::int64_t>{1}},
            {"scan_output_axes", std::vector<std::int64_t>{-1}}});
  sketch.output("last").output("all");
  const Analysis analysis = analysis_of(sketch, with_values());
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_EQ(work_in(analysis, "last/body/next").flops_forward, 6 * 8 * 4);
  EXPECT_EQ(shape_in(analysis, "last"), (Shape{8, 4}));
  EXPECT_EQ(shape_in(analysis, "all"), (Shape{8, 4, 6}));
}

TEST(Scan, OfVersion8RunsForEachSampleOfABatch) {
  ModelSketch sketch{8};
  sketch.input("start", {3, 4}).input("x", {3, 6, 4});
  add_flow(sketch, "Scan", {"", "start", "x"}, {"last", "all"}, {{"body", running_sum()}},
           {{"num_scan_inputs", std::int64_t{1}}});
  sketch.output("last").output("all");
  const Analysis analysis = analysis_of(sketch, with_values());
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_EQ(work_in(analysis, "last/body/next").flops_forward, 3 * 6 * 4);
  EXPECT_EQ(shape_in(analysis, "last"), (Shape{3, 4}));
  EXPECT_EQ(shape_in(analysis, "all"), (Shape{3, 6, 4}));
}

TEST(Scan, CountsLayersThatAreStackedInOneWeight) {
  // How scanned networks keep the weights of all layers: one axis more, sliced per trip.
  ModelSketch body;
  body.node("MatMul", {"h", "w"}, {"next"});
  ModelSketch sketch;
  sketch.input("x", {8, 4}).weight("layers", {12, 4, 4});
  add_flow(sketch, "Scan", {"x", "layers"}, {"y"}, {{"body", body_of(body, {"h", "w"}, {"next"})}},
           {{"num_scan_inputs", std::int64_t{1}}});
  sketch.output("y");
  const Analysis analysis = analysis_of(sketch);
  EXPECT_EQ(analysis.features.parameters, 12 * 4 * 4);
  EXPECT_EQ(work_in(analysis, "y/body/next").macs, 12 * 8 * 4 * 4);
}

TEST(Scan, IsAGapWithAReasonWhereItsStepsDoNotMatch) {
  ModelSketch body;
  body.node("Add", {"a", "b"}, {"c"});
  ModelSketch sketch;
  sketch.input("x", {6, 4}).input("y", {5, 4});
  add_flow(sketch, "Scan", {"x", "y"}, {"z"}, {{"body", body_of(body, {"a", "b"}, {"c"})}},
           {{"num_scan_inputs", std::int64_t{2}}});
  sketch.output("z");
  const Analysis analysis = analysis_of(sketch);
  ASSERT_FALSE(analysis.gaps.empty());
  EXPECT_EQ(analysis.gaps[0].op_type, "Scan");
  EXPECT_THAT(analysis.gaps[0].reason, HasSubstr("scanned values of 6 and 5 steps"));
}

TEST(Scan, RefusesANumberOfScannedInputsThatIsNotThere) {
  for (const std::int64_t scans : {0, 2, -1}) {
    ModelSketch sketch;
    sketch.input("x", {6, 4});
    add_flow(sketch, "Scan", {"x"}, {"z"}, {{"body", running_sum()}}, {{"num_scan_inputs", scans}});
    const Analysis analysis = analysis_of(sketch);
    ASSERT_EQ(analysis.gaps.size(), 1U);
    EXPECT_THAT(analysis.gaps[0].reason, HasSubstr("num_scan_inputs"));
  }
}

// ---- SequenceMap, and functions with control flow in them.

TEST(SequenceMap, RunsForEachTensorOfItsSequence) {
  ModelSketch body;
  body.node("Relu", {"a"}, {"b"});
  ModelSketch sketch;
  sketch.input("x", {6, 4}).node("SplitToSequence", {"x"}, {"rows"});
  add_flow(sketch, "SequenceMap", {"rows"}, {"out"}, {{"body", body_of(body, {"a"}, {"b"})}});
  sketch.node("ConcatFromSequence", {"out"}, {"y"}, {{"axis", std::int64_t{0}}}).output("y");
  const Analysis analysis = analysis_of(sketch, with_values());
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_EQ(work_in(analysis, "out/body/b").flops_forward, 6 * 4);
  EXPECT_EQ(shape_in(analysis, "y"), (Shape{6, 4}));
}

TEST(ControlFlow, WorksInsideOfFunctionsWithTheirAttributes) {
  ModelSketch leaky;
  leaky.node("LeakyRelu", {"a"}, {"y"}, {{"alpha", AttributeRef{"slope", "f"}}});
  ModelSketch same;
  same.node("Identity", {"a"}, {"y"});
  ModelSketch body;
  add_flow(body, "If", {"c"}, {"b"},
           {{"then_branch", body_of(leaky, {}, {"y"})}, {"else_branch", body_of(same, {}, {"y"})}});
  ModelSketch sketch;
  sketch.input("x", {8, 4}).output("y");
  with_number(sketch, "yes", 1, ElementType::Bool);
  add_call(sketch, "maybe", {"x", "yes"}, {"y"}, {{"slope", 0.5}});
  sketch.model().functions = {function_of("maybe", body, {"a", "c"}, {"b"})};
  const Analysis analysis = analysis_of(sketch, with_values());
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_TRUE(has_node(analysis, "y/b/then_branch/y"));
  EXPECT_EQ(shape_in(analysis, "y"), (Shape{8, 4}));
}

}  // namespace
}  // namespace horus::graph
