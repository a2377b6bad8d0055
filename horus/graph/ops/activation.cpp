// SPDX-License-Identifier: Apache-2.0
// Operators of one activation: nonlinearities, softmax, dropout.

#include "horus/graph/ops/families.hpp"

namespace horus::graph {

Result<Facts> infer_same(const NodeView& node) { return one(node.input(0).type, node.shape(0)); }

Result<Facts> infer_softmax(const NodeView& node) {
  const Shape& data = node.shape(0);
  const std::int64_t axis = node.defaulted("axis", -1);
  const auto rank = static_cast<std::int64_t>(data.size());
  // Versions that flatten split the axes in two; everything may stand on one side.
  const bool is_a_split = node.behaves("flattens") && axis >= -rank && axis <= rank;
  const bool is_left_out = !node.has_attribute("axis") && rank < 2;
  if (!is_a_split && !is_left_out) HORUS_TRY_DONE(axis_index(axis, data.size()));
  return one(node.input(0).type, data);
}

Result<Facts> infer_dropout(const NodeView& node) {
  Facts facts = one(node.input(0).type, node.shape(0));
  const ElementType mask = node.behaves("boolean mask") ? ElementType::Bool : node.input(0).type;
  facts.push_back({.type = mask, .shape = node.shape(0)});
  return facts;
}

void cost_dropout(const CostView& node, CostSheet& sheet) {
  constexpr double kUsualRatio = 0.5;
  const auto given = node.real_setting("ratio");
  const double ratio = given && given->size() == 1 ? given->front() : kUsualRatio;
  // Before version 7 an attribute said that the model is not trained.
  if (ratio <= 0 || node.integer("is_test", 0) != 0) {
    sheet.work.kind = OpKind::Free;
    return;
  }
  OpWork& work = sheet.work;
  const double size = node.size(0);
  work.flops_forward = 2 * size;  // Drop and rescale; the random numbers are integer work.
  work.elements_read = size;
  work.elements_written = size;
  work.kernels_forward = work.host_ops_forward = 1;
  work.index_bytes = Bytes{elements(node.shape(0))};
  if (!node.runs_backward()) return;
  work.flops_backward = size;
  work.elements_read_backward = size;
  work.elements_written_backward = size;
  work.kernels_backward = work.host_ops_backward = 1;
  work.index_bytes += Bytes{elements(node.shape(0))};
  sheet.kept_bytes = elements(node.shape(0));  // One byte per element of the mask.
}

}  // namespace horus::graph
