// SPDX-License-Identifier: Apache-2.0
#pragma once
// What changed from one model to another: `horus inspect --diff`.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "horus/wire/reports.hpp"

namespace horus::wire {

enum class Change { Added, Removed, Changed, Unknown };

/// "added", "removed", "changed", "cost unknown".
[[nodiscard]] std::string_view name_of(Change change);

/// A node that only one model has, that both have with another type, shape or cost, or that has no
/// known cost on one side or on both.
struct LayerChange {
  Change change{Change::Changed};
  std::optional<NodeRow> before;  ///< Absent: added.
  std::optional<NodeRow> after;   ///< Absent: removed.
};

/// All operators of one type, in both models.
struct OperatorChange {
  std::string op_type;
  OperatorRow before;
  OperatorRow after;
};

struct InspectDiff {
  InspectReport before;
  InspectReport after;
  std::vector<OperatorChange> operators;  ///< Those that differ, in order of name.
  /// Of the first model in its order, then what was added in the order of the second.
  std::vector<LayerChange> layers;
  std::int64_t layers_unchanged{};  ///< Of equal type, shape and cost.
  std::int64_t layers_renamed{};    ///< Unchanged but for the name.
};

/// Pairs the nodes of two models: by name (the k-th of a name with the k-th of that name), and what
/// is left by type and output shape in order. Nodes that run no kernel and cost nothing are no
/// layers: they count among the operators only.
/// Cost: O(n log n) in nodes.
[[nodiscard]] InspectDiff compare(InspectReport before, InspectReport after);

[[nodiscard]] std::string to_json(const InspectDiff& diff);

}  // namespace horus::wire
