// SPDX-License-Identifier: Apache-2.0
#pragma once
// GraphProto, NodeProto and what hangs on them, to Graph.

#include <cstdint>
#include <map>
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

/// The identity of an operator or a model-local function.
[[nodiscard]] std::string operator_id(const std::string& domain, const std::string& name,
                                      const std::string& overload);

/// Adds what a serialized GraphProto holds to `graph`.
[[nodiscard]] Result<Done> read_graph(Slice message, ReadScope scope, Graph& graph);

/// Adds a serialized NodeProto to `graph`, its subgraphs to Graph::subgraphs.
[[nodiscard]] Result<Done> read_node(Slice message, ReadScope scope, Graph& graph);

/// Adds a serialized AttributeProto to `attributes`, a subgraph in it to `graph.subgraphs`.
[[nodiscard]] Result<Done> read_attribute(Slice message, ReadScope scope,
                                          std::map<std::string, AttributeValue>& attributes,
                                          Graph& graph);

/// Adds a serialized OperatorSetIdProto to `opsets`.
[[nodiscard]] Result<Done> read_opset(Slice message, std::map<std::string, std::int64_t>& opsets);

/// Reads a serialized ValueInfoProto. Sequences, maps and optionals have no element type or shape
/// here. A size of -1 is unknown: some exporters write it for an axis that they leave open.
/// Errors: Corrupt for impossible dims.
[[nodiscard]] Result<ValueInfo> read_value_info(Slice message, ReadBudget& budget);

}  // namespace horus::graph
