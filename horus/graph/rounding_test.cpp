// SPDX-License-Identifier: Apache-2.0
#include "horus/graph/rounding.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "horus/graph/one_node_test.hpp"

namespace horus::graph {
namespace {

using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;

Contents rounded(ElementType type, Contents contents) {
  round_to(type, contents);
  return contents;
}

TEST(Rounding, GivesTheNearestOfTheType) {
  // 2^24 + 1 and 2^11 + 1 are the first integers that float32 and float16 do not have.
  EXPECT_EQ(rounded(ElementType::Float32, Reals{16777217, 0.5}), (Contents{Reals{16777216, 0.5}}));
  EXPECT_EQ(rounded(ElementType::Float16, Reals{2049}), Contents{Reals{2048}});
  EXPECT_EQ(rounded(ElementType::BFloat16, Reals{257}), Contents{Reals{256}});
  EXPECT_EQ(rounded(ElementType::Float64, Reals{16777217}), Contents{Reals{16777217}});
  const double endless = std::numeric_limits<double>::infinity();
  EXPECT_EQ(rounded(ElementType::Float32, Reals{-1e300}), Contents{Reals{-endless}});
  EXPECT_EQ(rounded(ElementType::Float16, Reals{70000}), Contents{Reals{endless}});
}

TEST(Rounding, WrapsIntegersAtTheirWidth) {
  EXPECT_EQ(rounded(ElementType::Int32, Integers{2147483648}), Contents{Integers{-2147483648}});
  EXPECT_EQ(rounded(ElementType::Uint8, Integers{-1, 256}), (Contents{Integers{255, 0}}));
  EXPECT_EQ(rounded(ElementType::Int64, Integers{1LL << 40}), Contents{Integers{1LL << 40}});
  EXPECT_TRUE(holds(ElementType::Int8, -128));
  EXPECT_FALSE(holds(ElementType::Int8, 128));
}

/// The size that `100 * 0.29`, rounded down, gives in `type`.
Integers floored_product(ElementType type) {
  ModelSketch sketch;
  sketch.scalar("a", 100).scalar("b",
                                 type == ElementType::Float32 ? static_cast<double>(0.29F) : 0.29);
  for (Tensor& tensor : sketch.model().graph.initializers) tensor.type = type;
  sketch.node("Mul", {"a", "b"}, {"p"}).node("Floor", {"p"}, {"f"});
  sketch.node("Cast", {"f"}, {"c"}, {{"to", std::int64_t{7}}});
  sketch.integers("axes", {0}).node("Unsqueeze", {"c", "axes"}, {"shape"});
  sketch.node("ConstantOfShape", {"shape"}, {"y"}).output("y");
  return outcome_of(sketch.model()).shape();
}

TEST(Rounding, DecidesOverSizesAsTheRuntimeDoes) {
  // Figures of NumPy: floor(float32(100) * float32(0.29)) is 29, in float64 it is 28.
  EXPECT_EQ(floored_product(ElementType::Float32), Integers{29});
  EXPECT_EQ(floored_product(ElementType::Float64), Integers{28});
}

TEST(Rounding, KeepsACastBeyondTheRangeUnknown) {
  ModelSketch sketch;
  sketch.reals("a", {3e9}).node("Cast", {"a"}, {"shape"}, {{"to", std::int64_t{6}}});
  sketch.node("ConstantOfShape", {"shape"}, {"y"}).output("y");
  EXPECT_NE(outcome_of(sketch.model()).gap, "");
}

TEST(OldVersions, HaveCountsAsRealNumbers) {
  const Outcome tile = OneNode("Tile", 1).data({2, 3}).reals({4}).reals({1}).run();
  EXPECT_EQ(tile.shape(), (Integers{2, 12})) << tile.gap;
  OneNode split("Split", 1);
  const Outcome parts = split.data({5, 2}).reals({2, 3}).outputs(2).run();
  EXPECT_EQ(parts.shape(), (Integers{2, 2})) << parts.gap;
  EXPECT_EQ(parts.shape("y1"), (Integers{3, 2}));
  EXPECT_NE(OneNode("Tile", 1).data({2, 3}).reals({1.5}).reals({1}).run().gap, "");
}

TEST(FusedMatMul, RotatesTheBatchBehindTheRows) {
  OneNode node("FusedMatMul", 23, "com.microsoft");
  node.data({2, 4, 3}).data({4, 2, 5});
  const Outcome outcome =
      node.with("transA", std::int64_t{1}).with("transBatchB", std::int64_t{1}).run();
  EXPECT_EQ(outcome.shape(), (Integers{2, 3, 5})) << outcome.gap;
  EXPECT_EQ(outcome.work.macs, 2 * 3 * 4 * 5);
}

}  // namespace
}  // namespace horus::graph
