// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/windows.hpp"

#include <optional>

#include <gtest/gtest.h>

namespace horus::zoo {
namespace {

TEST(Windows, CutAMapAndPutItTogetherAgain) {
  Builder b{"net", std::nullopt};
  const Value map = b.input("map", {kBatch, 6, 9, 4});
  const Value windows = part_windows(b, "windows", map, 3);
  EXPECT_EQ(windows.shape, (Shape{kBatch, 6, 9, 4}));
  EXPECT_EQ(unite_windows(b, "united", windows, 6, 9).shape, map.shape);
  const Value grid = part_grid(b, "grid", map, 3);
  EXPECT_EQ(grid.shape, (Shape{kBatch, 6, 9, 4}));
  EXPECT_EQ(unite_grid(b, "whole", grid, 6, 9).shape, map.shape);
}

/// The order of axes that the transposition called `name` makes.
std::vector<std::int64_t> order_of(const graph::Model& model, const std::string& name) {
  for (const graph::Node& node : model.graph.nodes) {
    if (node.name == name) return std::get<std::vector<std::int64_t>>(node.attributes.at("perm"));
  }
  return {};
}

TEST(Windows, HoldNeighboursButAGridHoldsWhatIsFarApart) {
  Builder b{"net", std::nullopt};
  const Value map = b.input("map", {kBatch, 6, 6, 4});
  part_windows(b, "windows", map, 3);  // Cut to (batch, 2, 3, 2, 3, 4): the 3s are inside.
  part_grid(b, "grid", map, 3);        // Cut to (batch, 3, 2, 3, 2, 4): the 3s are inside too.
  const graph::Model model = std::move(b).finish();
  EXPECT_EQ(order_of(model, "windows.order"), (std::vector<std::int64_t>{0, 1, 3, 2, 4, 5}));
  EXPECT_EQ(order_of(model, "grid.order"), (std::vector<std::int64_t>{0, 2, 4, 1, 3, 5}));
}

TEST(Windows, AMapIsPaddedOnlyWhereItMustBe) {
  Builder b{"net", std::nullopt};
  const Value map = b.input("map", {kBatch, 6, 8, 4});
  EXPECT_EQ(pad_to_windows(b, "pad", map, 3).shape, (Shape{kBatch, 6, 9, 4}));
  EXPECT_EQ(pad_to_windows(b, "none", map, 2).name, "map");
}

TEST(Windows, FourNeighboursBecomeOneToken) {
  Builder b{"net", std::nullopt};
  const Value map = b.input("map", {kBatch, 6, 7, 4});
  EXPECT_EQ(join_neighbours(b, "join", map).shape, (Shape{kBatch, 3, 4, 16}));
}

TEST(WindowsDeathTest, RefuseAMapTheyDoNotFill) {
  Builder b{"net", std::nullopt};
  const Value map = b.input("map", {kBatch, 6, 7, 4});
  EXPECT_DEATH(part_windows(b, "windows", map, 3), "windows fill the map");
}

}  // namespace
}  // namespace horus::zoo
