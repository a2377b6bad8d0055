// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/fused_attention.hpp"

#include <algorithm>
#include <optional>

#include "horus/predict/constants.hpp"

namespace horus::predict {
namespace {

double without(double elements, double scores) { return std::max(0.0, elements - scores); }

/// What stays on chip and what it leaves behind: one FP32 number per row of the score matrix. Where
/// the shape is unknown, a number per element, which is the most it can be.
Bytes row_statistics(const OpWork& scores, const OpWork& context) {
  const double row = std::max(context.gemm.k, 1.0);
  const double bytes = 4 * scores.elements_written / row;
  return Bytes{static_cast<std::int64_t>(std::clamp(bytes, 0.0, 0x1.0p62))};
}

/// The operator that computes what `scores` and `context` did. `scores.elements_written` is the
/// size of the score matrix, which `context` reads.
OpWork fused(const OpWork& scores, const OpWork& context) {
  const double matrix = scores.elements_written;
  const double values = without(context.elements_read, matrix);
  const double inputs = scores.elements_read + values;  // queries, keys, values
  const double outputs = context.elements_written;
  OpWork out = context;
  out.macs = scores.macs + context.macs;
  out.flops_forward = scores.flops_forward + context.flops_forward;
  out.flops_backward = kFusedBackwardFlops * (scores.flops_backward + context.flops_backward);
  out.elements_read = inputs;
  out.elements_read_backward = inputs + 2 * outputs;  // the output and its gradient
  out.elements_written_backward = inputs;
  // The output is kept as well, but by the operator that reads it: a tensor is counted once.
  out.saved_elements = std::min(scores.saved_elements, scores.elements_read) +
                       std::min(context.saved_elements, values);
  out.saved_index_bytes = row_statistics(scores, context);
  out.index_bytes = Bytes{};
  // The gradients of queries and keys are made at once, that of the matrix never.
  out.gradient_elements = without(context.gradient_elements, matrix) + scores.elements_read;
  out.kernels_forward = 1;
  out.kernels_backward = 2;  // row products first, then all gradients
  out.host_ops_forward = 1;
  out.host_ops_backward = 1;
  return out;
}

}  // namespace

std::vector<OpWork> fuse_attention(std::span<const OpWork> ops) {
  std::vector<OpWork> out;
  out.reserve(ops.size());
  std::optional<OpWork> scores;
  for (const OpWork& op : ops) {
    switch (op.attention) {
      case AttentionRole::None:
        out.push_back(op);
        break;
      case AttentionRole::ScaleOrMask:
      case AttentionRole::Softmax:
      case AttentionRole::Dropout:
        break;
      case AttentionRole::Scores:
        if (scores) out.push_back(*scores);
        scores = op;
        break;
      case AttentionRole::Context:
        out.push_back(scores ? fused(*scores, op) : op);
        scores.reset();
        break;
    }
  }
  if (scores) out.push_back(*scores);
  return out;
}

}  // namespace horus::predict
