// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reports as CSV (RFC 4180, but lines end in a line feed): a header, then one row per thing.

#include <string>
#include <string_view>
#include <vector>

#include "horus/wire/inspect_diff.hpp"
#include "horus/wire/reports.hpp"

namespace horus::wire {

/// Text as one cell: quoted where it must be. A text that a spreadsheet would run as a formula
/// ("=", "+", "-", "@" or their wide forms in front, or behind blanks) gets an apostrophe in front,
/// as OWASP recommends against CSV injection. What nobody sees is shown as \xNN.
[[nodiscard]] std::string csv_cell(std::string_view text);

/// The header of `csv_rows`, with its line end.
[[nodiscard]] std::string inspect_csv_header();
/// One row per node, in topological order, then those without cost: their cells are empty and the
/// last one holds the reason.
[[nodiscard]] std::string csv_rows(const InspectReport& report);

/// One row per layer that was added, removed or changed.
[[nodiscard]] std::string to_csv(const InspectDiff& diff);

/// One row per architecture; cells of costs are empty where they were not asked for.
[[nodiscard]] std::string to_csv(const std::vector<ZooRow>& rows);

}  // namespace horus::wire
