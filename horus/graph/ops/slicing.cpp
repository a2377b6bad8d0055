// SPDX-License-Identifier: Apache-2.0
// Slice and Transpose settings, checked once for all who need them.

#include "horus/graph/ops/slicing.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

namespace horus::graph {
namespace {

constexpr std::int64_t kSliceInputSince = 10;

/// Starts and ends may be as large as std::int64_t ("to the end"), so they are read unbounded.
std::optional<std::vector<std::int64_t>> numbers(const NodeView& node, const char* name,
                                                 std::size_t input) {
  if (node.opset() < kSliceInputSince || !node.has_input(input)) {
    const auto found = node.node().attributes.find(name);
    if (found == node.node().attributes.end()) return std::nullopt;
    const auto* list = std::get_if<std::vector<std::int64_t>>(&found->second);
    if (list != nullptr) return *list;
    return std::nullopt;
  }
  return node.contents(input);
}

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
  const auto starts = numbers(node, "starts", 1);
  const auto ends = numbers(node, "ends", 2);
  if (!starts || !ends) return refuse("starts or ends depend on data, so they are unknown");
  auto axes = numbers(node, "axes", 3);
  auto steps = numbers(node, "steps", 4);
  if ((node.has_input(3) && !axes) || (node.has_input(4) && !steps)) {
    return refuse("axes or steps depend on data, so they are unknown");
  }
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
