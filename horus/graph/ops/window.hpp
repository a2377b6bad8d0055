// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sliding windows: the arithmetic that convolutions and pools share.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/graph/node_view.hpp"
#include "horus/graph/shape.hpp"

namespace horus::graph {

enum class Padding { Explicit, SameUpper, SameLower, Valid };
enum class Rounding { Down, Up };

/// A window over the spatial axes, one entry per axis. Entries are positive, paddings >= 0.
struct Window {
  std::vector<std::int64_t> kernel;
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> dilations;
  std::vector<std::int64_t> begins;  ///< Padding before the first element.
  std::vector<std::int64_t> ends;    ///< Padding after the last element.
  Padding padding{Padding::Explicit};
  Rounding rounding{Rounding::Down};

  [[nodiscard]] double volume() const { return count(kernel); }
};

/// Reads kernel_shape (or `kernel` where the attribute is absent), strides, dilations, pads,
/// auto_pad and ceil_mode for `axes` spatial axes.
[[nodiscard]] Result<Window> read_window(const NodeView& node, std::size_t axes,
                                         std::span<const std::int64_t> kernel = {});

/// Sizes after the window has slid over `spatial`. A last window that would start in the padding
/// is left out when rounding up, as PyTorch and ONNX 1.16 do.
[[nodiscard]] Result<Shape> slide(const Window& window, std::span<const std::int64_t> spatial);

}  // namespace horus::graph
