// SPDX-License-Identifier: Apache-2.0
#pragma once
// GraphProto, NodeProto and what hangs on them, to Graph.

#include <string>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/graph/model.hpp"
#include "horus/graph/onnx_budget.hpp"
#include "horus/graph/wire_reader.hpp"

namespace horus::graph {

/// What the reading of a graph needs to know of its surroundings.
struct ReadScope {
  ReadBudget* budget{};  ///< Never null.
  int depth{};           ///< Graphs around this one.
  /// Where to note the operators that nodes call, subgraphs included, as "domain:op_type" with
  /// ":overload" where there is one. Null: nowhere.
  std::vector<std::string>* calls{};
};

/// "" for both spellings of the standard operator set.
[[nodiscard]] std::string standard_domain(std::string domain);

/// The identity of an operator or a model-local function, as in Model::functions.
[[nodiscard]] std::string operator_id(const std::string& domain, const std::string& name,
                                      const std::string& overload);

/// Adds what a serialized GraphProto holds to `graph`.
[[nodiscard]] Result<Done> read_graph(Slice message, ReadScope scope, Graph& graph);

/// Adds a serialized NodeProto to `graph`, its subgraphs to Graph::subgraphs.
[[nodiscard]] Result<Done> read_node(Slice message, ReadScope scope, Graph& graph);

/// Adds a serialized AttributeProto to `node`, a subgraph in it to `graph.subgraphs`.
[[nodiscard]] Result<Done> read_attribute(Slice message, ReadScope scope, Node& node, Graph& graph);

/// Reads a serialized ValueInfoProto. Sequences, maps and optionals have no element type or shape
/// here. Errors: Corrupt for impossible dims.
[[nodiscard]] Result<ValueInfo> read_value_info(Slice message, ReadBudget& budget);

}  // namespace horus::graph
