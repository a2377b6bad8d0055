// SPDX-License-Identifier: Apache-2.0
#pragma once
// The work of one node of a graph.

#include "horus/domain/graph_features.hpp"
#include "horus/graph/graph_index.hpp"

namespace horus::graph {

struct NodeWork {
  NodeIndex node{};
  OpWork work;
};

}  // namespace horus::graph
