// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which tensors train, which are state, and where gradients flow.

#include <vector>

#include "horus/graph/cost_view.hpp"
#include "horus/graph/flatten.hpp"
#include "horus/graph/graph_index.hpp"
#include "horus/graph/inference.hpp"
#include "horus/graph/input_role.hpp"
#include "horus/graph/model.hpp"

namespace horus::graph {

/// The role of every value in training.
struct Training {
  std::vector<Part> part;            ///< Per value.
  std::vector<bool> needs_gradient;  ///< Per value.
  std::vector<ValueIndex> trained;   ///< Parameters, each once, in order of first use.
  std::vector<ValueIndex> buffers;   ///< Untrained state, each once.
  /// Per value: the initializer, input or constant that it is or shows under another shape or type;
  /// kNone for what is computed from data.
  std::vector<ValueIndex> source;
};

/// A tensor trains when it is listed as a parameter, stands at a weight slot of a known operator,
/// or meets activations that carry a gradient in plain arithmetic as a floating initializer of more
/// than one element, unless it is a mask of attention or a triangle cut out of one. Constants
/// written as nodes only train at weight slots. A gradient that reaches
/// what a trip of a loop hands on reaches what the trip was given. Cost: linear in nodes and edges,
/// times the depth of loops.
[[nodiscard]] Training find_training(const Model& model, const GraphIndex& index,
                                     const std::vector<InputRole>& roles,
                                     const Inference& inference, const Structure& structure = {});

}  // namespace horus::graph
