// SPDX-License-Identifier: Apache-2.0
#pragma once
// The reference of all operators, docs/reference/operators.md, from the tables that decide.

#include <string>

namespace horus::graph {

/// Markdown: per domain, a row for each operator with the versions that define it and what its cost
/// rule counts.
[[nodiscard]] std::string operator_page();

}  // namespace horus::graph
