// SPDX-License-Identifier: Apache-2.0
// Pools: a window or a whole plane reduced to one element.

#include <utility>

#include <fmt/format.h>

#include "horus/graph/ops/families.hpp"
#include "horus/graph/ops/window.hpp"

namespace horus::graph {
namespace {

constexpr std::size_t kSpatial = 2;

Result<Shape> pooled(const NodeView& node) {
  const Shape& data = node.shape(0);
  if (data.size() <= kSpatial) {
    return refuse(fmt::format("a pool needs samples, channels and space, found {}", text_of(data)));
  }
  HORUS_TRY(const Window window, read_window(node, data.size() - kSpatial));
  HORUS_TRY(const Shape sizes, slide(window, std::span{data}.subspan(kSpatial)));
  Shape shape{data[0], data[1]};
  shape.insert(shape.end(), sizes.begin(), sizes.end());
  return shape;
}

void cost_reading_all(const CostView& node, CostSheet& sheet, double flops) {
  OpWork& work = sheet.work;
  work.flops_forward = flops;
  work.elements_read = node.size(0);
  work.elements_written = node.result_size();
  work.kernels_forward = work.host_ops_forward = 1;
  if (!node.runs_backward()) return;
  work.kernels_backward = work.host_ops_backward = 1;
  work.elements_read_backward = node.result_size();
  work.elements_written_backward = node.size(0);
}

}  // namespace

Result<Facts> infer_pool(const NodeView& node) {
  HORUS_TRY(Shape shape, pooled(node));
  return one(node.input(0).type, std::move(shape));
}

Result<Facts> infer_max_pool(const NodeView& node) {
  HORUS_TRY(Shape shape, pooled(node));
  Facts facts = one(node.input(0).type, shape);
  facts.push_back({.type = ElementType::Int64, .shape = std::move(shape)});
  return facts;
}

void cost_max_pool(const CostView& node, CostSheet& sheet) {
  const auto window = read_window(node, node.shape(0).size() - kSpatial);
  cost_reading_all(node, sheet, node.result_size() * (window ? window->volume() : 1));
  // PyTorch keeps the input and an int64 index per output element.
  if (!node.runs_backward()) return;
  const auto index_bytes = elements(node.result().shape) * element_bytes(ElementType::Int64);
  sheet.kept_inputs.push_back(0);
  sheet.kept_bytes = index_bytes;
  sheet.work.index_bytes = Bytes{2 * index_bytes};
  sheet.work.flops_backward = node.result_size();
}

void cost_average_pool(const CostView& node, CostSheet& sheet) {
  const auto window = read_window(node, node.shape(0).size() - kSpatial);
  const double flops = node.result_size() * (window ? window->volume() : 1);
  cost_reading_all(node, sheet, flops);
  if (!node.runs_backward()) return;
  sheet.kept_inputs.push_back(0);
  sheet.work.flops_backward = flops;
}

Result<Facts> infer_global_pool(const NodeView& node) {
  Shape shape = node.shape(0);
  if (shape.size() < kSpatial) {
    return refuse(fmt::format("a pool needs samples and channels, found {}", text_of(shape)));
  }
  for (std::size_t i = kSpatial; i < shape.size(); ++i) shape[i] = 1;
  return one(node.input(0).type, std::move(shape));
}

void cost_global_pool(const CostView& node, CostSheet& sheet) {
  cost_reading_all(node, sheet, node.size(0));
  // A mean over axes needs only the sizes backward; a maximum needs its place.
  if (node.runs_backward()) sheet.work.flops_backward = node.size(0);
}

}  // namespace horus::graph
