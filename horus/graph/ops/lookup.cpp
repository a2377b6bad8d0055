// SPDX-License-Identifier: Apache-2.0
// Elements and rows chosen by index.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "horus/graph/ops/families.hpp"

namespace horus::graph {
Result<Facts> infer_gather(const NodeView& node) {
  const Shape& data = node.shape(0);
  const Shape& indices = node.shape(1);
  HORUS_TRY(const std::size_t axis, axis_index(node.integer("axis", 0), data.size()));
  Shape shape{data.begin(), data.begin() + static_cast<std::ptrdiff_t>(axis)};
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), data.begin() + static_cast<std::ptrdiff_t>(axis) + 1, data.end());
  return one(node.input(0).type, std::move(shape));
}

Result<Facts> infer_gather_elements(const NodeView& node) {
  if (node.shape(0).size() != node.shape(1).size()) {
    return refuse(fmt::format("data {} and indices {} differ in rank", text_of(node.shape(0)),
                              text_of(node.shape(1))));
  }
  return one(node.input(0).type, node.shape(1));
}

Result<Facts> infer_gather_nd(const NodeView& node) {
  const Shape& data = node.shape(0);
  const Shape& indices = node.shape(1);
  const std::int64_t batched = node.integer("batch_dims", 0);
  if (indices.empty() || batched < 0 || indices.back() < 1 ||
      batched + indices.back() > static_cast<std::int64_t>(data.size()) ||
      batched >= static_cast<std::int64_t>(indices.size())) {
    return refuse(fmt::format("indices {} do not reach into {}", text_of(indices), text_of(data)));
  }
  Shape shape{indices.begin(), indices.end() - 1};
  shape.insert(shape.end(), data.begin() + batched + indices.back(), data.end());
  return one(node.input(0).type, std::move(shape));
}

Result<Facts> infer_one_hot(const NodeView& node) {
  const auto depth = node.scalar(1);
  if (!depth)
    return refuse("the depth depends on data or is stored outside the file, so it is unknown");
  if (!(*depth >= 0 && *depth <= static_cast<double>(kMaxElements))) {
    return refuse(fmt::format("depth {} is no size", *depth));
  }
  Shape shape = node.shape(0);
  HORUS_TRY(const std::size_t axis, axis_index(node.integer("axis", -1), shape.size() + 1));
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis),
               static_cast<std::int64_t>(*depth));
  return one(node.input(2).type, std::move(shape));
}

Result<Facts> infer_non_zero(const NodeView& node) {
  const auto numbers = node.contents(0);
  const auto rank = static_cast<std::int64_t>(node.shape(0).size());
  if (!numbers) {
    Facts facts = one(ElementType::Int64, {rank, elements(node.shape(0))});
    mark_bounds(facts);
    return facts;
  }
  const auto found = std::ranges::count_if(*numbers, [](std::int64_t n) { return n != 0; });
  return one(ElementType::Int64, {rank, found});
}

void cost_gather(const CostView& node, CostSheet& sheet) {
  OpWork& work = sheet.work;
  const bool is_table = node.is_static(0);
  const double rows = is_floating(node.result().type) ? node.result_size() : 0;
  work.kind =
      is_table && is_floating(node.result().type) ? OpKind::Embedding : OpKind::DataMovement;
  work.elements_read = work.elements_written = rows;
  work.kernels_forward = work.host_ops_forward = 1;
  if (!node.runs_backward()) return;
  // Backward sorts the indices, clears the gradient of the table and sums rows into it (PyTorch's
  // embedding_dense_backward); for an activation it clears and scatters.
  work.kernels_backward = is_table ? 3 : 2;
  work.host_ops_backward = 1;
  work.flops_backward = rows;
  work.elements_read_backward = rows;
  work.elements_written_backward = is_table ? 0 : node.size(0);
  sheet.kept_inputs.push_back(1);
}

}  // namespace horus::graph
