// SPDX-License-Identifier: Apache-2.0
#pragma once
// One operator written as several: GELU, SiLU, HardSwish, layer and group normalization as files
// spell them whose operator set has no name for them. Frameworks run each as one operator that
// keeps its input only.

#include <cstdint>
#include <vector>

#include "horus/graph/flatten.hpp"
#include "horus/graph/graph_index.hpp"
#include "horus/graph/inference.hpp"
#include "horus/graph/model.hpp"
#include "horus/graph/training.hpp"

namespace horus::graph {

/// The nodes of one complete pattern, taken as the operator that they compute.
struct Composite {
  Node whole;  ///< That operator: its type and the attributes that its cost depends on.
  std::vector<ValueIndex> inputs;  ///< Of `whole`: the data, then weights in the operator's order.
  NodeIndex last{};                ///< The member that makes the result.
};

struct Composites {
  std::vector<Composite> list;
  std::vector<std::uint32_t> of;  ///< Per node: its position in `list`, or kNone.
};

/// Finds every pattern whose intermediate values nobody else uses. A node belongs to one at most;
/// all members have known shapes, compute activations and run equally often.
/// Cost: linear in nodes; a pattern is tried where its last operator stands, and has nine at most.
[[nodiscard]] Composites find_composites(const Model& model, const GraphIndex& index,
                                         const Inference& inference, const Training& training,
                                         const Structure& structure = {});

}  // namespace horus::graph
