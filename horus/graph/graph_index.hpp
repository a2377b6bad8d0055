// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names turned into numbers: who makes a value, who uses it, and in which order nodes can run.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/graph/model.hpp"

namespace horus::graph {

using NodeIndex = std::uint32_t;   ///< Position in Graph::nodes.
using ValueIndex = std::uint32_t;  ///< Position in GraphIndex::names.
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// A main graph with its names resolved. Views into the graph, which must outlive it.
struct GraphIndex {
  std::vector<std::string_view> names;            ///< Per value; "" for a first output left out.
  std::vector<NodeIndex> producer;                ///< Per value; kNone for inputs, initializers.
  std::vector<const Tensor*> initializer;         ///< Per value; nullptr where it is none.
  std::vector<const ValueInfo*> declared;         ///< Per value; nullptr where nothing is declared.
  std::vector<std::vector<NodeIndex>> consumers;  ///< Per value; one entry per use.
  std::vector<std::vector<ValueIndex>> inputs;    ///< Per node; kNone for one left out.
  /// Per node; kNone for one left out, but the first of a node is always a value.
  std::vector<std::vector<ValueIndex>> outputs;
  /// Per node: it works on what is known of its inputs, as what stands for a branch does.
  std::vector<bool> takes_unknown;
  std::vector<NodeIndex> order;          ///< Topological; file order where that is one.
  std::vector<ValueIndex> graph_inputs;  ///< Without those that are initializers.
  std::vector<ValueIndex> graph_outputs;
};

/// Cost: linear in nodes and edges (plus a logarithm where the file is not in order).
/// Errors: Corrupt for a value defined twice, an input that nothing produces, a cycle.
[[nodiscard]] Result<GraphIndex> index_graph(const Graph& graph);

/// The name of a node for a person: its own, or that of its first output.
[[nodiscard]] std::string_view name_of(const Node& node);

}  // namespace horus::graph
