// SPDX-License-Identifier: Apache-2.0
// Masks of attention are no parameters; what a network learns about scores is.

#include "horus/graph/attention_mask.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "horus/graph/analysis.hpp"
#include "horus/graph/model_sketch.hpp"

namespace horus::graph {
namespace {

using Sizes = std::vector<std::int64_t>;

/// Scores of 4 heads, 6 queries and 6 keys behind a layer of 8 x 8 parameters.
ModelSketch scores() {
  ModelSketch sketch;
  sketch.input("x", {2, 4, 6, 8}).weight("w", {8, 8}).node("MatMul", {"x", "w"}, {"q"});
  sketch.node("Transpose", {"q"}, {"k"}, {{"perm", Sizes{0, 1, 3, 2}}});
  sketch.node("MatMul", {"q", "k"}, {"s"});
  return sketch;
}

double parameters_of(ModelSketch& sketch) {
  const auto analysis = analyse(sketch.model());
  EXPECT_TRUE(analysis) << (analysis ? "" : analysis.error().text());
  return analysis ? analysis->features.parameters : -1;
}

double parameters_with(const std::string& name, const Sizes& sizes, const std::string& op = "Add") {
  ModelSketch sketch = scores();
  sketch.weight(name, sizes).node(op, {"s", name}, {"m"});
  sketch.scalar("scale", 0.5).node("Mul", {"m", "scale"}, {"t"});
  sketch.node("Softmax", {"t"}, {"y"}).output("y");
  return parameters_of(sketch);
}

TEST(AttentionMask, IsNoParameterWhereItCoversScores) {
  EXPECT_EQ(parameters_with("val_47", {6, 6}), 64);
  EXPECT_EQ(parameters_with("mask", {1, 1, 6, 6}), 64);
  EXPECT_EQ(parameters_with("attn_bias_mask", {2, 1, 6, 6}, "Sub"), 64);
}

TEST(AttentionMask, IsAParameterWhereItDiffersByHeadOrIsNamedSo) {
  EXPECT_EQ(parameters_with("val_47", {4, 6, 6}), 64 + 144);
  EXPECT_EQ(parameters_with("relative_position_bias", {6, 6}), 64 + 36);
  EXPECT_EQ(parameters_with("val_47", {6}), 64 + 6);
}

TEST(AttentionMask, IsAParameterWhereNoSoftmaxFollows) {
  ModelSketch sketch = scores();
  sketch.weight("val_47", {6, 6}).node("Add", {"s", "val_47"}, {"m"});
  sketch.node("Relu", {"m"}, {"y"}).output("y");
  EXPECT_EQ(parameters_of(sketch), 64 + 36);
}

TEST(AttentionMask, ComparisonsTrainNothing) {
  ModelSketch sketch = scores();
  sketch.weight("tril", {6, 6}).scalar("zero", 0).scalar("low", -1e9);
  sketch.node("Equal", {"tril", "zero"}, {"is_hidden"});
  sketch.node("Where", {"is_hidden", "low", "s"}, {"m"}).node("Softmax", {"m"}, {"y"}).output("y");
  EXPECT_EQ(parameters_of(sketch), 64);
}

TEST(AttentionMask, ATriangleTrainsOnlyAsAWeight) {
  ModelSketch sketch = scores();
  sketch.weight("ones", {6, 6}).node("Trilu", {"ones"}, {"triangle"});
  sketch.node("Mul", {"s", "triangle"}, {"y"}).output("y");
  EXPECT_EQ(parameters_of(sketch), 64);

  ModelSketch mixer;
  mixer.input("x", {2, 6, 8}).weight("w", {6, 6}).node("Trilu", {"w"}, {"triangle"});
  mixer.node("MatMul", {"triangle", "x"}, {"y"}).output("y");
  EXPECT_EQ(parameters_of(mixer), 36);
}

}  // namespace
}  // namespace horus::graph
