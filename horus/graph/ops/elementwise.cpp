// SPDX-License-Identifier: Apache-2.0
// Operators that compute every output element from the elements at its place.

#include <utility>

#include "horus/graph/ops/families.hpp"

namespace horus::graph {
namespace {

Result<Shape> broadcast_all(const NodeView& node) {
  Shape shape = node.shape(0);
  for (std::size_t i = 1; i < node.input_count(); ++i) {
    if (!node.has_input(i)) continue;
    // Where the right operand is aligned at `axis` instead of at the end, the result has the left
    // shape.
    if (node.behaves("aligns at axis") && node.integer("broadcast", 0) != 0) continue;
    HORUS_TRY(shape, broadcast(shape, node.shape(i)));
  }
  return shape;
}

void keep(const CostView& node, CostSheet& sheet) {
  switch (node.rule().pointwise.keeps) {
    case Keeps::Nothing:
      return;
    case Keeps::Input:
      sheet.kept_inputs.push_back(0);
      return;
    case Keeps::Output:
      sheet.kept_outputs.push_back(0);
      return;
    case Keeps::Mask:
      sheet.kept_bytes = elements(node.result().shape);
      return;
    case Keeps::Inputs:
      break;
  }
  // The gradient of one operand of a product needs the others.
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const std::size_t own = node.operand(i).needs_gradient ? 1 : 0;
    if (node.has_input(i) && node.gradients() > own) sheet.kept_inputs.push_back(i);
  }
}

void cost_gradient(const CostView& node, CostSheet& sheet, std::size_t input) {
  OpWork& work = sheet.work;
  const double size = node.result_size();
  const double per_element = node.rule().pointwise.flops_backward;
  const bool is_summed = node.size(input) < size;
  // The gradient of a sum is the output's gradient itself: no kernel, unless it was broadcast.
  if (per_element == 0 && !is_summed) return;
  work.kernels_backward += (per_element > 0 ? 1 : 0) + (is_summed ? 1 : 0);
  work.flops_backward += (per_element + (is_summed ? 1 : 0)) * size;
  const bool reads_kept = node.rule().pointwise.keeps != Keeps::Nothing;
  work.elements_read_backward += (reads_kept ? 2 : 1) * size;
  work.elements_written_backward += node.is_activation(input) ? node.size(input) : 0;
}

}  // namespace

Result<Facts> infer_elementwise(const NodeView& node) {
  HORUS_TRY(Shape shape, broadcast_all(node));
  return one(node.input(0).type, std::move(shape));
}

Result<Facts> infer_predicate(const NodeView& node) {
  HORUS_TRY(Shape shape, broadcast_all(node));
  return one(ElementType::Bool, std::move(shape));
}

Result<Facts> infer_truth(const NodeView& node) { return one(ElementType::Bool, node.shape(0)); }

Result<Facts> infer_where(const NodeView& node) {
  HORUS_TRY(Shape shape, broadcast_all(node));
  return one(node.input(1).type, std::move(shape));
}

void cost_pointwise(const CostView& node, CostSheet& sheet) {
  OpWork& work = sheet.work;
  const double size = node.result_size();
  // An operator of any number of inputs combines them one by one.
  const bool is_variadic = node.rule().inputs_max == kAnyNumber && node.input_count() > 2;
  const double times = is_variadic ? static_cast<double>(node.input_count() - 1) : 1;
  work.flops_forward = node.rule().pointwise.flops_forward * times * size;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const bool reads = node.has_input(i) && node.operand(i).part != Part::Trained;
    if (reads && is_floating(node.input(i).type)) work.elements_read += node.size(i);
  }
  if (is_floating(node.result().type)) work.elements_written = size;
  work.kernels_forward = work.host_ops_forward = 1;
  if (!node.runs_backward()) return;
  work.host_ops_backward = 1;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (node.operand(i).needs_gradient) cost_gradient(node, sheet, i);
  }
  keep(node, sheet);
}

}  // namespace horus::graph
