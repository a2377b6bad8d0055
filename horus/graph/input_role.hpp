// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tells the data inputs of a graph from parameters and buffers that are fed as graph inputs, as
// exporters without weights write them.

#include <vector>

#include "horus/graph/graph_index.hpp"
#include "horus/graph/model.hpp"

namespace horus::graph {

enum class InputRole { Data, Parameter, Buffer };

/// One role per entry of index.graph_inputs. In this order: the lists in the model's metadata
/// (kParametersKey, kBuffersKey); names that end as PyTorch and Keras name parameters (".weight",
/// "_bias", ".running_mean") on a fully known shape; where there are such, all other paths of such
/// a shape ("blocks.3.gamma_1"); inputs used as weights only; where the metadata lists nothing,
/// floating-point inputs of known shape that stand behind data and behind a weight by its name.
/// At least one input stays data where names do not say otherwise.
[[nodiscard]] std::vector<InputRole> classify_inputs(const Model& model, const GraphIndex& index);

/// Operators that pass a weight on unchanged but for its shape, type or order.
[[nodiscard]] bool passes_weight_on(std::string_view op_type);

}  // namespace horus::graph
