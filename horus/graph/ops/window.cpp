// SPDX-License-Identifier: Apache-2.0
// How many positions a window has along each axis.

#include "horus/graph/ops/window.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "horus/base/text.hpp"

namespace horus::graph {
namespace {

Result<std::vector<std::int64_t>> per_axis(const NodeView& node, const char* name,
                                           std::size_t entries, std::int64_t fallback,
                                           std::int64_t least) {
  std::vector<std::int64_t> list = node.integers(name);
  if (list.empty()) list.assign(entries, fallback);
  if (list.size() != entries) {
    return refuse(
        fmt::format("attribute '{}' has {} entries, expected {}", name, list.size(), entries));
  }
  if (std::ranges::any_of(list, [&](std::int64_t entry) { return entry < least; })) {
    return refuse(fmt::format("attribute '{}' is {}, every entry must be at least {}", name,
                              text_of(list), least));
  }
  return list;
}

Result<Padding> read_padding(const NodeView& node) {
  const std::string text = node.text("auto_pad", "NOTSET");
  if (text == "NOTSET" || text.empty()) return Padding::Explicit;
  if (text == "SAME_UPPER") return Padding::SameUpper;
  if (text == "SAME_LOWER") return Padding::SameLower;
  if (text == "VALID") return Padding::Valid;
  return refuse(
      fmt::format("auto_pad is '{}', which is none of NOTSET, SAME_UPPER, SAME_LOWER, "
                  "VALID",
                  printable(text)));
}

std::int64_t positions(std::int64_t free, std::int64_t stride, Rounding rounding) {
  return (rounding == Rounding::Up ? (free + stride - 1) / stride : free / stride) + 1;
}

}  // namespace

Result<Window> read_window(const NodeView& node, std::size_t axes,
                           std::span<const std::int64_t> kernel) {
  Window window;
  window.kernel.assign(kernel.begin(), kernel.end());
  if (kernel.empty() && !node.has_attribute("kernel_shape")) {
    return refuse("attribute 'kernel_shape' is missing");
  }
  if (node.has_attribute("kernel_shape")) {
    HORUS_TRY(window.kernel, per_axis(node, "kernel_shape", axes, 0, 1));
  }
  HORUS_TRY(window.strides, per_axis(node, "strides", axes, 1, 1));
  HORUS_TRY(window.dilations, per_axis(node, "dilations", axes, 1, 1));
  HORUS_TRY(const auto pads, per_axis(node, "pads", 2 * axes, 0, 0));
  HORUS_TRY(window.padding, read_padding(node));
  const auto half = pads.begin() + static_cast<std::ptrdiff_t>(axes);
  window.begins.assign(pads.begin(), half);
  window.ends.assign(half, pads.end());
  if (window.padding == Padding::Valid) {
    window.begins.assign(axes, 0);
    window.ends.assign(axes, 0);
  }
  window.rounding = node.integer("ceil_mode", 0) != 0 ? Rounding::Up : Rounding::Down;
  return window;
}

Result<Shape> slide(const Window& window, std::span<const std::int64_t> spatial) {
  Shape sizes(spatial.size());
  for (std::size_t i = 0; i < spatial.size(); ++i) {
    const std::int64_t stride = window.strides[i];
    if (window.padding == Padding::SameUpper || window.padding == Padding::SameLower) {
      sizes[i] = (spatial[i] + stride - 1) / stride;
      continue;
    }
    const std::int64_t reach = window.dilations[i] * (window.kernel[i] - 1) + 1;
    const std::int64_t padded = spatial[i] + window.begins[i] + window.ends[i];
    if (padded < reach) {
      return refuse(
          fmt::format("a window of {} does not fit into {} with its padding", reach, spatial[i]));
    }
    sizes[i] = positions(padded - reach, stride, window.rounding);
    const bool starts_in_padding = (sizes[i] - 1) * stride >= spatial[i] + window.begins[i];
    if (window.rounding == Rounding::Up && starts_in_padding) --sizes[i];
  }
  return sizes;
}

}  // namespace horus::graph
