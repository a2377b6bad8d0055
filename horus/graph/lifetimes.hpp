// SPDX-License-Identifier: Apache-2.0
#pragma once
// How long tensors live in one training step: what stands in memory beside what autograd keeps.

#include <span>
#include <vector>

#include "horus/graph/composite.hpp"
#include "horus/graph/graph_index.hpp"
#include "horus/graph/inference.hpp"
#include "horus/graph/node_work.hpp"
#include "horus/graph/training.hpp"

namespace horus::graph {

/// Where the values of a graph lie and which of them are kept for the backward pass.
struct Storage {
  std::vector<ValueIndex> of;     ///< Per value: the value whose memory it shares.
  std::vector<NodeIndex> keeper;  ///< Per value that `of` names: the first node that keeps it.
};

/// Fills live_elements, gradient_elements and cut_elements of `works`, which are those of all nodes
/// that run, in order. Forward, a tensor lives from its maker to its last user. Backward, the
/// gradient of an activation lives from its last user to its maker; sums and views pass the
/// gradient of their output on without a copy, and where several meet they are added into one.
///   A loop counts as one trip. Cost: linear in edges.
void account_lifetimes(const GraphIndex& index, const Inference& inference,
                       const Training& training, const Composites& composites,
                       const Storage& storage, std::vector<NodeWork>& works);

}  // namespace horus::graph
