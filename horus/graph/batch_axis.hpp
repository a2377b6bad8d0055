// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the batch lies in an input: axis 0, but behind the time for recurrent operators.

#include <cstddef>
#include <vector>

#include "horus/graph/graph_index.hpp"
#include "horus/graph/model.hpp"

namespace horus::graph {

/// Per entry of index.graph_inputs: 1 for what goes as data or initial state into LSTM, GRU or RNN
/// that has the batch there (layout 0), through nothing that moves axes; 0 for all else.
/// Cost: a few steps per input.
[[nodiscard]] std::vector<std::size_t> batch_axes(const Model& model, const GraphIndex& index);

}  // namespace horus::graph
