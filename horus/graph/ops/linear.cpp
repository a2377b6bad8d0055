// SPDX-License-Identifier: Apache-2.0
// Matrix products: with a weight (a linear layer) or of two activations (attention).

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "horus/graph/ops/families.hpp"

namespace horus::graph {
namespace {

struct MatrixSizes {
  std::int64_t rows, columns;
};

MatrixSizes matrix(const Shape& shape, std::int64_t transposed) {
  return transposed != 0 ? MatrixSizes{shape[1], shape[0]} : MatrixSizes{shape[0], shape[1]};
}

/// transBatchA and transBatchB of FusedMatMul: the first axis moves behind all others but the last,
/// so that [m, b, k] holds b matrices of m x k.
void rotate_batch(std::int64_t rotates, Shape& shape) {
  if (rotates == 0 || shape.size() < 3) return;
  std::rotate(shape.begin(), shape.begin() + 1, shape.end() - 1);
}

/// The shape that MatMul sees: vectors become matrices of one row (left) or column (right), and
/// FusedMatMul of com.microsoft may swap the last two axes first.
Shape left_matrix(const NodeView& node) {
  Shape shape = node.shape(0);
  if (shape.size() == 1) shape.insert(shape.begin(), 1);
  rotate_batch(node.integer("transBatchA", 0), shape);
  if (node.integer("transA", 0) != 0) std::swap(shape.back(), shape[shape.size() - 2]);
  return shape;
}
Shape right_matrix(const NodeView& node) {
  Shape shape = node.shape(1);
  if (shape.size() == 1) shape.push_back(1);
  rotate_batch(node.integer("transBatchB", 0), shape);
  if (node.integer("transB", 0) != 0) std::swap(shape.back(), shape[shape.size() - 2]);
  return shape;
}

}  // namespace

void cost_product(const CostView& node, CostSheet& sheet, double macs) {
  OpWork& work = sheet.work;
  const double written = node.result_size();
  const bool has_bias = node.has_bias(2);
  work.macs = macs;
  work.flops_forward = 2 * macs + (has_bias ? written : 0);
  work.elements_read =
      (node.is_activation(0) ? node.size(0) : 0) + (node.is_activation(1) ? node.size(1) : 0);
  work.elements_written = written;
  work.kernels_forward = 1;
  work.host_ops_forward = 1;
  if (!node.runs_backward()) return;
  work.host_ops_backward = 1;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!node.operand(i).needs_gradient) continue;
    // The gradient of one operand is the product of the output's gradient and the other operand.
    const std::size_t other = 1 - i;
    sheet.kept_inputs.push_back(other);
    work.flops_backward += 2 * macs;
    work.kernels_backward += 1;
    work.elements_read_backward += written + (node.is_activation(other) ? node.size(other) : 0);
    work.elements_written_backward += node.is_activation(i) ? node.size(i) : 0;
  }
  if (has_bias && node.operand(2).needs_gradient) {
    work.flops_backward += written;
    work.kernels_backward += 1;
    work.elements_read_backward += written;
  }
}

Result<Facts> infer_gemm(const NodeView& node) {
  const Shape& left = node.shape(0);
  const Shape& right = node.shape(1);
  if (left.size() != 2 || right.size() != 2) {
    return refuse(
        fmt::format("Gemm needs two matrices, found {} and {}", text_of(left), text_of(right)));
  }
  const MatrixSizes a = matrix(left, node.integer("transA", 0));
  const MatrixSizes b = matrix(right, node.integer("transB", 0));
  if (a.columns != b.rows) {
    return refuse(fmt::format("matrices {} x {} and {} x {} do not chain", a.rows, a.columns,
                              b.rows, b.columns));
  }
  return one(node.input(0).type, {a.rows, b.columns});
}

void cost_gemm(const CostView& node, CostSheet& sheet) {
  const MatrixSizes a = matrix(node.shape(0), node.integer("transA", 0));
  const Shape& result = node.result().shape;
  sheet.work.kind = node.is_static(0) || node.is_static(1) ? OpKind::Linear : OpKind::MatMul;
  sheet.work.gemm = {.m = static_cast<double>(result[0]),
                     .n = static_cast<double>(result[1]),
                     .k = static_cast<double>(a.columns),
                     .groups = 1};
  cost_product(node, sheet, node.result_size() * static_cast<double>(a.columns));
}

Result<Facts> infer_matmul(const NodeView& node) {
  if (node.shape(0).empty() || node.shape(1).empty()) {
    return refuse("a product needs vectors or matrices, found a scalar");
  }
  Shape left = left_matrix(node);
  Shape right = right_matrix(node);
  if (left.back() != right[right.size() - 2]) {
    return refuse(fmt::format("matrices {} and {} do not chain", text_of(node.shape(0)),
                              text_of(node.shape(1))));
  }
  const std::int64_t rows = left[left.size() - 2];
  const std::int64_t columns = right.back();
  left.resize(left.size() - 2);
  right.resize(right.size() - 2);
  HORUS_TRY(Shape shape, broadcast(left, right));
  if (node.shape(0).size() > 1) shape.push_back(rows);
  if (node.shape(1).size() > 1) shape.push_back(columns);
  return one(node.input(0).type, std::move(shape));
}

void cost_matmul(const CostView& node, CostSheet& sheet) {
  const Shape left = left_matrix(node);
  const Shape right = right_matrix(node);
  const double depth = static_cast<double>(left.back());
  const double columns = static_cast<double>(right.back());
  const double rows = static_cast<double>(left[left.size() - 2]);
  const bool is_linear = node.is_static(0) || node.is_static(1);
  sheet.work.kind = is_linear ? OpKind::Linear : OpKind::MatMul;
  if (node.result_size() > 0) {
    const double products = node.result_size() / (rows * columns);
    // A shared right matrix lets the library fold all leading axes into one product.
    sheet.work.gemm = right.size() == 2
                          ? GemmShape{.m = rows * products, .n = columns, .k = depth, .groups = 1}
                          : GemmShape{.m = rows, .n = columns, .k = depth, .groups = products};
  }
  cost_product(node, sheet, node.result_size() * depth);
}

}  // namespace horus::graph
