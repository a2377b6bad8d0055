// SPDX-License-Identifier: Apache-2.0
// Weights that are graph inputs, as graph-only exporters write them.

#include "horus/graph/input_role.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/graph/model_sketch.hpp"

namespace horus::graph {
namespace {

using testing::ElementsAre;
using enum InputRole;

std::vector<InputRole> roles(ModelSketch& sketch) {
  const auto index = index_graph(sketch.model().graph);
  EXPECT_TRUE(index) << (index ? "" : index.error().text());
  return index ? classify_inputs(sketch.model(), *index) : std::vector<InputRole>{};
}

/// A block of ConvNeXt without its parameters: PyTorch's constant folding has transposed the matrix
/// of the linear layer and renamed it, and the scale of the layer is a factor of a product.
ModelSketch scaled_block() {
  ModelSketch sketch;
  sketch.input("input", {1, 4, 8, 8}).input("block.0.weight", {4, 1, 7, 7});
  sketch.input("block.0.bias", {4}).input("scale", {4, 1, 1});
  sketch.input("onnx::MatMul_795", {8, 8});
  sketch.node("Conv", {"input", "block.0.weight", "block.0.bias"}, {"c"},
              {{"pads", std::vector<std::int64_t>{3, 3, 3, 3}}, {"group", std::int64_t{4}}});
  sketch.node("MatMul", {"c", "onnx::MatMul_795"}, {"m"}).node("Mul", {"scale", "m"}, {"s"});
  sketch.node("Add", {"s", "input"}, {"y"}).output("y");
  return sketch;
}

TEST(InputRole, WhatFollowsNamedWeightsIsAWeightToo) {
  ModelSketch sketch = scaled_block();
  EXPECT_THAT(roles(sketch), ElementsAre(Data, Parameter, Parameter, Parameter, Parameter));
}

TEST(InputRole, TokensAndOpenAxesBehindWeightsAreData) {
  ModelSketch sketch = scaled_block();
  sketch.input("tokens", {1, 16}, ElementType::Int64).open_input("mask", {dim("batch"), dim(8)});
  EXPECT_THAT(roles(sketch),
              ElementsAre(Data, Parameter, Parameter, Parameter, Parameter, Data, Data));
}

TEST(InputRole, MetadataIsTheWholeTruthWhereItIsThere) {
  ModelSketch sketch = scaled_block();
  sketch.metadata(kParametersKey, "block.0.weight,block.0.bias");
  sketch.node("Add", {"scale", "scale"}, {"twice"}).output("twice");
  EXPECT_EQ(roles(sketch)[3], Data) << "a factor that the metadata does not list";
}

TEST(InputRole, DataThatStandsBehindAllWeightsStaysData) {
  ModelSketch sketch;
  sketch.input("fc.weight", {3, 8}).input("x", {2, 8});
  sketch.node("Gemm", {"x", "fc.weight"}, {"y"}, {{"transB", std::int64_t{1}}}).output("y");
  EXPECT_THAT(roles(sketch), ElementsAre(Parameter, Data));
}

/// y = x w + c, with the matrix in the file or fed like all else.
ModelSketch gemm(const std::string& matrix) {
  ModelSketch sketch;
  sketch.input("x", {2, 4}).input("c", {5});
  if (matrix == "fed") sketch.input("fed", {4, 5});
  if (matrix == "own") sketch.weight("own", {4, 5});
  return std::move(sketch.node("Gemm", {"x", matrix, "c"}, {"y"}).output("y"));
}

TEST(InputRole, WhatIsFedToANetworkWithWeightsOfItsOwnIsData) {
  ModelSketch own = gemm("own");
  EXPECT_THAT(roles(own), ElementsAre(Data, Data));
  ModelSketch fed = gemm("fed");
  EXPECT_THAT(roles(fed), ElementsAre(Data, Parameter, Parameter));
}

TEST(InputRole, OneNamedWeightMakesUsesCountBesideWeightsOfTheFile) {
  // Exporters fold constants: a matrix that two layers share may be in the file all the same.
  ModelSketch sketch = gemm("own");
  sketch.input("fc.weight", {5, 5}).node("Gemm", {"y", "fc.weight"}, {"z"}).output("z");
  EXPECT_THAT(roles(sketch), ElementsAre(Data, Parameter, Parameter));
}

TEST(InputRole, ConstantsThatAreNoWeightsLeaveUsesToBeJudged) {
  ModelSketch sketch = gemm("fed");
  sketch.weight("one", {}).weight("mask", {5}).node("Mul", {"y", "mask"}, {"z"}).output("z");
  EXPECT_THAT(roles(sketch), ElementsAre(Data, Parameter, Parameter));
}

}  // namespace
}  // namespace horus::graph
