// SPDX-License-Identifier: Apache-2.0
// Losses inside the graph, as training exports write them.

#include <string>
#include <utility>

#include <fmt/format.h>

#include "horus/graph/ops/families.hpp"

namespace horus::graph {

Result<Facts> infer_loss(const NodeView& node) {
  const Shape& scores = node.shape(0);
  const Shape& labels = node.shape(1);
  if (scores.size() < 2 || labels.size() + 1 != scores.size()) {
    return refuse(fmt::format("scores {} and labels {} do not belong together", text_of(scores),
                              text_of(labels)));
  }
  const bool keeps_samples = node.text("reduction", "mean") == "none";
  Facts facts = one(node.input(0).type, keeps_samples ? labels : Shape{});
  facts.push_back({.type = node.input(0).type, .shape = scores});
  return facts;
}

void cost_loss(const CostView& node, CostSheet& sheet) {
  // PyTorch runs log_softmax (5 operations per score) and nll_loss (a gather and a sum).
  const bool has_softmax = node.node().op_type == "SoftmaxCrossEntropyLoss";
  OpWork& work = sheet.work;
  const double size = node.size(0);
  work.flops_forward = (has_softmax ? 5 : 0) * size + node.size(1);
  work.elements_read = has_softmax ? size : node.size(1);
  work.elements_written = (has_softmax ? size : 0) + node.result_size();
  work.kernels_forward = work.host_ops_forward = has_softmax ? 2 : 1;
  if (!node.runs_backward()) return;
  work.flops_backward = (has_softmax ? 4 : 1) * size;
  work.elements_read_backward = has_softmax ? 2 * size : node.size(1);
  work.elements_written_backward = (has_softmax ? 2 : 1) * size;
  work.kernels_backward = work.host_ops_backward = has_softmax ? 2 : 1;
  if (has_softmax) sheet.kept_elements = size;  // The log-probabilities.
  sheet.kept_inputs.push_back(1);
}

}  // namespace horus::graph
