// SPDX-License-Identifier: Apache-2.0
// Another spatial resolution: interpolation, and blocks of space moved into channels and back.

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "horus/graph/ops/families.hpp"

namespace horus::graph {
namespace {

struct ScalePlace {
  std::size_t scales;  ///< Input that holds the scales.
  std::size_t sizes;   ///< Input that holds the sizes.
};

/// Resize-10 and Upsample-9 have (X, scales); Resize-11 and later (X, roi, scales, sizes).
ScalePlace place_of(const NodeView& node) {
  const bool is_old = node.node().op_type == "Upsample" || node.opset() < 11;
  if (is_old) return {.scales = 1, .sizes = kAnyNumber};
  return {.scales = 2, .sizes = 3};
}

std::optional<std::vector<double>> scales_of(const NodeView& node, std::size_t input) {
  const auto found = node.node().attributes.find("scales");
  if (found != node.node().attributes.end()) {
    const auto* list = std::get_if<std::vector<double>>(&found->second);
    if (list != nullptr) return *list;
  }
  if (!node.has_input(input) || !node.input(input).contents) return std::nullopt;
  const auto* list = std::get_if<std::vector<double>>(&*node.input(input).contents);
  if (list == nullptr || list->empty()) return std::nullopt;
  return *list;
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

Result<std::int64_t> block_of(const NodeView& node) {
  const std::int64_t block = node.integer("blocksize", 0);
  if (node.shape(0).size() != 4) {
    return refuse(fmt::format("expected 4 axes, found {}", text_of(node.shape(0))));
  }
  if (block < 1 || block > (1 << 15)) return refuse(fmt::format("blocksize is {}", block));
  return block;
}

}  // namespace

Result<Facts> infer_resize(const NodeView& node) {
  Shape shape = node.shape(0);
  const ScalePlace place = place_of(node);
  HORUS_TRY(const auto axes, named_axes(node));
  if (const auto sizes = node.contents(place.sizes); sizes && !sizes->empty()) {
    if (sizes->size() != axes.size()) return refuse("sizes do not match the axes");
    for (std::size_t i = 0; i < axes.size(); ++i) shape[axes[i]] = (*sizes)[i];
    return one(node.input(0).type, std::move(shape));
  }
  auto scales = scales_of(node, place.scales);
  if (!scales && node.has_attribute("height_scale")) {  // Upsample-1.
    scales = {{1.0, 1.0, node.real("height_scale", 1), node.real("width_scale", 1)}};
  }
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
  // Nearest copies; linear weighs 4 neighbours in the plane, cubic 16: 2 operations for each.
  const std::string mode = node.text("mode", "nearest");
  const double neighbours = mode == "nearest" ? 0 : (mode == "cubic" ? 16 : 4);
  OpWork& work = sheet.work;
  work.flops_forward = 2 * neighbours * node.result_size();
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
