// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where Slice cuts and how Transpose orders, for shapes and for contents alike.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/graph/node_view.hpp"

namespace horus::graph {

/// Elements start, start + step, ... of one axis, `length` of them, all inside the axis.
struct Cut {
  std::int64_t start{0};
  std::int64_t step{1};
  std::int64_t length{0};
};

/// One cut per axis of input 0 of a Slice; whole axes where nothing is cut.
[[nodiscard]] Result<std::vector<Cut>> read_cuts(const NodeView& node);

/// True where a Slice cuts at places that are computed from data: its input is then a bound.
[[nodiscard]] bool depends_on_data(const NodeView& node);

/// The order of axes of a Transpose: all of them once.
[[nodiscard]] Result<std::vector<std::size_t>> transposed_axes(const NodeView& node);

}  // namespace horus::graph
