// SPDX-License-Identifier: Apache-2.0
// Habits of exporters that must not be taken for something else: weights in constants, weights in
// pieces, masks that are drawn.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/graph/analysis.hpp"
#include "horus/graph/model_sketch.hpp"

namespace horus::graph {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Ints = std::vector<std::int64_t>;

Analysis analysed(ModelSketch& sketch) {
  auto analysis = analyse(sketch.model());
  EXPECT_TRUE(analysis) << (analysis ? "" : analysis.error().text());
  if (!analysis) return {};
  for (const CostGap& gap : analysis->gaps) ADD_FAILURE() << gap.node << ": " << gap.reason;
  return *std::move(analysis);
}

void constant(ModelSketch& sketch, const std::string& name, Ints dims) {
  const Tensor value{.name = name,
                     .type = ElementType::Float32,
                     .dims = std::move(dims),
                     .external = true,
                     .integers = std::nullopt,
                     .floats = std::nullopt};
  sketch.node("Constant", {}, {name}, {{"value", value}});
}

/// A convolution of 8 channels behind an activation that needs a gradient; its bias is `bias`.
void convolve(ModelSketch& sketch, std::vector<std::string> inputs) {
  inputs.insert(inputs.begin(), {"h", "second.weight"});
  sketch.input("x", {2, 4, 6, 6}).weight("first.weight", {4, 4, 1, 1});
  sketch.weight("second.weight", {8, 4, 3, 3});
  sketch.node("Conv", {"x", "first.weight"}, {"h"});
  sketch.node("Conv", inputs, {"y"}).output("y");
}

TEST(AbsentBias, WrittenAsZerosCostsNothing) {
  ModelSketch plain;
  convolve(plain, {});
  // As the exporter of torch.export writes it without its optimizer: zeros that take their type
  // from the input and their length from the weight.
  ModelSketch drawn;
  drawn.node("Shape", {"second.weight"}, {"length"},
             {{"start", std::int64_t{0}}, {"end", std::int64_t{1}}});
  drawn.node("Constant", {}, {"zero"}, {{"value_float", 0.0}});
  drawn.node("CastLike", {"zero", "h"}, {"typed"});
  drawn.node("Expand", {"typed", "length"}, {"zeros"});
  convolve(drawn, {"zeros"});
  const Analysis without = analysed(plain);
  const Analysis with = analysed(drawn);
  EXPECT_EQ(with.features.parameters, without.features.parameters);
  const Totals expected = totals_of(without.features);
  const Totals found = totals_of(with.features);
  EXPECT_EQ(found.kernels, expected.kernels);
  EXPECT_EQ(found.flops_training, expected.flops_training);
  EXPECT_EQ(found.activation_bytes, expected.activation_bytes);
}

TEST(WeightsInConstants, CountWhereTheFileHasNoOthers) {
  ModelSketch sketch;
  sketch.input("x", {2, 6});
  constant(sketch, "w", {6, 5});
  constant(sketch, "b", {5});
  constant(sketch, "three", {1});
  sketch.node("MatMul", {"x", "w"}, {"m"}).node("Add", {"m", "b"}, {"h"});
  sketch.node("Add", {"h", "three"}, {"y"}).output("y");
  EXPECT_EQ(analysed(sketch).features.parameters, 6 * 5 + 5);
}

TEST(WeightsInConstants, AreConstantsOfTheCodeBesideInitializers) {
  ModelSketch sketch;
  sketch.input("x", {2, 6}).weight("w", {6, 5});
  constant(sketch, "table", {5});
  sketch.node("MatMul", {"x", "w"}, {"m"}).node("Add", {"m", "table"}, {"y"}).output("y");
  EXPECT_EQ(analysed(sketch).features.parameters, 6 * 5);
}

TEST(WeightsInPieces, OfOneRecurrentLayerAreNotShared) {
  ModelSketch sketch;
  sketch.input("x", {5, 2, 4}).weight("w", {9, 4}).weight("r", {1, 9, 3});
  sketch.integers("zero", {0}).integers("three", {3}).integers("nine", {9});
  sketch.node("Slice", {"w", "three", "nine", "zero"}, {"tail"});
  sketch.node("Slice", {"w", "zero", "three", "zero"}, {"head"});
  sketch.node("Concat", {"tail", "head"}, {"turned"}, {{"axis", std::int64_t{0}}});
  sketch.node("Unsqueeze", {"turned", "zero"}, {"gates"});
  sketch.node("GRU", {"x", "gates", "r"}, {"y"}, {{"hidden_size", std::int64_t{3}}}).output("y");
  const Analysis analysis = analysed(sketch);
  EXPECT_EQ(analysis.features.parameters, 9 * 4 + 9 * 3);
  EXPECT_THAT(analysis.warnings, IsEmpty());
}

TEST(WeightsInPieces, AreSharedWithAWholeUse) {
  ModelSketch sketch;
  sketch.input("x", {2, 4}).weight("w", {4, 4}).integers("zero", {0}).integers("two", {2});
  sketch.node("Slice", {"w", "zero", "two", "zero"}, {"head"});
  sketch.node("MatMul", {"x", "w"}, {"m"}).node("Add", {"m", "head"}, {"y"}).output("y");
  EXPECT_THAT(analysed(sketch).warnings, ElementsAre(HasSubstr("used by several nodes")));
}

TEST(WeightsThatAreAsked, ForTheirShapeOrTypeAreNotShared) {
  ModelSketch sketch;
  sketch.input("x", {2, 4}).weight("w", {4, 4}).scalar("half", 0.5);
  sketch.node("CastLike", {"half", "w"}, {"factor"}).node("MatMul", {"x", "w"}, {"m"});
  sketch.node("Mul", {"m", "factor"}, {"y"}).output("y");
  sketch.node("Shape", {"w"}, {"sizes"}).output("sizes");
  EXPECT_THAT(analysed(sketch).warnings, IsEmpty());
}

TEST(DrawnMasks, AreNoParameters) {
  ModelSketch sketch;
  sketch.input("x", {2, 8}).weight("w", {8, 4}).integers("shape", {4}).integers("row", {4});
  sketch.weight("places", {2, 1}, ElementType::Int64).weight("patch", {2});
  const Tensor eight{.name = "eight",
                     .type = ElementType::Float32,
                     .dims = {1},
                     .external = false,
                     .integers = std::nullopt,
                     .floats = std::vector<double>{8.0}};
  sketch.node("ConstantOfShape", {"shape"}, {"zeros"});
  sketch.node("ScatterND", {"zeros", "places", "patch"}, {"drawn"});
  sketch.node("ConstantOfShape", {"shape"}, {"eights"}, {{"value", eight}});
  sketch.node("Expand", {"eights", "row"}, {"stretched"});
  sketch.node("Sub", {"drawn", "stretched"}, {"mask"});
  sketch.node("MatMul", {"x", "w"}, {"m"}).node("Add", {"m", "mask"}, {"y"}).output("y");
  EXPECT_EQ(analysed(sketch).features.parameters, 8 * 4);
}

TEST(FusedBias, NamedAfterItsWeightIsFoldedNormalization) {
  ModelSketch sketch;
  sketch.input("x", {1, 4, 8, 8}).weight("conv.weight", {4, 4, 1, 1});
  sketch.weight("conv.weight_bias", {4}).weight("fc.weight", {4, 4, 1, 1}).weight("fc.bias", {4});
  sketch.node("Conv", {"x", "conv.weight", "conv.weight_bias"}, {"h"});
  sketch.node("Conv", {"h", "fc.weight", "fc.bias"}, {"y"}).output("y");
  EXPECT_THAT(analysed(sketch).warnings, Contains(HasSubstr("1 of 2 convolutions have weights")));
}

}  // namespace
}  // namespace horus::graph
