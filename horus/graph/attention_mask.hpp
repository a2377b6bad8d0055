// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tells masks of attention from parameters: both may be floating initializers that meet scores.

#include "horus/graph/graph_index.hpp"
#include "horus/graph/inference.hpp"
#include "horus/graph/model.hpp"

namespace horus::graph {

/// Views into its arguments, which must outlive it.
class AttentionMasks {
 public:
  AttentionMasks(const Model& model, const GraphIndex& index, const Inference& inference)
      : model_{model}, index_{index}, inference_{inference} {}

  /// True where node `n` lays `value`, the tensor `source` under any shape, over scores of
  /// attention: the value has one number per query and key and none per head, the result goes
  /// through nothing but arithmetic into a Softmax, and `source` is not named like a parameter.
  /// A bias that is learned, as relative positions have it, differs by head.
  /// Cost: a few steps.
  [[nodiscard]] bool is_mask(NodeIndex n, ValueIndex value, ValueIndex source) const;

 private:
  [[nodiscard]] bool covers_scores(ValueIndex value, ValueIndex result) const;
  [[nodiscard]] bool reaches_softmax(ValueIndex value) const;

  const Model& model_;
  const GraphIndex& index_;
  const Inference& inference_;
};

}  // namespace horus::graph
