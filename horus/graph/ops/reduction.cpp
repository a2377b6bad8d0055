// SPDX-License-Identifier: Apache-2.0
// Axes summed, averaged or searched away.

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "horus/graph/ops/families.hpp"

namespace horus::graph {
namespace {

Shape reduced(const Shape& data, const std::vector<std::size_t>& axes, bool keeps) {
  Shape shape;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const bool is_reduced = std::ranges::find(axes, i) != axes.end();
    if (!is_reduced) shape.push_back(data[i]);
    if (is_reduced && keeps) shape.push_back(1);
  }
  return shape;
}

/// Backward of sums and means spreads the gradient and needs nothing; the others compare or divide.
bool needs_values(std::string_view op_type) {
  return op_type != "ReduceSum" && op_type != "ReduceMean";
}

}  // namespace

Result<Facts> infer_reduction(const NodeView& node) {
  const Shape& data = node.shape(0);
  std::vector<std::size_t> axes;
  const auto list = node.setting("axes");
  if (list) {
    for (const std::int64_t entry : *list) {
      HORUS_TRY(const std::size_t axis, axis_index(entry, data.size()));
      axes.push_back(axis);
    }
  }
  if (axes.empty()) {
    if (node.integer("noop_with_empty_axes", 0) != 0) return one(node.input(0).type, data);
    for (std::size_t axis = 0; axis < data.size(); ++axis) axes.push_back(axis);
  }
  return one(node.input(0).type, reduced(data, axes, node.integer("keepdims", 1) != 0));
}

Result<Facts> infer_arg_reduction(const NodeView& node) {
  const Shape& data = node.shape(0);
  HORUS_TRY(const std::size_t axis, axis_index(node.integer("axis", 0), data.size()));
  return one(ElementType::Int64, reduced(data, {axis}, node.integer("keepdims", 1) != 0));
}

Result<Facts> infer_top_k(const NodeView& node) {
  Shape shape = node.shape(0);
  HORUS_TRY(const std::size_t axis, axis_index(node.integer("axis", -1), shape.size()));
  const bool is_open = node.depends_on_data("k");
  const auto k = is_open ? std::nullopt : node.setting("k");
  const bool is_a_count = k && k->size() == 1 && k->front() >= 0 && k->front() <= shape[axis];
  if (!is_a_count && !is_open) {
    return refuse(fmt::format("k is not a number of elements on an axis of {}", shape[axis]));
  }
  if (is_a_count) shape[axis] = k->front();
  Facts facts = one(node.input(0).type, shape);
  facts.push_back({.type = ElementType::Int64, .shape = std::move(shape)});
  if (is_open) mark_bounds(facts);
  return facts;
}

void cost_reduction(const CostView& node, CostSheet& sheet) {
  OpWork& work = sheet.work;
  const double size = is_floating(node.input(0).type) ? node.size(0) : 0;
  work.flops_forward = node.rule().pointwise.flops_forward * size;
  work.elements_read = size;
  if (is_floating(node.result().type)) work.elements_written = node.result_size();
  work.kernels_forward = work.host_ops_forward = 1;
  if (!node.runs_backward()) return;
  work.flops_backward = size;
  work.kernels_backward = work.host_ops_backward = 1;
  work.elements_written_backward = size;
  work.elements_read_backward = node.result_size();
  if (!needs_values(node.node().op_type)) return;
  work.elements_read_backward += size + node.result_size();
  sheet.kept_inputs.push_back(0);
  sheet.kept_outputs.push_back(0);
}

void cost_top_k(const CostView& node, CostSheet& sheet) {
  // A selection compares every element a few times; sorting is left out of the count.
  OpWork& work = sheet.work;
  work.flops_forward = node.size(0);
  work.elements_read = node.size(0);
  work.elements_written = node.result_size();
  work.kernels_forward = 2;
  work.host_ops_forward = 1;
  if (!node.runs_backward()) return;
  work.kernels_backward = 2;
  work.host_ops_backward = 1;
  work.elements_read_backward = node.result_size();
  work.elements_written_backward = node.size(0);
  sheet.kept_bytes = elements(node.result().shape) * element_bytes(ElementType::Int64);
}

}  // namespace horus::graph
