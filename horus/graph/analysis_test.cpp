// SPDX-License-Identifier: Apache-2.0
// Whole models: published totals, the batch, parameters against inputs, gaps and errors.

#include "horus/graph/analysis.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/graph/model_sketch.hpp"
#include "horus/graph/onnx.hpp"

namespace horus::graph {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Ints = std::vector<std::int64_t>;

Analysis analysed(const Model& model, AnalysisOptions options = {}) {
  auto analysis = analyse(model, options);
  EXPECT_TRUE(analysis) << (analysis ? "" : analysis.error().text());
  return analysis ? *std::move(analysis) : Analysis{};
}

Error refused(const Model& model, AnalysisOptions options = {}) {
  const auto analysis = analyse(model, options);
  EXPECT_FALSE(analysis);
  return analysis ? Error{} : analysis.error();
}

double macs(const Model& model, std::int64_t batch) {
  const Analysis analysis = analysed(model, {.batch = batch, .dims = {}});
  for (const CostGap& gap : analysis.gaps) ADD_FAILURE() << gap.node << ": " << gap.reason;
  return totals_of(analysis.features).macs;
}

struct Light {
  const char* name;
  double gmacs;  ///< Published, 0 where no figure is.
  double tolerance;
};

// ResNet-50 4.09, DenseNet-121 2.83, VGG-19 19.63: multiply-accumulates of torchvision's weights
// metadata and of the tables in MrYxJ/calculate-flops.pytorch.
constexpr std::array kLight{
    Light{"bvlc_alexnet", 0, 0}, Light{"densenet121", 2.834, 0.0005}, Light{"inception_v1", 0, 0},
    Light{"inception_v2", 0, 0}, Light{"resnet50", 4.089, 0.0005},    Light{"shufflenet", 0, 0},
    Light{"squeezenet", 0, 0},   Light{"vgg19", 19.632, 0.0005},      Light{"zfnet512", 0, 0}};

std::optional<Model> light(const std::string& name) {
  const auto path =
      std::filesystem::path{HORUS_SHARED_DATA} / "onnx_light" / ("light_" + name + ".onnx");
  std::ifstream file{path, std::ios::binary};
  if (!file) return std::nullopt;
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  auto model = read_onnx(std::as_bytes(std::span{bytes}));
  EXPECT_TRUE(model) << name;
  return model ? std::optional{*std::move(model)} : std::nullopt;
}

TEST(LightGraphs, HaveTheirPublishedCostAtAnyBatch) {
  for (const Light& one : kLight) {
    const auto model = light(one.name);
    if (!model) GTEST_SKIP() << "the light graphs are not in " << HORUS_SHARED_DATA;
    const double single = macs(*model, 1);
    EXPECT_EQ(macs(*model, 8), 8 * single) << one.name;
    if (one.gmacs > 0) {
      EXPECT_NEAR(single / 1e9, one.gmacs, one.tolerance) << one.name;
    }
  }
}

TEST(LightGraphs, ResNet50HasItsPublishedParameters) {
  const auto model = light("resnet50");
  if (!model) GTEST_SKIP() << "the light graphs are not in " << HORUS_SHARED_DATA;
  const Analysis analysis = analysed(*model, {.batch = 8, .dims = {}});
  EXPECT_EQ(analysis.features.parameters, 25'557'032);
  EXPECT_EQ(analysis.features.parameter_tensors, 161);  // 53 conv, 2 x 53 batch norm, 2 linear.
  EXPECT_EQ(analysis.features.buffers, 53'120);
  ASSERT_EQ(analysis.inputs.size(), 1U);
  EXPECT_EQ(analysis.inputs[0].shape, (Ints{8, 3, 224, 224}));
  EXPECT_EQ(analysis.features.output_elements, 8000);
}

TEST(LightGraphs, SqueezeNetAndAlexNetHaveTheParametersOfTheModelZoo) {
  const auto squeezenet = light("squeezenet");
  const auto alexnet = light("bvlc_alexnet");
  if (!squeezenet || !alexnet) GTEST_SKIP() << "no light graphs in " << HORUS_SHARED_DATA;
  // README of ThanatosShinji/onnx-tool: 60.96 M for AlexNet; SqueezeNet 1.1 of torchvision has
  // 1,235,496.
  EXPECT_EQ(analysed(*squeezenet).features.parameters, 1'235'496);
  EXPECT_NEAR(analysed(*alexnet).features.parameters / 1e6, 60.96, 0.01);
}

// --- The batch -----------------------------------------------------------------------------------

/// A convolution, `target` as a frozen Reshape, and a linear layer behind it.
ModelSketch classifier(std::int64_t batch, const Ints& target) {
  ModelSketch sketch;
  sketch.input("image", {batch, 3, 8, 8}).weight("k", {4, 3, 3, 3}).integers("target", target);
  sketch.weight("w", {256, 10}).weight("b", {10});
  sketch.node("Conv", {"image", "k"}, {"c"}, {{"pads", Ints{1, 1, 1, 1}}});
  sketch.node("Reshape", {"c", "target"}, {"flat"}).node("Gemm", {"flat", "w", "b"}, {"y"});
  sketch.output("y");
  return sketch;
}

// Per sample: 4 x 8 x 8 outputs x 27 inputs each, and 256 x 10.
constexpr double kClassifierMacs = 4 * 64 * 27 + 2560;

TEST(FrozenBatch, ReshapeToOneRowIsScaled) {
  ModelSketch sketch = classifier(1, {1, -1});
  EXPECT_EQ(macs(sketch.model(), 1), kClassifierMacs);
  EXPECT_EQ(macs(sketch.model(), 4), 4 * kClassifierMacs);
  EXPECT_THAT(analysed(sketch.model(), {.batch = 4, .dims = {}}).warnings,
              ElementsAre(HasSubstr("freeze batch 1")));
}

TEST(FrozenBatch, ReshapeToFourRowsIsScaledUpAndDown) {
  ModelSketch sketch = classifier(4, {4, -1});
  EXPECT_EQ(macs(sketch.model(), 4), 4 * kClassifierMacs);
  EXPECT_EQ(macs(sketch.model(), 16), 16 * kClassifierMacs);
  EXPECT_EQ(macs(sketch.model(), 1), kClassifierMacs);
}

TEST(FrozenBatch, AFullyFrozenShapeIsScaled) {
  EXPECT_EQ(macs(classifier(4, {4, 256}).model(), 6), 6 * kClassifierMacs);
}

TEST(FrozenBatch, AnOpenRowNeedsNoWarning) {
  ModelSketch sketch = classifier(4, {-1, 256});
  EXPECT_EQ(macs(sketch.model(), 6), 6 * kClassifierMacs);
  EXPECT_THAT(analysed(sketch.model(), {.batch = 6, .dims = {}}).warnings, IsEmpty());
}

TEST(FrozenBatch, ImagesAreScaledOnTheirFirstAxis) {
  for (const std::int64_t batch : {std::int64_t{1}, std::int64_t{4}}) {
    ModelSketch sketch;
    sketch.input("x", {batch, 48}).integers("target", {batch, 3, 4, 4}).weight("k", {2, 3, 3, 3});
    sketch.node("Reshape", {"x", "target"}, {"image"}).node("Conv", {"image", "k"}, {"y"});
    sketch.output("y");
    EXPECT_EQ(macs(sketch.model(), 5), 5 * 2 * 2 * 2 * 27) << batch;
  }
}

/// Self-attention with the batch and 12 heads folded into one axis, as older exporters write it.
ModelSketch folded_heads(std::int64_t batch) {
  ModelSketch sketch;
  sketch.input("x", {batch, 16, 96}).weight("w", {96, 96});
  sketch.integers("split", {batch, 16, 12, 8}).integers("fold", {batch * 12, 16, 8});
  sketch.integers("unfold", {batch, 12, 16, 8}).integers("merge", {batch, 16, 96});
  sketch.node("MatMul", {"x", "w"}, {"q"}).node("Reshape", {"q", "split"}, {"heads"});
  sketch.node("Transpose", {"heads"}, {"t"}, {{"perm", Ints{0, 2, 1, 3}}});
  sketch.node("Reshape", {"t", "fold"}, {"f"});
  sketch.node("Transpose", {"f"}, {"ft"}, {{"perm", Ints{0, 2, 1}}});
  sketch.node("MatMul", {"f", "ft"}, {"s"}).node("Softmax", {"s"}, {"p"});
  sketch.node("MatMul", {"p", "f"}, {"c"}).node("Reshape", {"c", "unfold"}, {"u"});
  sketch.node("Transpose", {"u"}, {"ut"}, {{"perm", Ints{0, 2, 1, 3}}});
  sketch.node("Reshape", {"ut", "merge"}, {"y"}).output("y");
  return sketch;
}

TEST(FrozenBatch, HeadsFoldedIntoTheBatchAreScaled) {
  constexpr double kPerSample = 16 * 96 * 96 + 2 * 12 * 16 * 16 * 8;
  for (const std::int64_t batch : {std::int64_t{1}, std::int64_t{4}}) {
    ModelSketch sketch = folded_heads(batch);
    EXPECT_EQ(macs(sketch.model(), batch), static_cast<double>(batch) * kPerSample);
    EXPECT_EQ(macs(sketch.model(), 6), 6 * kPerSample) << batch;
    EXPECT_EQ(analysed(sketch.model(), {.batch = 6, .dims = {}}).features.output_elements,
              6 * 16 * 96);
  }
}

/// A class token expanded to a frozen batch and joined with the tokens of the image.
ModelSketch class_token(std::int64_t batch) {
  ModelSketch sketch;
  sketch.input("tokens", {batch, 4, 8}).weight("token", {1, 1, 8}).weight("w", {8, 8});
  sketch.integers("target", {batch, 1, 8});
  sketch.node("Expand", {"token", "target"}, {"first"});
  sketch.node("Concat", {"first", "tokens"}, {"all"}, {{"axis", std::int64_t{1}}});
  sketch.node("MatMul", {"all", "w"}, {"y"}).output("y");
  return sketch;
}

TEST(FrozenBatch, AnExpandedClassTokenFollowsTheBatch) {
  for (const std::int64_t batch : {std::int64_t{1}, std::int64_t{4}}) {
    ModelSketch sketch = class_token(batch);
    EXPECT_EQ(macs(sketch.model(), 3), 3 * 5 * 8 * 8) << batch;
    const Analysis analysis = analysed(sketch.model(), {.batch = 3, .dims = {}});
    EXPECT_EQ(analysis.features.ops[0].elements_written, 3 * 8) << "Expand at file batch " << batch;
    EXPECT_EQ(analysis.features.parameters, 8 + 64);
  }
}

TEST(FrozenBatch, AClassTokenWithoutExpandFollowsTheBatchAndStaysOneParameter) {
  ModelSketch sketch;
  sketch.input("tokens", {1, 4, 8}).weight("token", {1, 1, 8}).weight("w", {8, 8});
  sketch.node("MatMul", {"tokens", "w"}, {"t"});
  sketch.node("Concat", {"token", "t"}, {"y"}, {{"axis", std::int64_t{1}}}).output("y");
  const Analysis analysis = analysed(sketch.model(), {.batch = 3, .dims = {}});
  EXPECT_THAT(analysis.gaps, IsEmpty());
  EXPECT_EQ(analysis.features.output_elements, 3 * 5 * 8);
  EXPECT_EQ(analysis.features.parameters, 8 + 64);
}

TEST(FrozenBatch, AConstantInitialStateFollowsTheBatch) {
  ModelSketch sketch;
  // Time first: the batch has a name on axis 1.
  sketch.open_input("x", {dim(5), dim("batch"), dim(4)});
  sketch.weight("w", {1, 12, 4}).weight("r", {1, 12, 3}).integers("shape", {1, 1, 3});
  sketch.node("ConstantOfShape", {"shape"}, {"h0"});
  sketch.node("LSTM", {"x", "w", "r", "", "", "h0", "h0"}, {"y"},
              {{"hidden_size", std::int64_t{3}}});
  sketch.output("y");
  EXPECT_EQ(macs(sketch.model(), 1), 5 * 12 * (4 + 3));
  EXPECT_EQ(macs(sketch.model(), 7), 7 * 5 * 12 * (4 + 3));
}

TEST(FrozenBatch, ASliceOfTheWholeOldBatchFollowsTheNewOne) {
  ModelSketch sketch;
  sketch.input("x", {4, 6}).integers("starts", {0, 1}).integers("ends", {4, 3});
  sketch.integers("axes", {0, 1}).node("Slice", {"x", "starts", "ends", "axes"}, {"s"});
  sketch.weight("w", {2, 5}).node("MatMul", {"s", "w"}, {"y"}).output("y");
  AnalysisOptions options;
  options.batch = 10;
  const auto analysis = analyse(sketch.model(), options);
  ASSERT_TRUE(analysis);
  EXPECT_EQ(totals_of(analysis->features).macs, 10 * 2 * 5);
  EXPECT_FALSE(analysis->warnings.empty());
}

TEST(FrozenBatch, ASliceOfAPartOfTheBatchIsMeantSo) {
  ModelSketch sketch;
  sketch.input("x", {4, 6}).integers("starts", {0}).integers("ends", {2});
  sketch.node("Slice", {"x", "starts", "ends"}, {"s"}).weight("w", {6, 5});
  sketch.node("MatMul", {"s", "w"}, {"y"}).output("y");
  AnalysisOptions options;
  options.batch = 10;
  const auto analysis = analyse(sketch.model(), options);
  ASSERT_TRUE(analysis);
  EXPECT_EQ(totals_of(analysis->features).macs, 2 * 6 * 5);
}

TEST(FrozenBatch, AMaskOfTheOldBatchDoesNotBroadcastInSilence) {
  ModelSketch sketch;
  sketch.input("x", {4, 6}).integers("shape", {4, 6}).weight("w", {6, 6});
  sketch.node("ConstantOfShape", {"shape"}, {"mask"}).node("MatMul", {"x", "w"}, {"h"});
  sketch.node("Add", {"h", "mask"}, {"y"}).output("y");
  EXPECT_EQ(analysed(sketch.model(), {.batch = 1, .dims = {}}).features.output_elements, 6);
  EXPECT_EQ(analysed(sketch.model(), {.batch = 8, .dims = {}}).features.output_elements, 48);
}

TEST(FrozenBatch, WhatCannotBeScaledIsAGapWithItsReason) {
  ModelSketch sketch;
  sketch.input("x", {4, 6}).weight("w", {6, 6}).integers("target", {3, 8});
  sketch.node("MatMul", {"x", "w"}, {"h"}).node("Reshape", {"h", "target"}, {"y"}).output("y");
  EXPECT_THAT(analysed(sketch.model()).gaps, IsEmpty());
  const Analysis analysis = analysed(sketch.model(), {.batch = 5, .dims = {}});
  ASSERT_EQ(analysis.gaps.size(), 1U);
  EXPECT_THAT(analysis.gaps[0].reason, HasSubstr("freeze batch 4"));
  EXPECT_EQ(analysis.features.ops_without_cost, 1);
}

TEST(Batch, ASymbolIsTakenAsOneWithAWarning) {
  ModelSketch sketch;
  sketch.open_input("x", {dim("N"), dim(6)}).weight("w", {6, 5});
  sketch.node("MatMul", {"x", "w"}, {"y"}).output("y");
  const Analysis analysis = analysed(sketch.model());
  EXPECT_EQ(analysis.features.batch, 1);
  EXPECT_THAT(analysis.warnings, ElementsAre(HasSubstr("--batch")));
  EXPECT_EQ(macs(sketch.model(), 7), 7 * 30);
  EXPECT_EQ(analysed(sketch.model(), {.batch = {}, .dims = {{"N", 3}}}).features.batch, 3);
}

TEST(Batch, ANamedSequenceNeedsItsSize) {
  ModelSketch sketch;
  sketch.open_input("x", {dim("batch"), dim("sequence"), dim(6)}).weight("w", {6, 5});
  sketch.node("MatMul", {"x", "w"}, {"h"}).node("Relu", {"h"}, {"y"}).output("y");
  const Analysis unknown = analysed(sketch.model(), {.batch = 2, .dims = {}});
  ASSERT_EQ(unknown.gaps.size(), 2U) << "what follows an unknown shape is unknown as well";
  EXPECT_THAT(unknown.gaps[0].reason, HasSubstr("--dim sequence=VALUE"));
  EXPECT_THAT(unknown.gaps[1].reason, HasSubstr("--dim sequence=VALUE"));
  EXPECT_EQ(unknown.inputs[0].shape, (Ints{2, -1, 6}));
  const Analysis known = analysed(sketch.model(), {.batch = 2, .dims = {{"sequence", 9}}});
  EXPECT_EQ(totals_of(known.features).macs, 2 * 9 * 30);
}

TEST(Batch, OptionsThatContradictTheModelAreRefused) {
  ModelSketch sketch;
  sketch.open_input("x", {dim("batch"), dim("sequence")}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_EQ(refused(sketch.model(), {.batch = 0, .dims = {}}).code, Errc::InvalidArgument);
  EXPECT_EQ(refused(sketch.model(), {.batch = {}, .dims = {{"sequence", -1}}}).code,
            Errc::InvalidArgument);
  EXPECT_THAT(refused(sketch.model(), {.batch = {}, .dims = {{"sequenze", 4}}}).message,
              HasSubstr("Did you mean 'sequence'?"));
  EXPECT_EQ(refused(sketch.model(), {.batch = 2, .dims = {{"batch", 3}}}).code,
            Errc::InvalidArgument);
  ModelSketch scalar;
  scalar.input("x", {}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_EQ(refused(scalar.model(), {.batch = 2, .dims = {}}).code, Errc::InvalidArgument);
}

// --- Exports in evaluation mode ------------------------------------------------------------------

/// Eight residual convolutions, with or without normalization behind them.
enum class Norm { Present, Folded };
ModelSketch residual(Norm norm) {
  const bool is_normalized = norm == Norm::Present;
  ModelSketch sketch;
  sketch.input("h0", {1, 4, 8, 8});
  for (const char* name : {"s", "o", "m", "v"}) sketch.weight(name, {4});
  for (int i = 0; i < 8; ++i) {
    const std::string n = std::to_string(i);
    sketch.weight("k" + n, {4, 4, 1, 1}).weight("b" + n, {4});
    sketch.node("Conv", {"h" + n, "k" + n, "b" + n}, {"c" + n});
    if (is_normalized) sketch.node("BatchNormalization", {"c" + n, "s", "o", "m", "v"}, {"n" + n});
    sketch.node("Add", {(is_normalized ? "n" : "c") + n, "h" + n}, {"h" + std::to_string(i + 1)});
  }
  sketch.output("h8");
  return sketch;
}

TEST(ExportCheck, WarnsOfFoldedNormalizationOnly) {
  EXPECT_THAT(analysed(residual(Norm::Folded).model()).warnings,
              ElementsAre(HasSubstr("folded in")));
  EXPECT_THAT(analysed(residual(Norm::Present).model()).warnings,
              Not(Contains(HasSubstr("folded in"))));
}

// --- Gaps and errors -----------------------------------------------------------------------------

TEST(Gaps, AnUnknownOperatorStopsOnlyWhatDependsOnIt) {
  ModelSketch sketch;
  sketch.input("x", {2, 6}).weight("w", {6, 5});
  sketch.node("Mystery", {"x"}, {"m"}).node("Relu", {"m"}, {"n"});
  sketch.node("MatMul", {"x", "w"}, {"y"}).output("y").output("n");
  const Analysis analysis = analysed(sketch.model());
  ASSERT_EQ(analysis.gaps.size(), 2U);
  EXPECT_THAT(analysis.gaps[0].reason, HasSubstr("'Mystery' is not known"));
  EXPECT_THAT(analysis.gaps[1].reason, HasSubstr("'Mystery' is not known"));
  EXPECT_EQ(totals_of(analysis.features).macs, 60);
  EXPECT_EQ(analysis.nodes, 3);
}

TEST(Gaps, AForeignDomainIsNamed) {
  ModelSketch sketch;
  sketch.input("x", {2, 6}).node("Relu", {"x"}, {"y"}).output("y");
  sketch.model().graph.nodes[0].domain = "com.example";
  const Analysis analysis = analysed(sketch.model());
  ASSERT_EQ(analysis.gaps.size(), 1U);
  EXPECT_THAT(analysis.gaps[0].reason, HasSubstr("com.example"));
}

TEST(Gaps, ADeclaredShapeBehindAnUnknownOperatorIsUsed) {
  ModelSketch sketch;
  sketch.input("x", {2, 6}).weight("w", {6, 5}).node("Mystery", {"x"}, {"m"});
  sketch.node("MatMul", {"m", "w"}, {"y"}).output("y");
  sketch.model().graph.value_infos.push_back(
      {.name = "m", .type = ElementType::Float32, .shape = {{dim(2), dim(6)}}});
  EXPECT_EQ(analysed(sketch.model()).gaps.size(), 1U);
  EXPECT_EQ(totals_of(analysed(sketch.model()).features).macs, 60);
  EXPECT_EQ(analysed(sketch.model(), {.batch = 4, .dims = {}}).gaps.size(), 2U)
      << "the file declares the shape for its own batch only";
}

TEST(Gaps, AMissingRequiredInputIsAGap) {
  ModelSketch sketch;
  sketch.input("x", {2, 6}).node("MatMul", {"x"}, {"y"}).output("y");
  ASSERT_EQ(analysed(sketch.model()).gaps.size(), 1U);
  EXPECT_THAT(analysed(sketch.model()).gaps[0].reason, HasSubstr("1 inputs, expected 2"));
}

TEST(Errors, ACycleNamesItsNodes) {
  ModelSketch sketch;
  sketch.input("x", {2}).node("Add", {"x", "c"}, {"a"}).node("Relu", {"a"}, {"b"});
  sketch.node("Relu", {"b"}, {"c"}).node("Relu", {"c"}, {"y"}).output("y");
  const Error error = refused(sketch.model());
  EXPECT_EQ(error.code, Errc::Corrupt);
  EXPECT_THAT(error.message, HasSubstr("cycle"));
  for (const char* name : {"'a'", "'b'", "'c'"}) EXPECT_THAT(error.message, HasSubstr(name));
  EXPECT_THAT(error.message, testing::Not(HasSubstr("'y'")));
}

TEST(Errors, AValueDefinedTwiceIsNamed) {
  ModelSketch sketch;
  sketch.input("x", {2}).node("Relu", {"x"}, {"y"}).node("Abs", {"x"}, {"y"}).output("y");
  EXPECT_THAT(refused(sketch.model()).text(), HasSubstr("'y' is defined twice"));
  ModelSketch shadow;
  shadow.input("x", {2}).node("Relu", {"x"}, {"x"}).output("x");
  EXPECT_EQ(refused(shadow.model()).code, Errc::Corrupt);
}

TEST(Errors, AMissingProducerIsNamed) {
  ModelSketch sketch;
  sketch.input("x", {2}).node("Add", {"x", "ghost"}, {"y"}).output("y");
  EXPECT_THAT(refused(sketch.model()).text(), HasSubstr("'ghost'"));
  ModelSketch output;
  output.input("x", {2}).node("Relu", {"x"}, {"y"}).output("ghost");
  EXPECT_EQ(refused(output.model()).code, Errc::Corrupt);
}

TEST(Order, NodesMayStandInAnyOrder) {
  ModelSketch sketch;
  sketch.input("x", {2, 6}).weight("w", {6, 5}).node("Relu", {"h"}, {"y"});
  sketch.node("MatMul", {"x", "w"}, {"h"}).output("y");
  const Analysis analysis = analysed(sketch.model());
  EXPECT_THAT(analysis.gaps, IsEmpty());
  ASSERT_EQ(analysis.features.ops.size(), 2U);
  EXPECT_EQ(analysis.features.ops[0].op_type, "MatMul");
}

}  // namespace
}  // namespace horus::graph
