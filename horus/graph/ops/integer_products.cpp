// SPDX-License-Identifier: Apache-2.0
// Convolutions and products of quantized tensors. They infer: nothing flows back, and their weights
// are integers that do not train. One multiply-accumulate is one, whatever its width.

#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "horus/graph/ops/families.hpp"

namespace horus::graph {
namespace {

/// The node as if it had only the inputs at `places`, in that order.
NodeView with_inputs(const NodeView& node, std::initializer_list<std::size_t> places) {
  std::vector<const Fact*> inputs;
  for (const std::size_t i : places) inputs.push_back(node.has_input(i) ? &node.input(i) : nullptr);
  return {node.node(), node.opset(), std::move(inputs)};
}

Result<Facts> retyped(Result<Facts> facts, ElementType type) {
  if (facts && !facts->empty()) facts->front().type = type;
  return facts;
}

/// Work of a product that reads and writes integers (accounted as such by the caller) or floats.
void cost_fixed_product(const CostView& node, CostSheet& sheet, const GemmShape& gemm) {
  OpWork& work = sheet.work;
  work.gemm = gemm;
  work.macs = gemm.m * gemm.n * gemm.k * gemm.groups;
  work.flops_forward = 2 * work.macs;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (node.is_activation(i) && is_floating(node.input(i).type)) {
      work.elements_read += node.size(i);
    }
  }
  if (is_floating(node.result().type)) work.elements_written = node.result_size();
  work.kernels_forward = work.host_ops_forward = 1;
}

void cost_fixed_matmul(const CostView& node, CostSheet& sheet, const Shape& left,
                       const Shape& right) {
  const Shape& result = node.result().shape;
  if (node.result_size() == 0 || left.empty() || right.empty()) return;
  const double depth = static_cast<double>(left.back());
  const double columns = right.size() < 2 ? 1 : static_cast<double>(right.back());
  const bool is_shared = right.size() <= 2 || result.size() < 2;
  const double rows =
      is_shared ? node.result_size() / columns : static_cast<double>(result[result.size() - 2]);
  cost_fixed_product(
      node, sheet,
      {.m = rows, .n = columns, .k = depth, .groups = node.result_size() / (rows * columns)});
}

void cost_fixed_convolution(const CostView& node, CostSheet& sheet, const Shape& weight) {
  const double groups = static_cast<double>(node.integer("group", 1));
  cost_fixed_product(node, sheet, convolution_gemm(weight, node.result().shape, groups));
}

}  // namespace

Result<Facts> infer_conv_integer(const NodeView& node) {
  const NodeView plain = with_inputs(node, {0, 1});
  return retyped(infer_as(infer_convolution, plain), ElementType::Int32);
}

Result<Facts> infer_qlinear_conv(const NodeView& node) {
  return retyped(infer_as(infer_convolution, with_inputs(node, {0, 3})), node.input(7).type);
}

Result<Facts> infer_matmul_integer(const NodeView& node) {
  return retyped(infer_as(infer_matmul, with_inputs(node, {0, 1})), ElementType::Int32);
}

Result<Facts> infer_qlinear_matmul(const NodeView& node) {
  return retyped(infer_as(infer_matmul, with_inputs(node, {0, 3})), node.input(7).type);
}

/// MatMulIntegerToFloat (A, B, scale of A, ...) and DynamicQuantizeMatMul (A, B, scale of B, ...):
/// the result has the type of the scale.
Result<Facts> infer_matmul_to_float(const NodeView& node) {
  return retyped(infer_as(infer_matmul, with_inputs(node, {0, 1})), node.input(2).type);
}

/// QGemm (A, scale, zero, B, scale, zero, C, scale of Y, zero of Y): floats without the last.
Result<Facts> infer_qgemm(const NodeView& node) {
  const ElementType type = node.has_input(8) ? node.input(8).type : ElementType::Float32;
  return retyped(infer_as(infer_gemm, with_inputs(node, {0, 3})), type);
}

/// MatMulNBits (A, packed B, scales, ...): B is K x N in blocks, its sizes are attributes.
Result<Facts> infer_matmul_nbits(const NodeView& node) {
  Shape shape = node.shape(0);
  const std::int64_t depth = node.integer("K", 0);
  const std::int64_t columns = node.integer("N", 0);
  if (shape.empty() || shape.back() != depth || columns < 1) {
    return refuse(
        fmt::format("rows {} do not meet a matrix of {} x {}", text_of(shape), depth, columns));
  }
  shape.back() = columns;
  return one(node.input(0).type, std::move(shape));
}

void cost_conv_integer(const CostView& node, CostSheet& sheet) {
  cost_fixed_convolution(node, sheet, node.shape(1));
}

void cost_qlinear_conv(const CostView& node, CostSheet& sheet) {
  cost_fixed_convolution(node, sheet, node.shape(3));
}

void cost_matmul_integer(const CostView& node, CostSheet& sheet) {
  cost_fixed_matmul(node, sheet, node.shape(0), node.shape(1));
}

void cost_qlinear_matmul(const CostView& node, CostSheet& sheet) {
  cost_fixed_matmul(node, sheet, node.shape(0), node.shape(3));
}

void cost_qgemm(const CostView& node, CostSheet& sheet) {
  const Shape& result = node.result().shape;
  const double rows = static_cast<double>(result[0]);
  const double columns = static_cast<double>(result[1]);
  const double depth = rows > 0 ? node.size(0) / rows : 0;
  cost_fixed_product(node, sheet, {.m = rows, .n = columns, .k = depth, .groups = 1});
}

void cost_matmul_nbits(const CostView& node, CostSheet& sheet) {
  const double depth = static_cast<double>(node.integer("K", 1));
  const double columns = static_cast<double>(node.integer("N", 1));
  if (node.result_size() == 0) return;
  cost_fixed_product(node, sheet,
                     {.m = node.result_size() / columns, .n = columns, .k = depth, .groups = 1});
}

}  // namespace horus::graph
