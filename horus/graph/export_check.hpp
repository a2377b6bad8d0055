// SPDX-License-Identifier: Apache-2.0
#pragma once
// Traps of real exports: signs that the graph of a file is not what is trained, or is counted in a
// way that a person should know of.

#include <string>
#include <vector>

#include "horus/graph/graph_index.hpp"
#include "horus/graph/inference.hpp"
#include "horus/graph/model.hpp"
#include "horus/graph/node_work.hpp"
#include "horus/graph/training.hpp"

namespace horus::graph {

/// An analysed graph.
struct ExportView {
  const Model& model;
  const GraphIndex& index;
  const Inference& inference;
  const Training& training;
  const std::vector<NodeWork>& works;
};

/// One warning per trap: what was found (how often, where first), what it means for the numbers,
/// what to do. None for graphs that Horus wrote itself. In this order:
/// batch normalization folded into convolutions, as exporters do in evaluation mode (up to half of
/// a network's saved activations): told by weights that the exporter computed, or, where names say
/// nothing, by at least eight convolutions that all have a bias, no normalization at all, and
/// residual sums or grouped convolutions (networks without, such as VGG, are often built so);
/// dropout removed; attention spelled out, or fused; weights of mixed or double precision; shared
/// weights; quantized operators; constants that are large enough to be weights.
/// Cost: linear in nodes and edges.
[[nodiscard]] std::vector<std::string> export_warnings(const ExportView& view);

}  // namespace horus::graph
