// SPDX-License-Identifier: Apache-2.0
// Operators on regions, and sizes that depend on data: bounds that are said to be bounds.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "horus/graph/one_node_test.hpp"

namespace horus::graph {
namespace {

using Ints = std::vector<std::int64_t>;
constexpr std::int64_t kOne = 1;

TEST(GridSample, TakesItsSpaceFromTheGrid) {
  OneNode node{"GridSample"};
  const Outcome found = node.data({2, 3, 8, 8}).data({2, 5, 6, 2}).run();
  EXPECT_EQ(found.shape(), (Ints{2, 3, 5, 6}));
  EXPECT_EQ(found.work.flops_forward, 8 * 180) << "four neighbours of 180 elements";
}

TEST(GridSample, RefusesAGridOfAnotherBatch) {
  EXPECT_NE(OneNode{"GridSample"}.data({2, 3, 8, 8}).data({1, 5, 6, 2}).run().gap, "");
}

TEST(AffineGrid, HasOnePlaceForEveryPixel) {
  const Outcome plane = OneNode{"AffineGrid"}.data({2, 2, 3}).integers({2, 3, 5, 6}).run();
  EXPECT_EQ(plane.shape(), (Ints{2, 5, 6, 2}));
  EXPECT_EQ(plane.work.macs, 2 * 30 * 2 * 3) << "a 2 x 3 matrix for each of 30 pixels";
  const Outcome space = OneNode{"AffineGrid"}.data({2, 3, 4}).integers({2, 3, 4, 5, 6}).run();
  EXPECT_EQ(space.shape(), (Ints{2, 4, 5, 6, 3}));
}

TEST(RoiAlign, GivesOnePatchForEveryRegion) {
  OneNode node{"RoiAlign"};
  node.data({1, 16, 50, 50}).data({7, 4}).data({7}, ElementType::Int64);
  node.with("output_height", std::int64_t{14}).with("output_width", std::int64_t{10});
  const Outcome found = node.with("sampling_ratio", std::int64_t{3}).run();
  EXPECT_EQ(found.shape(), (Ints{7, 16, 14, 10}));
  EXPECT_EQ(found.work.flops_forward, 8.0 * 9 * 7 * 16 * 140) << "3 x 3 bilinear samples";
}

TEST(MaxRoiPool, GivesOnePatchForEveryRegion) {
  OneNode node{"MaxRoiPool"};
  node.data({1, 16, 50, 50}).data({7, 5}).with("pooled_shape", Ints{6, 4});
  EXPECT_EQ(node.run().shape(), (Ints{7, 16, 6, 4}));
}

TEST(NonMaxSuppression, KeepsAtMostAllBoxesOfAllClasses) {
  OneNode node{"NonMaxSuppression", 11};
  node.data({2, 100, 4}).data({2, 3, 100}).data({1}, ElementType::Int64);
  const Outcome found = node.run();
  EXPECT_EQ(found.shape(), (Ints{600, 3}));
  EXPECT_TRUE(found.is_bound());
  EXPECT_EQ(found.type(), ElementType::Int64);
}

TEST(NonMaxSuppression, KeepsNoMoreThanItIsAllowed) {
  OneNode node{"NonMaxSuppression", 11};
  const Outcome found = node.data({2, 100, 4}).data({2, 3, 100}).integers({5}).run();
  EXPECT_EQ(found.shape(), (Ints{30, 3}));
  EXPECT_TRUE(found.is_bound());
}

TEST(Bounds, AreToldForEveryOperatorWhoseOutputDependsOnData) {
  const Outcome non_zero = OneNode{"NonZero"}.data({4, 5}).run();
  EXPECT_EQ(non_zero.shape(), (Ints{2, 20}));
  EXPECT_TRUE(non_zero.is_bound());
  const Outcome unique = OneNode{"Unique"}.data({4, 5}).outputs(4).run();
  EXPECT_EQ(unique.shape(), (Ints{20}));
  EXPECT_TRUE(unique.is_bound());
  EXPECT_TRUE(unique.is_bound("y3"));
  EXPECT_FALSE(unique.is_bound("y2")) << "one index per element";
  const Outcome rows = OneNode{"Unique"}.data({4, 5}).with("axis", std::int64_t{0}).run();
  EXPECT_EQ(rows.shape(), (Ints{4, 5}));
  OneNode compress{"Compress"};
  compress.data({4, 5}).data({3}, ElementType::Bool).with("axis", kOne);
  EXPECT_EQ(compress.run().shape(), (Ints{4, 3})) << "three decisions keep at most three columns";
  const Outcome top = OneNode{"TopK"}.data({4, 9}).data({1}, ElementType::Int64).run();
  EXPECT_EQ(top.shape(), (Ints{4, 9}));
  EXPECT_TRUE(top.is_bound());
}

TEST(Bounds, AreNoneWhereTheContentsAreKnown) {
  const Outcome found = OneNode{"Compress"}.data({4}).integers({1, 0, 1}).run();
  EXPECT_EQ(found.shape(), (Ints{2}));
  EXPECT_FALSE(found.is_bound());
}

TEST(Bounds, PassToEverythingComputedFromThem) {
  ModelSketch sketch{23};
  sketch.input("x", {4, 5}).node("NonZero", {"x"}, {"n"}).node("Transpose", {"n"}, {"t"});
  sketch.node("GatherND", {"x", "t"}, {"g"}).node("Relu", {"x"}, {"r"}).output("g").output("r");
  const Outcome found = outcome_of(sketch.model());
  EXPECT_EQ(found.gap, "");
  EXPECT_EQ(found.shape("g"), (Ints{20}));
  EXPECT_TRUE(found.is_bound("g"));
  EXPECT_FALSE(found.is_bound("r"));
  ASSERT_EQ(found.warnings.size(), 1U);
  EXPECT_EQ(found.warnings[0],
            "3 nodes have data-dependent sizes: their costs are upper bounds (first at NonZero "
            "'n')");
}

TEST(Bounds, EndAtAScalar) {
  ModelSketch sketch{23};
  sketch.input("x", {4, 5}).node("NonZero", {"x"}, {"n"});
  sketch.node("ReduceMax", {"n"}, {"y"}, {{"keepdims", std::int64_t{0}}}).output("y");
  EXPECT_FALSE(outcome_of(sketch.model()).is_bound());
}

TEST(MaxUnpool, UndoesThePoolOrTakesTheShapeThatIsGiven) {
  OneNode node{"MaxUnpool"};
  node.data({1, 2, 3, 3}).data({1, 2, 3, 3}, ElementType::Int64);
  node.with("kernel_shape", Ints{2, 2}).with("strides", Ints{2, 2});
  EXPECT_EQ(node.run().shape(), (Ints{1, 2, 6, 6}));
  OneNode given{"MaxUnpool"};
  given.data({1, 2, 3, 3}).data({1, 2, 3, 3}, ElementType::Int64).integers({1, 2, 7, 7});
  given.with("kernel_shape", Ints{2, 2}).with("strides", Ints{2, 2});
  EXPECT_EQ(given.run().shape(), (Ints{1, 2, 7, 7}));
}

TEST(Col2Im, MakesChannelsOfRowsThatAreNoBlocks) {
  const Outcome found = OneNode{"Col2Im"}.data({1, 30, 12}).integers({4, 6}).integers({2, 3}).run();
  EXPECT_EQ(found.shape(), (Ints{1, 5, 4, 6}));
}

TEST(CenterCropPad, ChangesTheAxesThatItNames) {
  OneNode node{"CenterCropPad"};
  node.data({3, 20, 8}).integers({10, 9}).with("axes", Ints{1, -1});
  EXPECT_EQ(node.run().shape(), (Ints{3, 10, 9}));
}

TEST(Det, IsOneNumberForEveryMatrix) {
  const Outcome found = OneNode{"Det"}.data({5, 6, 6}).run();
  EXPECT_EQ(found.shape(), (Ints{5}));
  EXPECT_DOUBLE_EQ(found.work.flops_forward, 5 * 2.0 / 3 * 216);
  EXPECT_NE(OneNode{"Det"}.data({5, 6, 7}).run().gap, "");
}

TEST(TensorScatter, KeepsTheShapeOfTheCache) {
  OneNode node{"TensorScatter", 24};
  EXPECT_EQ(node.data({2, 4, 16, 8}).data({2, 4, 1, 8}).run().shape(), (Ints{2, 4, 16, 8}));
  EXPECT_NE(OneNode("TensorScatter", 24).data({2, 4, 16, 8}).data({2, 4, 17, 8}).run().gap, "");
}

TEST(DeformConv, SamplesEveryElementUnderTheWindow) {
  OneNode node{"DeformConv"};
  node.data({1, 2, 5, 5}).weight({4, 2, 3, 3}).data({1, 18, 3, 3});
  const Outcome found = node.run();
  EXPECT_EQ(found.shape(), (Ints{1, 4, 3, 3}));
  EXPECT_EQ(found.work.macs, 36 * 18);
  // 9 places, each of 2 x 9 elements interpolated from four neighbours.
  EXPECT_EQ(found.work.flops_forward, 2 * 36 * 18 + 8 * 9 * 18);
  EXPECT_NE(
      OneNode("DeformConv").data({1, 2, 5, 5}).weight({4, 2, 3, 3}).data({1, 18, 4, 3}).run().gap,
      "");
}

}  // namespace
}  // namespace horus::graph
