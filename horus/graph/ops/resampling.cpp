// SPDX-License-Identifier: Apache-2.0
// Another spatial resolution: interpolation, and blocks of space moved into channels and back.

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "horus/graph/ops/families.hpp"

namespace horus::graph {
namespace {

/// Scales, one per named axis; nothing where the node gives none.
std::optional<std::vector<double>> scales_of(const NodeView& node) {
  auto scales = node.real_setting("scales");
  if (scales && !scales->empty()) return scales;
  if (!node.has_attribute("height_scale")) return std::nullopt;  // Upsample-1.
  return std::vector{1.0, 1.0, node.real("height_scale", 1), node.real("width_scale", 1)};
}

/// Axes that a Resize names (version 18), or all.
Result<std::vector<std::size_t>> named_axes(const NodeView& node) {
  const std::size_t rank = node.shape(0).size();
  std::vector<std::size_t> axes;
  const auto list = node.integers("axes");
  for (const std::int64_t entry : list) {
    HORUS_TRY(const std::size_t axis, axis_index(entry, rank));
    axes.push_back(axis);
  }
  for (std::size_t axis = 0; list.empty() && axis < rank; ++axis) axes.push_back(axis);
  return axes;
}

Result<std::int64_t> scaled(std::int64_t size, double scale) {
  const double result = std::floor(static_cast<double>(size) * scale);
  if (!(scale > 0) || !(result <= static_cast<double>(kMaxElements))) {
    return refuse(fmt::format("{} times {} is no size", size, scale));
  }
  return static_cast<std::int64_t>(result);
}

/// Sizes that keep the aspect ratio (version 18): one scale for all axes, the smallest or the
/// largest of those that the wanted sizes ask for, and sizes rounded to the nearest.
Result<std::vector<std::int64_t>> proportional(const NodeView& node,
                                               std::span<const std::size_t> axes,
                                               std::vector<std::int64_t> sizes) {
  const std::string policy = node.text("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch" || axes.empty()) return sizes;
  std::vector<double> scales;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const double size = static_cast<double>(node.shape(0)[axes[i]]);
    if (!(size > 0)) return refuse("an empty axis has no aspect ratio");
    scales.push_back(static_cast<double>(sizes[i]) / size);
  }
  const auto [least, most] = std::ranges::minmax(scales);
  const double scale = policy == "not_larger" ? least : most;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const double size = std::floor(static_cast<double>(node.shape(0)[axes[i]]) * scale + 0.5);
    if (!(size >= 0 && size <= static_cast<double>(kMaxElements))) {
      return refuse("a size is beyond all bounds");
    }
    sizes[i] = static_cast<std::int64_t>(size);
  }
  return sizes;
}

Result<std::int64_t> block_of(const NodeView& node) {
  const std::int64_t block = node.integer("blocksize", 0);
  if (node.shape(0).size() != 4) {
    return refuse(fmt::format("expected 4 axes, found {}", text_of(node.shape(0))));
  }
  if (block < 1 || block > (1 << 15)) return refuse(fmt::format("blocksize is {}", block));
  return block;
}

}  // namespace

double neighbours_of(std::string_view mode) {
  struct Mode {
    std::string_view name;
    double neighbours;
  };
  constexpr std::array kModes{Mode{"nearest", 0}, Mode{"linear", 4}, Mode{"bilinear", 4},
                              Mode{"cubic", 16}, Mode{"bicubic", 16}};
  const auto* found = std::ranges::find(kModes, mode, &Mode::name);
  return found == kModes.end() ? 4 : found->neighbours;
}

Result<Facts> infer_resize(const NodeView& node) {
  Shape shape = node.shape(0);
  HORUS_TRY(const auto axes, named_axes(node));
  if (auto wanted = node.setting("sizes"); wanted && !wanted->empty()) {
    if (wanted->size() != axes.size()) return refuse("sizes do not match the axes");
    HORUS_TRY(const auto sizes, proportional(node, axes, *std::move(wanted)));
    for (std::size_t i = 0; i < axes.size(); ++i) shape[axes[i]] = sizes[i];
    return one(node.input(0).type, std::move(shape));
  }
  const auto scales = scales_of(node);
  if (!scales) return refuse("neither sizes nor scales are known");
  if (scales->size() != axes.size()) return refuse("scales do not match the axes");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    HORUS_TRY(shape[axes[i]], scaled(shape[axes[i]], (*scales)[i]));
  }
  return one(node.input(0).type, std::move(shape));
}

Result<Facts> infer_depth_to_space(const NodeView& node) {
  HORUS_TRY(const std::int64_t block, block_of(node));
  const Shape& data = node.shape(0);
  if (data[1] % (block * block) != 0) {
    return refuse(fmt::format("{} channels do not make blocks of {}", data[1], block));
  }
  if (data[2] > kMaxElements / block || data[3] > kMaxElements / block) {
    return refuse("the output is beyond all bounds");
  }
  return one(node.input(0).type,
             {data[0], data[1] / (block * block), data[2] * block, data[3] * block});
}

Result<Facts> infer_space_to_depth(const NodeView& node) {
  HORUS_TRY(const std::int64_t block, block_of(node));
  const Shape& data = node.shape(0);
  if (data[2] % block != 0 || data[3] % block != 0) {
    return refuse(fmt::format("{} is not divisible into blocks of {}", text_of(data), block));
  }
  if (data[1] > kMaxElements / (block * block)) return refuse("the output is beyond all bounds");
  return one(node.input(0).type,
             {data[0], data[1] * block * block, data[2] / block, data[3] / block});
}

void cost_resize(const CostView& node, CostSheet& sheet) {
  OpWork& work = sheet.work;
  work.flops_forward = 2 * neighbours_of(node.text("mode", "nearest")) * node.result_size();
  work.elements_read = node.size(0);
  work.elements_written = node.result_size();
  work.kernels_forward = work.host_ops_forward = 1;
  if (!node.runs_backward()) return;
  work.flops_backward = work.flops_forward + node.result_size();
  work.elements_read_backward = node.result_size();
  work.elements_written_backward = node.size(0);
  work.kernels_backward = work.host_ops_backward = 1;
}

}  // namespace horus::graph
