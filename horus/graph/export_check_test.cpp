// SPDX-License-Identifier: Apache-2.0
// Each trap of real exports once where it is, and once where it is not.

#include "horus/graph/export_check.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/graph/structure_sketch_test.hpp"

namespace horus::graph {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// `count` convolutions in a row, each with the weight and bias that the pattern names; '%' is the
/// number of the layer. No pattern for the bias: none.
ModelSketch convolutions(int count, const std::string& weight, const std::string& bias) {
  const auto numbered = [](std::string pattern, int i) {
    const std::size_t at = pattern.find('%');
    return at == std::string::npos ? pattern : pattern.replace(at, 1, std::to_string(i));
  };
  ModelSketch sketch;
  sketch.input("x0", {1, 4, 8, 8});
  for (int i = 0; i < count; ++i) {
    Strings inputs{"x" + std::to_string(i), numbered(weight, i)};
    sketch.weight(inputs[1], {4, 4, 1, 1});
    if (!bias.empty()) {
      inputs.push_back(numbered(bias, i));
      sketch.weight(inputs[2], {4});
    }
    sketch.node("Conv", inputs, {"x" + std::to_string(i + 1)});
  }
  return std::move(sketch.output("x" + std::to_string(count)));
}

TEST(FoldedNormalization, ShowsInTensorsThatTheExporterComputed) {
  // torch.onnx.export in evaluation mode: conv and batch norm become "onnx::Conv_123", without a
  // residual sum in sight (VGG with batch norm, U-Net).
  ModelSketch sketch = convolutions(2, "onnx::Conv_1%", "onnx::Conv_2%");
  EXPECT_THAT(analysis_of(sketch).warnings,
              Contains(AllOf(HasSubstr("2 of 2 convolutions"), HasSubstr("first 'x1'"),
                             HasSubstr("training=TRAINING"))));
  ModelSketch old = convolutions(2, "11%", "22%");
  EXPECT_THAT(analysis_of(old).warnings, Contains(HasSubstr("2 of 2 convolutions")));
}

TEST(FoldedNormalization, IsNotSeenInNetworksThatNeverHadAny) {
  // EDSR and its kin: residual sums, a bias everywhere, no normalization by design. The exporter
  // keeps the names of parameters that it does not touch.
  ModelSketch sketch = convolutions(10, "body.%.weight", "body.%.bias");
  sketch.node("Add", {"x10", "x1"}, {"sum"}).output("sum");
  EXPECT_THAT(analysis_of(sketch).warnings, IsEmpty());
}

TEST(FoldedNormalization, IsSuspectedWhereNamesSayNothing) {
  ModelSketch sketch = convolutions(10, "w%", "b%");
  sketch.node("Add", {"x10", "x1"}, {"sum"}).output("sum");
  EXPECT_THAT(analysis_of(sketch).warnings,
              Contains(HasSubstr("10 of 10 convolutions have a bias")));
  ModelSketch plain = convolutions(10, "w%", "b%");  // As VGG.
  EXPECT_THAT(analysis_of(plain).warnings, IsEmpty());
}

ModelSketch attention(bool has_dropout) {
  ModelSketch sketch;
  sketch.input("x", {2, 16, 8}).weight("q", {8, 8}).weight("k", {8, 8});
  sketch.node("MatMul", {"x", "q"}, {"query"}).node("MatMul", {"x", "k"}, {"key"});
  sketch.node("Transpose", {"key"}, {"turned"}, {{"perm", std::vector<std::int64_t>{0, 2, 1}}});
  sketch.node("MatMul", {"query", "turned"}, {"scores"}).node("Softmax", {"scores"}, {"weights"});
  if (has_dropout) sketch.node("Dropout", {"weights"}, {"dropped"});
  sketch.node("MatMul", {has_dropout ? "dropped" : "weights", "x"}, {"y"}).output("y");
  return sketch;
}

TEST(RemovedDropout, ShowsInAttentionWithoutIt) {
  ModelSketch without = attention(false);
  EXPECT_THAT(analysis_of(without).warnings,
              Contains(HasSubstr("no dropout in 1 attention blocks (first 'weights')")));
  ModelSketch with = attention(true);
  EXPECT_THAT(analysis_of(with).warnings, Not(Contains(HasSubstr("no dropout"))));
}

TEST(SpelledAttention, IsToldWithItsPlace) {
  ModelSketch sketch = attention(true);
  EXPECT_THAT(analysis_of(sketch).warnings,
              Contains(HasSubstr("1 attention blocks are spelled out as products and softmax")));
}

TEST(MixedPrecision, NamesTheTypesOfWeights) {
  ModelSketch sketch;
  sketch.input("x", {2, 4}).weight("w", {4, 4}).weight("v", {4, 4}, ElementType::Float16);
  sketch.node("MatMul", {"x", "w"}, {"a"});
  sketch.node("Cast", {"a"}, {"half"}, {{"to", std::int64_t{10}}});
  sketch.node("MatMul", {"half", "v"}, {"y"}).output("y");
  EXPECT_THAT(analysis_of(sketch).warnings, Contains(AllOf(HasSubstr("1 float32 (first 'w')"),
                                                           HasSubstr("1 float16 (first 'v')"))));
}

TEST(DoublePrecision, IsTold) {
  ModelSketch sketch;
  sketch.input("x", {2, 4}, ElementType::Float64).weight("w", {4, 4}, ElementType::Float64);
  sketch.node("MatMul", {"x", "w"}, {"y"}).output("y");
  EXPECT_THAT(analysis_of(sketch).warnings,
              Contains(HasSubstr("1 weights are float64 (first 'w')")));
}

TEST(SharedWeights, AreCountedOnceAndTold) {
  ModelSketch sketch;
  sketch.input("ids", {2, 3}, ElementType::Int64).weight("wte", {10, 4});
  sketch.node("Gather", {"wte", "ids"}, {"h"});
  sketch.node("Transpose", {"wte"}, {"head"}).node("MatMul", {"h", "head"}, {"y"}).output("y");
  const Analysis analysis = analysis_of(sketch);
  EXPECT_EQ(analysis.features.parameters, 40);
  EXPECT_THAT(analysis.warnings, Contains(HasSubstr("1 weights with 40 parameters are used by "
                                                    "several nodes (first 'wte', by 2)")));
}

TEST(Quantization, IsTold) {
  ModelSketch sketch;
  sketch.input("x", {2, 4}).scalar("scale", 0.5).weight("zero", {}, ElementType::Uint8);
  sketch.node("QuantizeLinear", {"x", "scale", "zero"}, {"q"});
  sketch.node("DequantizeLinear", {"q", "scale", "zero"}, {"y"}).output("y");
  EXPECT_THAT(analysis_of(sketch).warnings, Contains(HasSubstr("2 nodes quantize (first 'q')")));
}

TEST(UntrainedConstants, AreToldWhereTheyAreLarge) {
  // A mask added to raw data is preparation, not a layer.
  ModelSketch sketch;
  sketch.input("x", {64, 64}).weight("mask", {64, 64}).weight("small", {64});
  sketch.node("Add", {"x", "mask"}, {"a"}).node("Add", {"a", "small"}, {"y"}).output("y");
  EXPECT_THAT(analysis_of(sketch).warnings,
              Contains(HasSubstr("1 constants with 4096 elements are not counted as parameters "
                                 "(first 'mask')")));
}

TEST(ExportWarnings, SpareTheGraphsThatHorusWrites) {
  ModelSketch sketch = attention(false);
  sketch.model().producer = "horus zoo";
  EXPECT_THAT(analysis_of(sketch).warnings, IsEmpty());
}

}  // namespace
}  // namespace horus::graph
