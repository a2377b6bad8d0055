// SPDX-License-Identifier: Apache-2.0
// Regions of images: sampling at computed places, boxes, and pools over regions.

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "horus/graph/ops/families.hpp"

namespace horus::graph {
namespace {

constexpr std::size_t kSpatial = 2;
constexpr double kBilinear = 8;  // Four neighbours, a product and a sum each.

/// A value computed from `samples` neighbourhoods per output element, `flops` operations each;
/// backward scatters into the input and, where it is asked for, differentiates the places.
void cost_sampling(const CostView& node, CostSheet& sheet, double flops) {
  OpWork& work = sheet.work;
  work.flops_forward = flops * node.result_size();
  work.elements_read = node.size(0) + (node.is_activation(1) ? node.size(1) : 0);
  work.elements_written = node.result_size();
  work.kernels_forward = work.host_ops_forward = 1;
  if (!node.runs_backward()) return;
  work.flops_backward = work.flops_forward * static_cast<double>(node.gradients());
  work.elements_read_backward = node.result_size() + work.elements_read;
  for (std::size_t i = 0; i < 2; ++i) {
    if (node.operand(i).needs_gradient) work.elements_written_backward += node.size(i);
  }
  work.kernels_backward = 2;  // The gradient is cleared, then scattered into.
  work.host_ops_backward = 1;
  sheet.kept_inputs = {0, 1};
}

Result<Shape> pooled_regions(const NodeView& node, Shape space) {
  const Shape& data = node.shape(0);
  const Shape& regions = node.shape(1);
  if (data.size() != 4 || regions.size() != 2) {
    return refuse(fmt::format("images {} and regions {} should have 4 and 2 axes", text_of(data),
                              text_of(regions)));
  }
  if (!std::ranges::all_of(space, [](std::int64_t size) { return size > 0; })) {
    return refuse(fmt::format("regions cannot be pooled to {}", text_of(space)));
  }
  return Shape{regions[0], data[1], space[0], space[1]};
}

/// The boxes that are kept for each class: all, or as many as input 2 allows.
std::int64_t boxes_max(const NodeView& node, std::int64_t boxes) {
  if (!node.has_input(2)) return 0;  // The operator's default keeps nothing.
  const auto most = node.contents(2);
  if (!most || most->size() != 1) return boxes;
  return std::clamp<std::int64_t>(most->front(), 0, boxes);
}

}  // namespace

Result<Facts> infer_grid_sample(const NodeView& node) {
  const Shape& data = node.shape(0);
  const Shape& grid = node.shape(1);
  const bool fits = data.size() > kSpatial && grid.size() == data.size() && grid[0] == data[0] &&
                    grid.back() == static_cast<std::int64_t>(data.size() - kSpatial);
  if (!fits) {
    return refuse(fmt::format("grid {} does not point into {}", text_of(grid), text_of(data)));
  }
  Shape shape{data[0], data[1]};
  shape.insert(shape.end(), grid.begin() + 1, grid.end() - 1);
  return one(node.input(0).type, std::move(shape));
}

void cost_grid_sample(const CostView& node, CostSheet& sheet) {
  cost_sampling(node, sheet, 2 * neighbours_of(node.text("mode", "linear")));
}

Result<Facts> infer_affine_grid(const NodeView& node) {
  const Shape& theta = node.shape(0);
  const auto size = node.contents(1);
  if (!size) return refuse("the size depends on data, so it is unknown");
  const std::size_t axes = size->size() < kSpatial ? 0 : size->size() - kSpatial;
  const auto signed_axes = static_cast<std::int64_t>(axes);
  if (axes < 2 || theta.size() != 3 || theta[1] != signed_axes || theta[2] != signed_axes + 1) {
    return refuse(
        fmt::format("transformations {} do not fit images of {}", text_of(theta), text_of(*size)));
  }
  Shape shape{theta[0]};
  shape.insert(shape.end(), size->begin() + kSpatial, size->end());
  shape.push_back(signed_axes);
  return one(node.input(0).type, std::move(shape));
}

void cost_affine_grid(const CostView& node, CostSheet& sheet) {
  const Shape& theta = node.shape(0);
  const double depth = static_cast<double>(theta[2]);
  OpWork& work = sheet.work;
  work.macs = node.result_size() * depth;
  work.flops_forward = 2 * work.macs;
  work.elements_read = node.size(0);
  work.elements_written = node.result_size();
  work.kernels_forward = 2;  // The grid of places, and its product with the transformations.
  work.host_ops_forward = 1;
  if (!node.runs_backward()) return;
  work.flops_backward = work.flops_forward;
  work.elements_read_backward = node.result_size();
  work.elements_written_backward = node.size(0);
  work.kernels_backward = work.host_ops_backward = 1;
}

Result<Facts> infer_roi_align(const NodeView& node) {
  HORUS_TRY(Shape shape, pooled_regions(node, {node.integer("output_height", 1),
                                               node.integer("output_width", 1)}));
  return one(node.input(0).type, std::move(shape));
}

void cost_roi_align(const CostView& node, CostSheet& sheet) {
  // Left to itself (0), the operator takes as many samples as a region has pixels per output; two
  // along each axis is what detectors set (torchvision's MultiScaleRoIAlign).
  constexpr double kUsualSamples = 2;
  const double given = static_cast<double>(node.integer("sampling_ratio", 0));
  const double samples = given > 0 ? given : kUsualSamples;
  cost_sampling(node, sheet, kBilinear * samples * samples);
}

Result<Facts> infer_max_roi_pool(const NodeView& node) {
  Shape space = node.integers("pooled_shape");
  if (space.size() != 2) return refuse("attribute 'pooled_shape' needs two entries");
  HORUS_TRY(Shape shape, pooled_regions(node, std::move(space)));
  return one(node.input(0).type, std::move(shape));
}

void cost_max_roi_pool(const CostView& node, CostSheet& sheet) { cost_sampling(node, sheet, 1); }

Result<Facts> infer_crop_and_resize(const NodeView& node) {
  const auto size = node.contents(3);
  if (!size || size->size() != 2) return refuse("the size depends on data, so it is unknown");
  HORUS_TRY(Shape shape, pooled_regions(node, *size));
  return one(node.input(0).type, std::move(shape));
}

void cost_crop_and_resize(const CostView& node, CostSheet& sheet) {
  cost_sampling(node, sheet, kBilinear);
}

Result<Facts> infer_non_max_suppression(const NodeView& node) {
  const Shape& boxes = node.shape(0);
  const Shape& scores = node.shape(1);
  if (boxes.size() != 3 || scores.size() != 3 || boxes[1] != scores[2]) {
    return refuse(fmt::format("boxes {} and scores {} do not belong together", text_of(boxes),
                              text_of(scores)));
  }
  const std::int64_t most = boxes_max(node, boxes[1]);
  if (scores[0] > 0 && scores[1] > kMaxElements / scores[0]) return refuse("too many classes");
  const std::int64_t lists = scores[0] * scores[1];
  if (most > 0 && lists > kMaxElements / most) return refuse("too many boxes");
  Facts facts = one(ElementType::Int64, {lists * most, 3});
  mark_bounds(facts);
  return facts;
}

void cost_non_max_suppression(const CostView& node, CostSheet& sheet) {
  // Every score is compared once and sorted; overlaps (some 16 operations) are computed between a
  // box and those kept before it, at most all pairs.
  constexpr double kOverlap = 16;
  const double pairs = node.size(1) * static_cast<double>(boxes_max(node, node.shape(0)[1]));
  OpWork& work = sheet.work;
  work.flops_forward = node.size(1) + kOverlap * pairs / 2;
  work.elements_read = node.size(0) + node.size(1);
  work.kernels_forward = 3;
  work.host_ops_forward = 1;
}

Result<Facts> infer_image_decoder(const NodeView&) {
  return refuse("the size of an image stands in its encoded bytes, which are data");
}

}  // namespace horus::graph
