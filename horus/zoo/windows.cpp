// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/windows.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "horus/base/check.hpp"
#include "horus/zoo/layers.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {
namespace {

std::int64_t side_of(const Value& windows) {
  const auto side =
      static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(windows.shape[2]))));
  HORUS_CHECK(side * side == windows.shape[2], "windows are square");
  return side;
}

/// Windows below and beside each other.
struct Grid {
  std::int64_t rows{};
  std::int64_t columns{};
};

Grid grid_of(const Value& map, std::int64_t side) {
  HORUS_CHECK(map.shape[1] % side == 0 && map.shape[2] % side == 0, "windows fill the map");
  return {.rows = map.shape[1] / side, .columns = map.shape[2] / side};
}

Value in_windows(Builder& b, const std::string& name, const Value& ordered, const Grid& grid,
                 std::int64_t side) {
  return shaped(b, name, ordered,
                {ordered.shape[0], grid.rows * grid.columns, side * side, ordered.shape[5]});
}

/// The map of `size` (height, width); `order` undoes that of the cut.
Value united(Builder& b, const std::string& name, const Value& x,
             const std::array<std::int64_t, 2>& size, const std::vector<std::int64_t>& order) {
  const std::int64_t side = side_of(x);
  const std::int64_t channels = x.shape[3];
  const Value cut = shaped(b, name + ".cut", x,
                           {x.shape[0], size[0] / side, size[1] / side, side, side, channels});
  const Value ordered = transpose(b, name + ".order", cut, order);
  return shaped(b, name, ordered, {x.shape[0], size[0], size[1], channels});
}

}  // namespace

Value part_windows(Builder& b, const std::string& name, const Value& x, std::int64_t side) {
  const Grid grid = grid_of(x, side);
  const Value cut =
      shaped(b, name + ".cut", x, {x.shape[0], grid.rows, side, grid.columns, side, x.shape[3]});
  return in_windows(b, name, transpose(b, name + ".order", cut, {0, 1, 3, 2, 4, 5}), grid, side);
}

Value unite_windows(Builder& b, const std::string& name, const Value& x, std::int64_t height,
                    std::int64_t width) {
  return united(b, name, x, {height, width}, {0, 1, 3, 2, 4, 5});
}

Value part_grid(Builder& b, const std::string& name, const Value& x, std::int64_t side) {
  const Grid grid = grid_of(x, side);
  const Value cut =
      shaped(b, name + ".cut", x, {x.shape[0], side, grid.rows, side, grid.columns, x.shape[3]});
  return in_windows(b, name, transpose(b, name + ".order", cut, {0, 2, 4, 1, 3, 5}), grid, side);
}

Value unite_grid(Builder& b, const std::string& name, const Value& x, std::int64_t height,
                 std::int64_t width) {
  return united(b, name, x, {height, width}, {0, 3, 1, 4, 2, 5});
}

Value pad_to_windows(Builder& b, const std::string& name, const Value& x, std::int64_t side) {
  const std::int64_t below = (side - x.shape[1] % side) % side;
  const std::int64_t right = (side - x.shape[2] % side) % side;
  if (below == 0 && right == 0) return x;
  const Value pads = b.integers({0, 0, 0, 0, 0, below, right, 0});
  return b.add({.name = name, .op_type = "Pad", .inputs = {x.name, pads.name}},
               {x.shape[0], x.shape[1] + below, x.shape[2] + right, x.shape[3]});
}

Value join_neighbours(Builder& b, const std::string& name, const Value& x) {
  const Value even = pad_to_windows(b, name + ".pad", x, 2);
  const std::int64_t rows = even.shape[1] / 2;
  const std::int64_t columns = even.shape[2] / 2;
  const std::int64_t width = even.shape[3];
  const Value cut = shaped(b, name + ".cut", even, {x.shape[0], rows, 2, columns, 2, width});
  const Value ordered = transpose(b, name + ".order", cut, {0, 1, 3, 4, 2, 5});
  return shaped(b, name, ordered, {x.shape[0], rows, columns, 4 * width});
}

}  // namespace horus::zoo
