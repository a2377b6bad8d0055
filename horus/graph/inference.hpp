// SPDX-License-Identifier: Apache-2.0
#pragma once
// Types, shapes and small contents of every value, node by node.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "horus/graph/binding.hpp"
#include "horus/graph/graph_index.hpp"
#include "horus/graph/model.hpp"
#include "horus/graph/shape.hpp"

namespace horus::graph {

/// What inference found. A value without a fact has a cause; a node without shapes has a gap.
struct Inference {
  std::vector<std::optional<Fact>> facts;  ///< Per value.
  std::vector<std::uint32_t> cause;        ///< Per value without a fact: position in `causes`.
  std::vector<std::string> causes;         ///< Roots of ignorance, each told once.
  std::vector<std::string> gaps;           ///< Per node; empty where its outputs are inferred.
  /// Nodes where a constant froze the file's batch and was scaled to the wanted one.
  std::vector<NodeIndex> repaired;
  /// Nodes with an output whose sizes depend on data and are bounds, in topological order.
  std::vector<NodeIndex> bounded;
  /// Nodes with an output whose contents are beyond kFollowedBytesMax, in topological order.
  std::vector<NodeIndex> unfollowed;
  /// Nodes whose operator does not exist in the version of the operator set that the file claims.
  std::vector<NodeIndex> misplaced;
};

/// One batch size of a binding.
enum class AtBatch { Reference, Wanted };

/// Infers all values at one batch size. With `reference` (the inference at the file's own batch),
/// constants that freeze that batch are recognised and scaled.
/// Cost: linear in nodes, edges and ranks.
[[nodiscard]] Inference infer(const Model& model, const GraphIndex& index, const Binding& binding,
                              AtBatch at, const Inference* reference);

/// Facts of the inputs of node `n`, nullptr where left out; nothing where one is unknown, except
/// for a node that takes_unknown, which sees it as left out.
[[nodiscard]] std::optional<std::vector<const Fact*>> known_inputs(const GraphIndex& index,
                                                                   const Inference& inference,
                                                                   NodeIndex n);

/// Version of the standard operator set of `model`; the newest that Horus reads where none is
/// named.
[[nodiscard]] std::int64_t opset_of(const Model& model);

/// The same as `node` sees it: the body of a function may be written against another version.
[[nodiscard]] std::int64_t opset_of(const Model& model, const Node& node);

}  // namespace horus::graph
