// SPDX-License-Identifier: Apache-2.0
#pragma once
// Attention written as plain operators: MatMul, scale and mask, Softmax, Dropout, MatMul.
// Frameworks may run the whole of it as one fused kernel, so its parts are marked.

#include <vector>

#include "horus/graph/costing.hpp"
#include "horus/graph/graph_index.hpp"

namespace horus::graph {

/// Sets OpWork::attention on every complete pattern. A pattern has a product of two activations
/// before and behind the softmax; between them only scaling, masking, dropout and views.
/// Cost: linear in nodes; the walk from a softmax is bounded.
void mark_attention(const GraphIndex& index, std::vector<NodeWork>& works);

}  // namespace horus::graph
