// SPDX-License-Identifier: Apache-2.0
// Recognises exports in evaluation mode by what is missing.

#include "horus/graph/export_check.hpp"

#include <vector>

#include <fmt/format.h>

namespace horus::graph {

std::optional<std::string> folded_normalization(const std::vector<NodeWork>& works) {
  constexpr int kFewest = 8;
  int convolutions = 0;
  bool is_modern = false;  // Residual sums and grouped convolutions came with normalization.
  for (const NodeWork& entry : works) {
    const OpWork& work = entry.work;
    const bool is_grouped =
        work.kind == OpKind::DepthwiseConvolution || work.kind == OpKind::GroupedConvolution;
    if (work.kind == OpKind::BatchNorm || work.kind == OpKind::LayerNorm) return std::nullopt;
    if (work.kind == OpKind::Convolution || is_grouped) {
      if (work.weight_tensors < 2) return std::nullopt;
      ++convolutions;
    }
    const bool is_sum = work.op_type == "Add" || work.op_type == "Sum";
    is_modern = is_modern || is_grouped || (is_sum && work.weight_tensors == 0);
  }
  if (convolutions < kFewest || !is_modern) return std::nullopt;
  return fmt::format(
      "all {} convolutions have a bias and nothing is normalized: batch normalization seems to be "
      "folded in, so training would keep more memory than this graph shows; export with "
      "training=TRAINING and do_constant_folding=False",
      convolutions);
}

}  // namespace horus::graph
