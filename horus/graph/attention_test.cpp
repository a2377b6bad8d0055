// SPDX-License-Identifier: Apache-2.0
// Attention blocks are found as exporters write them, and nothing else is taken for one.

#include "horus/graph/attention.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "horus/graph/analysis.hpp"
#include "horus/graph/model_sketch.hpp"

namespace horus::graph {
namespace {

using Ints = std::vector<std::int64_t>;

AttentionRole role_of(ModelSketch& sketch, const std::string& name) {
  const auto analysis = analyse(sketch.model());
  EXPECT_TRUE(analysis && analysis->gaps.empty());
  for (const OpWork& work : analysis ? analysis->features.ops : std::vector<OpWork>{}) {
    if (work.name == name) return work.attention;
  }
  ADD_FAILURE() << "no node " << name;
  return AttentionRole::None;
}

ModelSketch heads() {
  ModelSketch sketch;
  sketch.input("q", {2, 4, 16, 8}).input("k", {2, 4, 8, 16}).input("v", {2, 4, 16, 8});
  sketch.input("mask", {2, 1, 1, 16}).scalar("root", 2.83);
  return sketch;
}

TEST(Attention, MarksEveryPartOfAMaskedBlock) {
  ModelSketch sketch = heads();
  sketch.node("MatMul", {"q", "k"}, {"s"}).node("Div", {"s", "root"}, {"d"});
  sketch.node("Add", {"d", "mask"}, {"m"}).node("Softmax", {"m"}, {"p"});
  sketch.node("Dropout", {"p"}, {"o"}).node("MatMul", {"o", "v"}, {"y"}).output("y");
  EXPECT_EQ(role_of(sketch, "s"), AttentionRole::Scores);
  EXPECT_EQ(role_of(sketch, "d"), AttentionRole::ScaleOrMask);
  EXPECT_EQ(role_of(sketch, "m"), AttentionRole::ScaleOrMask);
  EXPECT_EQ(role_of(sketch, "p"), AttentionRole::Softmax);
  EXPECT_EQ(role_of(sketch, "o"), AttentionRole::Dropout);
  EXPECT_EQ(role_of(sketch, "y"), AttentionRole::Context);
}

TEST(Attention, FindsTheScoresAsSecondOperandOfAMask) {
  ModelSketch sketch = heads();
  sketch.scalar("low", -1e9).input("keep", {2, 1, 1, 16}, ElementType::Bool);
  sketch.node("MatMul", {"q", "k"}, {"s"}).node("Where", {"keep", "s", "low"}, {"w"});
  sketch.node("Add", {"mask", "w"}, {"m"}).node("Softmax", {"m"}, {"p"});
  sketch.node("MatMul", {"p", "v"}, {"y"}).output("y");
  EXPECT_EQ(role_of(sketch, "s"), AttentionRole::Scores);
  EXPECT_EQ(role_of(sketch, "w"), AttentionRole::ScaleOrMask);
  EXPECT_EQ(role_of(sketch, "y"), AttentionRole::Context);
}

TEST(Attention, AClassifierIsNone) {
  ModelSketch sketch;
  sketch.input("x", {2, 4}).weight("w", {4, 10});
  sketch.node("MatMul", {"x", "w"}, {"s"}).node("Softmax", {"s"}, {"y"}).output("y");
  EXPECT_EQ(role_of(sketch, "s"), AttentionRole::None);
  EXPECT_EQ(role_of(sketch, "y"), AttentionRole::None);
}

TEST(Attention, ASoftmaxBeforeALinearLayerIsNone) {
  ModelSketch sketch = heads();
  sketch.weight("w", {16, 3}).node("MatMul", {"q", "k"}, {"s"}).node("Softmax", {"s"}, {"p"});
  sketch.node("MatMul", {"p", "w"}, {"y"}).output("y");
  EXPECT_EQ(role_of(sketch, "s"), AttentionRole::None);
  EXPECT_EQ(role_of(sketch, "p"), AttentionRole::None);
}

}  // namespace
}  // namespace horus::graph
