// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs the cost rule of every node and accounts for what only the graph can see: tensors kept once,
// operators run in place, gradients that meet, operators written as several.

#include <vector>

#include "horus/domain/graph_features.hpp"
#include "horus/graph/composite.hpp"
#include "horus/graph/graph_index.hpp"
#include "horus/graph/inference.hpp"
#include "horus/graph/model.hpp"
#include "horus/graph/node_work.hpp"
#include "horus/graph/runs.hpp"
#include "horus/graph/training.hpp"

namespace horus::graph {

/// One entry per node that runs and whose shapes are known, in topological order, with the work of
/// all its runs. The last member of a composite
/// carries the cost of the whole, as the operator that it computes has it, but with the FLOPs of
/// the members; the other members are Free.
/// Cost: linear in nodes and edges.
[[nodiscard]] std::vector<NodeWork> cost_nodes(const Model& model, const GraphIndex& index,
                                               const Inference& inference, const Training& training,
                                               const Composites& composites, const Runs& runs = {},
                                               const Structure& structure = {});

}  // namespace horus::graph
