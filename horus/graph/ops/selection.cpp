// SPDX-License-Identifier: Apache-2.0
// Elements kept or written where data says so: the number of those kept is a bound.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "horus/graph/ops/families.hpp"

namespace horus::graph {
namespace {

/// The axis that an operator works along, or nothing where it takes all elements in a row.
Result<std::optional<std::size_t>> optional_axis(const NodeView& node) {
  if (!node.has_attribute("axis")) return std::optional<std::size_t>{};
  HORUS_TRY(const std::size_t axis, axis_index(node.integer("axis", 0), node.shape(0).size()));
  return std::optional{axis};
}

}  // namespace

Result<Facts> infer_compress(const NodeView& node) {
  HORUS_TRY(const auto axis, optional_axis(node));
  Shape shape = axis ? node.shape(0) : Shape{elements(node.shape(0))};
  std::int64_t& size = shape[axis.value_or(0)];
  const auto chosen = node.contents(1);
  // A condition shorter than the axis says no to the rest.
  size = chosen ? std::ranges::count_if(*chosen, [](std::int64_t n) { return n != 0; })
                : std::min(size, elements(node.shape(1)));
  Facts facts = one(node.input(0).type, std::move(shape));
  if (!chosen) mark_bounds(facts);
  return facts;
}

Result<Facts> infer_unique(const NodeView& node) {
  HORUS_TRY(const auto axis, optional_axis(node));
  const Shape shape = axis ? node.shape(0) : Shape{elements(node.shape(0))};
  const std::int64_t size = shape[axis.value_or(0)];
  Facts facts = one(node.input(0).type, shape);
  for (int i = 0; i < 3; ++i) facts.push_back({.type = ElementType::Int64, .shape = {size}});
  mark_bounds(facts);
  // One index per element of the input; com.microsoft gives no first occurrences before it.
  facts[node.node().domain.empty() ? 2 : 1].is_bound = false;
  return facts;
}

Result<Facts> infer_tensor_scatter(const NodeView& node) {
  const Shape& cache = node.shape(0);
  Shape update = node.shape(1);
  HORUS_TRY(const std::size_t axis, axis_index(node.integer("axis", -2), cache.size()));
  const bool fits = update.size() == cache.size() && update[axis] <= cache[axis];
  if (fits) update[axis] = cache[axis];
  if (update != cache) {
    return refuse(fmt::format("update {} does not fit into cache {}", text_of(node.shape(1)),
                              text_of(cache)));
  }
  return one(node.input(0).type, cache);
}

}  // namespace horus::graph
