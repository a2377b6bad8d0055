// SPDX-License-Identifier: Apache-2.0
// Which tensors train, which are state, and which graph inputs are data.

#include "horus/graph/training.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/graph/analysis.hpp"
#include "horus/graph/model_sketch.hpp"

namespace horus::graph {
namespace {

using testing::ElementsAre;
using Ints = std::vector<std::int64_t>;

Analysis analysed(ModelSketch& sketch) {
  const auto analysis = analyse(sketch.model());
  EXPECT_TRUE(analysis) << (analysis ? "" : analysis.error().text());
  return analysis ? *analysis : Analysis{};
}

std::vector<std::string> data_inputs(const Analysis& analysis) {
  std::vector<std::string> names;
  for (const DataInput& input : analysis.inputs) names.push_back(input.name);
  return names;
}

TEST(Parameters, SharedWeightsCountOnce) {
  ModelSketch sketch;
  sketch.input("ids", {1, 4}, ElementType::Int64).weight("table", {100, 8});
  sketch.node("Gather", {"table", "ids"}, {"e"}).node("Transpose", {"table"}, {"head"});
  sketch.node("MatMul", {"e", "head"}, {"y"}).output("y");
  const Analysis analysis = analysed(sketch);
  EXPECT_EQ(analysis.features.parameters, 800);
  EXPECT_EQ(analysis.features.parameter_tensors, 1);
  EXPECT_EQ(analysis.features.ops[1].kind, OpKind::Free) << "a transposed weight is a view";
  EXPECT_EQ(analysis.features.ops[2].kind, OpKind::Linear);
  EXPECT_EQ(analysis.features.ops[2].weight_elements, 800) << "it is read a second time";
}

TEST(Parameters, GraphInputsAtWeightSlotsArePartOfTheModel) {
  ModelSketch sketch;
  sketch.input("k", {4, 3, 3, 3}).input("x", {1, 3, 8, 8}).input("s", {4}).input("o", {4});
  sketch.input("m", {4}).input("v", {4});
  sketch.node("Conv", {"x", "k"}, {"c"})
      .node("BatchNormalization", {"c", "s", "o", "m", "v"}, {"y"});
  sketch.output("y");
  const Analysis analysis = analysed(sketch);
  EXPECT_THAT(data_inputs(analysis), ElementsAre("x"));
  EXPECT_EQ(analysis.features.parameters, 108 + 8);
  EXPECT_EQ(analysis.features.buffers, 8);
}

TEST(Parameters, MetadataDecides) {
  ModelSketch sketch;
  sketch.input("x", {2, 4}).input("y0", {4}).input("z", {4});
  sketch.node("Add", {"x", "y0"}, {"h"}).node("Mul", {"h", "z"}, {"y"}).output("y");
  EXPECT_THAT(data_inputs(analysed(sketch)), ElementsAre("x", "y0", "z"));
  sketch.metadata(kParametersKey, "y0").metadata(kBuffersKey, " z ");
  const Analysis analysis = analysed(sketch);
  EXPECT_THAT(data_inputs(analysis), ElementsAre("x"));
  EXPECT_EQ(analysis.features.parameters, 4);
  EXPECT_EQ(analysis.features.buffers, 4);
}

TEST(Parameters, NamesOfPyTorchAreUnderstood) {
  ModelSketch sketch;
  sketch.input("x", {2, 4}).input("norm.weight", {4}).input("norm.bias", {4});
  sketch.node("Mul", {"x", "norm.weight"}, {"h"}).node("Add", {"h", "norm.bias"}, {"y"});
  sketch.output("y");
  EXPECT_THAT(data_inputs(analysed(sketch)), ElementsAre("x"));
  EXPECT_EQ(analysed(sketch).features.parameters, 8);
}

TEST(Parameters, OfAnExportWithoutWeightsAreFoundByNameAndPath) {
  // torch.onnx.export(..., export_params=False) lists the state dictionary as inputs.
  ModelSketch sketch;
  sketch.input("input.1", {2, 3, 8, 8});
  sketch.input("stem.conv.weight", {4, 3, 3, 3}).input("stem.conv.bias", {4});
  sketch.input("stem.bn.weight", {4}).input("stem.bn.bias", {4});
  sketch.input("stem.bn.running_mean", {4}).input("stem.bn.running_var", {4});
  sketch.input("stem.bn.num_batches_tracked", {}, ElementType::Int64);
  sketch.input("blocks.0.gamma_1", {4, 1, 1}).input("cls_token", {1, 4, 1, 1});
  sketch.node("Conv", {"input.1", "stem.conv.weight", "stem.conv.bias"}, {"c"});
  sketch.node(
      "BatchNormalization",
      {"c", "stem.bn.weight", "stem.bn.bias", "stem.bn.running_mean", "stem.bn.running_var"},
      {"n"});
  sketch.node("Mul", {"n", "blocks.0.gamma_1"}, {"m"}).node("Add", {"m", "cls_token"}, {"y"});
  const Analysis analysis = analysed(sketch);
  EXPECT_THAT(data_inputs(analysis), ElementsAre("input.1"));
  EXPECT_EQ(analysis.features.parameters, 108 + 4 + 4 + 4 + 4 + 4);
  EXPECT_EQ(analysis.features.buffers, 4 + 4 + 1);
}

TEST(Parameters, OfRecurrentLayersAreFoundByName) {
  // PyTorch's exporter slices and joins gates before they reach the operator's weight slots.
  ModelSketch sketch;
  sketch.input("tokens", {5, 2, 3}).input("state", {1, 2, 4});
  sketch.input("rnn.weight_ih_l0", {4, 3}).input("rnn.weight_hh_l0", {4, 4});
  sketch.input("rnn.bias_ih_l0", {4});
  sketch.integers("axes", {0}).node("Unsqueeze", {"rnn.weight_ih_l0", "axes"}, {"w"});
  sketch.node("Unsqueeze", {"rnn.weight_hh_l0", "axes"}, {"r"});
  sketch.node("Concat", {"rnn.bias_ih_l0", "rnn.bias_ih_l0"}, {"b"}, {{"axis", std::int64_t{0}}});
  sketch.node("Unsqueeze", {"b", "axes"}, {"bias"});
  sketch.node("RNN", {"tokens", "w", "r", "bias", "", "state"}, {"y"},
              {{"hidden_size", std::int64_t{4}}});
  const Analysis analysis = analysed(sketch);
  EXPECT_THAT(data_inputs(analysis), ElementsAre("tokens", "state"));
  EXPECT_EQ(analysis.features.parameters, 12 + 16 + 4);
}

TEST(Parameters, PathsAreDataWhereNoNameSaysParameter) {
  ModelSketch sketch;
  sketch.input("decoder.state", {2, 4}).input("encoder.output", {2, 4});
  sketch.node("Mul", {"decoder.state", "encoder.output"}, {"y"});
  EXPECT_THAT(data_inputs(analysed(sketch)), ElementsAre("decoder.state", "encoder.output"));
}

TEST(Parameters, AModelOfWeightsOnlyKeepsOneDataInput) {
  ModelSketch sketch;
  sketch.input("a", {2, 4}).input("b", {4, 3}).node("Gemm", {"a", "b"}, {"y"}).output("y");
  EXPECT_THAT(data_inputs(analysed(sketch)), ElementsAre("a"));
}

TEST(Parameters, TwoActivationsOfAProductStayInputs) {
  ModelSketch sketch;
  sketch.input("adjacency", {4, 4}).input("x", {4, 3});
  sketch.node("MatMul", {"adjacency", "x"}, {"y"}).output("y");
  EXPECT_THAT(data_inputs(analysed(sketch)), ElementsAre("adjacency", "x"));
  EXPECT_EQ(analysed(sketch).features.parameters, 0);
}

TEST(Parameters, ArithmeticTrainsTensorsButNotScalarsAndNotPixelMeans) {
  ModelSketch sketch;
  sketch.input("x", {2, 4}).weight("mean", {4}).weight("w", {4, 4}).weight("scale", {4});
  sketch.scalar("half", 0.5);
  sketch.node("Sub", {"x", "mean"}, {"n"}).node("MatMul", {"n", "w"}, {"h"});
  sketch.node("Mul", {"h", "scale"}, {"s"}).node("Mul", {"s", "half"}, {"y"}).output("y");
  EXPECT_EQ(analysed(sketch).features.parameters, 16 + 4);
}

TEST(Parameters, IntegersDoNotTrainUnlessTheyAreQuantizedWeights) {
  ModelSketch sketch;
  sketch.input("x", {2, 4}).weight("q", {4, 3}, ElementType::Int8).scalar("s", 0.1);
  sketch.weight("offsets", {3}, ElementType::Int64);
  sketch.node("DequantizeLinear", {"q", "s"}, {"w"}).node("MatMul", {"x", "w"}, {"h"});
  sketch.node("Cast", {"offsets"}, {"o"}, {{"to", std::int64_t{1}}});
  sketch.node("Add", {"h", "o"}, {"y"}).output("y");
  EXPECT_EQ(analysed(sketch).features.parameters, 12);
}

TEST(Parameters, AFillingIsAWeightWhereAnOperatorHoldsItsWeights) {
  ModelSketch sketch;
  Tensor number{.name = "",
                .type = ElementType::Float32,
                .dims = {1},
                .external = false,
                .integers = std::nullopt,
                .floats = std::vector<double>{0.02}};
  sketch.input("x", {1, 3, 8, 8}).integers("shape", {4, 3, 3, 3});
  sketch.node("ConstantOfShape", {"shape"}, {"k"}, {{"value", number}});
  sketch.node("Conv", {"x", "k"}, {"y"}).output("y");
  const Analysis analysis = analysed(sketch);
  EXPECT_EQ(analysis.features.parameters, 108);
  EXPECT_EQ(analysis.features.ops[0].kind, OpKind::Free);
}

TEST(Parameters, InitializersThatAreAlsoListedAsInputsAreNoData) {
  ModelSketch sketch;
  sketch.input("w", {4, 3}).input("x", {2, 4}).weight("w", {4, 3});
  sketch.node("MatMul", {"x", "w"}, {"y"}).output("y");
  EXPECT_THAT(data_inputs(analysed(sketch)), ElementsAre("x"));
  EXPECT_EQ(analysed(sketch).features.parameters, 12);
}

TEST(Parameters, WhatNobodyUsesIsNotCounted) {
  ModelSketch sketch;
  sketch.input("x", {2, 4}).weight("w", {4, 3}).weight("left_over", {1000});
  sketch.node("MatMul", {"x", "w"}, {"y"}).output("y");
  EXPECT_EQ(analysed(sketch).features.parameters, 12);
}

TEST(Gradients, DoNotReachWhatLiesBeforeTheFirstWeight) {
  ModelSketch sketch;
  sketch.input("x", {2, 4}).weight("w", {4, 3}).node("Relu", {"x"}, {"r"});
  sketch.node("MatMul", {"r", "w"}, {"h"}).node("Relu", {"h"}, {"y"}).output("y");
  const Analysis analysis = analysed(sketch);
  EXPECT_EQ(analysis.features.ops[0].flops_backward, 0);
  EXPECT_FALSE(analysis.features.ops[1].needs_input_gradient);
  EXPECT_TRUE(analysis.features.ops[2].needs_input_gradient);
}

TEST(Gradients, StopAtIntegers) {
  ModelSketch sketch;
  sketch.input("x", {2, 4}).weight("w", {4, 3}).weight("table", {3, 5});
  sketch.node("MatMul", {"x", "w"}, {"h"})
      .node("ArgMax", {"h"}, {"i"}, {{"axis", std::int64_t{1}}});
  sketch.node("Gather", {"table", "i"}, {"y"}).output("y");
  EXPECT_EQ(analysed(sketch).features.ops[1].flops_backward, 0);
}

}  // namespace
}  // namespace horus::graph
