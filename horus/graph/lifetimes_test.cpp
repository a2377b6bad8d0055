// SPDX-License-Identifier: Apache-2.0
#include "horus/graph/lifetimes.hpp"

#include <gtest/gtest.h>

#include "horus/graph/costed_sketch_test.hpp"

namespace horus::graph {
namespace {

/// h (128 elements) goes through two sigmoids and around them.
ModelSketch residual_block() {
  ModelSketch sketch = with_gradient();
  sketch.node("Sigmoid", {"h"}, {"s"}).node("Sigmoid", {"s"}, {"t"});
  sketch.node("Add", {"h", "t"}, {"y"}).output("y");
  return sketch;
}

TEST(Lifetimes, AGradientLivesFromTheUserToTheMaker) {
  ModelSketch sketch = with_gradient();
  sketch.weight("w1", {16, 3}).node("Relu", {"h"}, {"r"}).node("MatMul", {"r", "w1"}, {"y"});
  sketch.output("y");
  EXPECT_EQ(work_of(sketch, "y").gradient_elements, 24 + 128);
  EXPECT_EQ(work_of(sketch, "r").gradient_elements, 128 + 128);
  EXPECT_EQ(work_of(sketch, "h").gradient_elements, 128) << "data needs no gradient";
}

TEST(Lifetimes, TheGradientOfASumServesBothSummands) {
  ModelSketch sketch = residual_block();
  EXPECT_EQ(work_of(sketch, "y").gradient_elements, 128);
  EXPECT_EQ(work_of(sketch, "t").gradient_elements, 128 + 128);
  EXPECT_EQ(work_of(sketch, "s").gradient_elements, 128 + 128 + 128)
      << "that of the short way, its own and the one that it makes";
  EXPECT_EQ(work_of(sketch, "h").gradient_elements, 128) << "added in place";
}

TEST(Lifetimes, ABroadcastSummandGetsASumOfItsOwn) {
  ModelSketch sketch = with_gradient();
  sketch.weight("w1", {4, 1}).node("MatMul", {"x", "w1"}, {"b"});
  sketch.node("Add", {"h", "b"}, {"y"}).output("y");
  EXPECT_EQ(work_of(sketch, "y").gradient_elements, 128 + 8);
}

TEST(Lifetimes, GradientsOfJoinedPiecesAreViews) {
  ModelSketch sketch = with_gradient();
  sketch.node("Sigmoid", {"h"}, {"a"}).node("Sigmoid", {"a"}, {"b"});
  sketch.node("Concat", {"a", "b"}, {"y"}, {{"axis", std::int64_t{1}}}).output("y");
  EXPECT_EQ(work_of(sketch, "y").gradient_elements, 256);
  EXPECT_EQ(work_of(sketch, "b").gradient_elements, 256 + 128 + 128)
      << "the whole, of which two pieces wait, what is made of one, and its sum with the other";
}

TEST(Lifetimes, WhatIsNotKeptLivesUntilItsLastUser) {
  ModelSketch sketch = with_gradient();
  sketch.weight("w1", {16, 3}).node("Neg", {"h"}, {"n"}).node("MatMul", {"n", "w1"}, {"y"});
  sketch.output("y");
  EXPECT_EQ(work_of(sketch, "h").live_elements, 128);
  EXPECT_EQ(work_of(sketch, "n").live_elements, 128 + 128);
  EXPECT_EQ(work_of(sketch, "y").live_elements, 24) << "n is kept by then, h is gone";
}

TEST(Lifetimes, AGraphIsCutWhereOneTensorIsNeeded) {
  ModelSketch sketch = residual_block();
  EXPECT_EQ(work_of(sketch, "h").cut_elements, 128);
  EXPECT_EQ(work_of(sketch, "s").cut_elements, 0) << "h is needed too";
  EXPECT_EQ(work_of(sketch, "t").cut_elements, 0);
  EXPECT_EQ(work_of(sketch, "y").cut_elements, 0) << "nothing needs it";
}

TEST(Lifetimes, WhoeverKeepsAPieceKeepsTheWhole) {
  ModelSketch sketch = with_gradient();
  sketch.weight("w1", {8, 3}).weight("w2", {8, 3});
  sketch.node("Split", {"h"}, {"a", "b"}, {{"axis", std::int64_t{1}}});
  sketch.node("MatMul", {"a", "w1"}, {"y"}).node("MatMul", {"b", "w2"}, {"z"});
  sketch.output("y").output("z");
  EXPECT_EQ(work_of(sketch, "y").saved_elements, 128);
  EXPECT_EQ(work_of(sketch, "z").saved_elements, 0);
}

TEST(Lifetimes, AClampInPlaceCopiesItsInputFirst) {
  ModelSketch sketch = with_gradient();
  sketch.scalar("zero", 0).scalar("six", 6).weight("w1", {16, 3});
  sketch.node("Clip", {"h", "zero", "six"}, {"c"}).node("MatMul", {"c", "w1"}, {"y"});
  sketch.output("y");
  EXPECT_FALSE(work_of(sketch, "c").inplace);
  EXPECT_EQ(work_of(sketch, "c").saved_elements, 128);
  EXPECT_EQ(work_of(sketch, "y").saved_elements, 128);
}

}  // namespace
}  // namespace horus::graph
