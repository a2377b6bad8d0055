// SPDX-License-Identifier: Apache-2.0
// What users of other tools reported of graphs that stopped them or came out wrong, each with the
// right value.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/graph/onnx.hpp"
#include "horus/graph/structure_sketch_test.hpp"

namespace horus::graph {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

AnalysisOptions at_batch(std::int64_t batch) {
  AnalysisOptions options = with_values();
  options.batch = batch;
  return options;
}

// Models of more than 2 GB keep their weights in other files. Tools that need the weights fail or
// return an empty graph: onnx/onnx #3046, #3275, #3559, #5249, #6150, #6529; microsoft/onnxruntime
// #4424, #17098.
TEST(ForeignReports, WeightsOfThreeGigabytesInAnAbsentFileAreCounted) {
  ModelSketch sketch;
  sketch.input("x", {2, 12288}).weight("w", {12288, 61440}).node("MatMul", {"x", "w"}, {"y"});
  sketch.model().graph.initializers[0].external = true;
  sketch.output("y");
  const std::string file = write_onnx(sketch.model());
  const auto model = read_onnx(std::as_bytes(std::span{file}));
  ASSERT_TRUE(model) << model.error().text();
  const auto analysis = analyse(*model, with_values());
  ASSERT_TRUE(analysis) << analysis.error().text();
  EXPECT_THAT(analysis->gaps, IsEmpty());
  EXPECT_EQ(analysis->features.parameters, 754'974'720.0);  // 3.02 GB in float32.
  EXPECT_EQ(shape_in(*analysis, "y"), (std::vector<std::int64_t>{2, 61440}));
}

// A Reshape to [1, -1] made at batch 1 keeps every later batch at one row of a wider matrix:
// pytorch/pytorch #99516, #99701, #110693, #120075; onnx/onnx #2618, #5171; microsoft/onnxruntime
// #2779.
TEST(ForeignReports, AReshapeThatFreezesBatchOneDoesNotSwallowTheBatch) {
  ModelSketch sketch;
  sketch.input("x", {1, 3, 4, 4}).integers("flat", {1, -1}).weight("w", {48, 10});
  sketch.node("Reshape", {"x", "flat"}, {"f"}).node("MatMul", {"f", "w"}, {"y"}).output("y");
  const Analysis analysis = analysis_of(sketch, at_batch(8));
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_EQ(shape_in(analysis, "y"), (std::vector<std::int64_t>{8, 10}));
  EXPECT_EQ(work_in(analysis, "y").macs, 8 * 48 * 10);
  EXPECT_THAT(analysis.warnings, Contains(HasSubstr("freeze batch 1")));
}

// Profilers that need numbers die on [N, 3, 224, 224]: ThanatosShinji/onnx-tool #3, #22, #40, #44,
// #45.
TEST(ForeignReports, ANamedBatchIsOneUntilItIsSet) {
  ModelSketch sketch;
  sketch.open_input("x", {dim("N"), dim(3), dim(224), dim(224)}).weight("w", {64, 3, 7, 7});
  sketch.node("Conv", {"x", "w"}, {"y"},
              {{"strides", std::vector<std::int64_t>{2, 2}},
               {"pads", std::vector<std::int64_t>{3, 3, 3, 3}}});
  sketch.output("y");
  // The first layer of ResNet: 112 x 112 outputs of 64 channels, 147 products each.
  EXPECT_EQ(totals_of(analysis_of(sketch).features).macs, 118'013'952.0);
  EXPECT_EQ(totals_of(analysis_of(sketch, at_batch(4)).features).macs, 4 * 118'013'952.0);
}

// Some exporters write -1 for an axis that they leave open.
TEST(ForeignReports, AnAxisOfMinusOneIsOpenAsIfItHadNoSize) {
  ModelSketch sketch;
  sketch.open_input("x", {dim(-1), dim(4)}).weight("w", {4, 2}).node("MatMul", {"x", "w"}, {"y"});
  sketch.output("y");
  const std::string file = write_onnx(sketch.model());
  const auto model = read_onnx(std::as_bytes(std::span{file}));
  ASSERT_TRUE(model) << model.error().text();
  const auto analysis = analyse(*model, at_batch(6));
  ASSERT_TRUE(analysis) << analysis.error().text();
  EXPECT_EQ(totals_of(analysis->features).macs, 6 * 4 * 2);
}

// One operator that a profiler does not know ends its whole run: ThanatosShinji/onnx-tool #5, #27,
// #89, #91, #110.
TEST(ForeignReports, AnUnknownOperatorCostsOneGapAndNotTheRest) {
  ModelSketch sketch;
  sketch.input("x", {2, 4}).weight("w", {4, 4}).node("MatMul", {"x", "w"}, {"h"});
  sketch.node("GridOfDreams", {"h"}, {"g"});
  sketch.weight("v", {4, 8}).node("MatMul", {"h", "v"}, {"y"}).output("y").output("g");
  const Analysis analysis = analysis_of(sketch);
  ASSERT_EQ(analysis.gaps.size(), 1U);
  EXPECT_EQ(analysis.gaps[0].node, "g");
  EXPECT_THAT(analysis.gaps[0].reason, HasSubstr("operator 'GridOfDreams' is not known"));
  EXPECT_EQ(totals_of(analysis.features).macs, 2 * 4 * 4 + 2 * 4 * 8);
}

// Files of operator set 3 and earlier, whose operators carry attributes of their own:
// microsoft/onnxruntime #4200, #5905, #6793.
TEST(ForeignReports, OperatorsOfTheFirstVersionsAreRead) {
  ModelSketch sketch{3};
  sketch.input("x", {2, 4});
  sketch.node("Relu", {"x"}, {"r"}, {{"consumed_inputs", std::vector<std::int64_t>{0}}});
  sketch.node("Dropout", {"r"}, {"d"}, {{"is_test", std::int64_t{1}}, {"ratio", 0.5}});
  sketch.node("Reshape", {"d"}, {"y"}, {{"shape", std::vector<std::int64_t>{4, 2}}}).output("y");
  const Analysis analysis = analysis_of(sketch, with_values());
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_EQ(shape_in(analysis, "y"), (std::vector<std::int64_t>{4, 2}));
}

// Files newer than the tool: microsoft/onnxruntime #9418, #11898; onnx/onnx #6134.
TEST(ForeignReports, AVersionFromTheFutureIsReadAsTheNewestKnownWithAWarning) {
  ModelSketch sketch{99};
  sketch.input("x", {2, 4}).node("Relu", {"x"}, {"y"}).output("y");
  const Analysis analysis = analysis_of(sketch);
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_THAT(analysis.warnings, Contains(HasSubstr("version 99")));
}

// Operators of a vendor's domain: daquexian/onnx-simplifier #289.
TEST(ForeignReports, AForeignDomainIsAGapThatNamesIt) {
  ModelSketch sketch;
  sketch.input("x", {2, 4}).node("Plugin", {"x"}, {"y"}).output("y");
  sketch.model().graph.nodes[0].domain = "com.vendor";
  const Analysis analysis = analysis_of(sketch);
  ASSERT_EQ(analysis.gaps.size(), 1U);
  EXPECT_THAT(analysis.gaps[0].reason, HasSubstr("domain 'com.vendor'"));
}

}  // namespace
}  // namespace horus::graph
