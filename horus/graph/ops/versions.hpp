// SPDX-License-Identifier: Apache-2.0
#pragma once
// What changed between the versions of an operator, as a table: where a setting is read, what it
// is when it is left out, and how the operator behaves. Rules ask NodeView, which asks this table.

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace horus::graph {

enum class Change {
  Input,      ///< Until then an attribute, from then on the input at position `number`.
  Default,    ///< Left out, the integer attribute is `number` from then on.
  Behaviour,  ///< The operator behaves as `setting` says from then on (1) or no longer (0).
};

/// `number` of a Default row: the attribute must be written.
inline constexpr std::int64_t kRequired = std::numeric_limits<std::int64_t>::min();

struct VersionChange {
  std::string_view op;
  std::string_view setting;
  Change change;
  std::int64_t since;
  std::int64_t number;
};

/// Sorted by operator, setting, kind of change and version.
/// Source: the operator changelog of ONNX (docs/Changelog.md).
[[nodiscard]] std::span<const VersionChange> version_changes();

/// The newest row of an operator's setting that holds in version `opset`, or its oldest row where
/// all are newer; nullptr where nothing of this kind ever changed.
/// Cost: logarithmic in the number of rows.
[[nodiscard]] const VersionChange* change_of(std::string_view op, std::string_view setting,
                                             Change change, std::int64_t opset);

}  // namespace horus::graph
