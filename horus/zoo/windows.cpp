// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/windows.hpp"

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

}  // namespace

Value part_windows(Builder& b, const std::string& name, const Value& x, std::int64_t side) {
  HORUS_CHECK(x.shape[1] % side == 0 && x.shape[2] % side == 0, "windows fill the map");
  const std::int64_t rows = x.shape[1] / side;
  const std::int64_t columns = x.shape[2] / side;
  const std::int64_t width = x.shape[3];
  const Value cut = shaped(b, name + ".cut", x, {x.shape[0], rows, side, columns, side, width});
  const Value ordered = transpose(b, name + ".order", cut, {0, 1, 3, 2, 4, 5});
  return shaped(b, name, ordered, {x.shape[0], rows * columns, side * side, width});
}

Value unite_windows(Builder& b, const std::string& name, const Value& x, std::int64_t height,
                    std::int64_t width) {
  const std::int64_t side = side_of(x);
  const std::int64_t channels = x.shape[3];
  const Value cut =
      shaped(b, name + ".cut", x, {x.shape[0], height / side, width / side, side, side, channels});
  const Value ordered = transpose(b, name + ".order", cut, {0, 1, 3, 2, 4, 5});
  return shaped(b, name, ordered, {x.shape[0], height, width, channels});
}

Value part_grid(Builder& b, const std::string& name, const Value& x, std::int64_t side) {
  HORUS_CHECK(x.shape[1] % side == 0 && x.shape[2] % side == 0, "windows fill the map");
  const std::int64_t rows = x.shape[1] / side;
  const std::int64_t columns = x.shape[2] / side;
  const std::int64_t width = x.shape[3];
  const Value cut = shaped(b, name + ".cut", x, {x.shape[0], side, rows, side, columns, width});
  const Value ordered = transpose(b, name + ".order", cut, {0, 2, 4, 1, 3, 5});
  return shaped(b, name, ordered, {x.shape[0], rows * columns, side * side, width});
}

Value unite_grid(Builder& b, const std::string& name, const Value& x, std::int64_t height,
                 std::int64_t width) {
  const std::int64_t side = side_of(x);
  const std::int64_t channels = x.shape[3];
  const Value cut =
      shaped(b, name + ".cut", x, {x.shape[0], height / side, width / side, side, side, channels});
  const Value ordered = transpose(b, name + ".order", cut, {0, 3, 1, 4, 2, 5});
  return shaped(b, name, ordered, {x.shape[0], height, width, channels});
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
