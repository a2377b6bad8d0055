// SPDX-License-Identifier: Apache-2.0
// Slice and Transpose settings, checked once for all who need them.

#include "horus/graph/ops/slicing.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include <fmt/format.h>

namespace horus::graph {
namespace {

std::int64_t clamp_place(std::int64_t place, std::int64_t size, std::int64_t low,
                         std::int64_t high) {
  if (place < 0) place = place < -size ? low : place + size;
  return std::clamp(place, low, high);
}

Cut cut_of(std::int64_t start, std::int64_t end, std::int64_t step, std::int64_t size) {
  if (step > 0) {
    start = clamp_place(start, size, 0, size);
    end = clamp_place(end, size, 0, size);
    const std::int64_t span = std::max<std::int64_t>(0, end - start);
    return {.start = start, .step = step, .length = span / step + (span % step != 0 ? 1 : 0)};
  }
  start = clamp_place(start, size, -1, size - 1);
  end = clamp_place(end, size, -1, size - 1);
  const std::int64_t span = std::max<std::int64_t>(0, start - end);
  const std::int64_t stride = step == std::numeric_limits<std::int64_t>::min()
                                  ? std::numeric_limits<std::int64_t>::max()
                                  : -step;
  return {.start = start, .step = step, .length = span / stride + (span % stride != 0 ? 1 : 0)};
}

}  // namespace

Result<std::vector<Cut>> read_cuts(const NodeView& node) {
  const Shape& data = node.shape(0);
  const auto starts = node.setting("starts");
  const auto ends = node.setting("ends");
  auto axes = node.setting("axes");
  auto steps = node.setting("steps");
  if (node.problem()) return refuse(*node.problem());
  if (!starts || !ends) return refuse("starts or ends are missing");
  if (!axes) {
    axes.emplace(starts->size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (!steps) steps.emplace(starts->size(), 1);
  if (ends->size() != starts->size() || axes->size() != starts->size() ||
      steps->size() != starts->size()) {
    return refuse("starts, ends, axes and steps have different lengths");
  }
  std::vector<Cut> cuts;
  for (const std::int64_t size : data) cuts.push_back({.start = 0, .step = 1, .length = size});
  for (std::size_t i = 0; i < starts->size(); ++i) {
    HORUS_TRY(const std::size_t axis, axis_index((*axes)[i], data.size()));
    if ((*steps)[i] == 0) return refuse("a step of 0 never ends");
    cuts[axis] = cut_of((*starts)[i], (*ends)[i], (*steps)[i], data[axis]);
  }
  return cuts;
}

bool depends_on_data(const NodeView& node) {
  constexpr std::array kSettings{"starts", "ends", "axes", "steps"};
  return std::ranges::any_of(kSettings,
                             [&](const char* name) { return node.depends_on_data(name); });
}

Result<std::vector<std::size_t>> transposed_axes(const NodeView& node) {
  const std::size_t rank = node.shape(0).size();
  std::vector<std::size_t> order(rank);
  if (!node.has_attribute("perm")) {
    std::iota(order.rbegin(), order.rend(), std::size_t{0});
    return order;
  }
  const auto list = node.integers("perm");
  if (list.size() != rank) {
    return refuse(fmt::format("perm {} does not order {} axes", text_of(list), rank));
  }
  std::vector<std::size_t> seen;
  for (std::size_t i = 0; i < rank; ++i) {
    HORUS_TRY(order[i], axis_index(list[i], rank));
    seen.push_back(order[i]);
  }
  std::ranges::sort(seen);
  if (std::ranges::adjacent_find(seen) != seen.end()) return refuse("perm names an axis twice");
  return order;
}

}  // namespace horus::graph
