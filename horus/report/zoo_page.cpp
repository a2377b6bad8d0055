// SPDX-License-Identifier: Apache-2.0
// The page of the zoo: architectures, family by family.
#include <algorithm>

#include <fmt/format.h>

#include "horus/report/pages.hpp"

namespace horus::report {
namespace {

Table empty_table(bool has_costs) {
  Table table{.columns = {{.title = "family", .align = Align::Left},
                          {.title = "name", .align = Align::Left, .wording = Wording::Name},
                          {.title = "input", .align = Align::Left}},
              .rows = {}};
  if (has_costs) {
    table.columns.push_back({.title = "parameters"});
    table.columns.push_back({.title = "MACs"});
  }
  table.columns.push_back({.title = "architecture", .align = Align::Left});
  return table;
}

/// `family`: empty below the first row of a family, so that the eye finds where one begins.
std::vector<Cell> cells_of(const wire::ZooRow& row, const std::string& family) {
  std::vector<Cell> cells{
      {.text = family, .tone = Tone::Bold}, {.text = row.name}, {.text = row.input}};
  if (row.cost) {
    cells.push_back({.text = with_commas(row.cost->parameters)});
    cells.push_back({.text = with_prefix(row.cost->macs)});
  }
  cells.push_back({.text = row.description});
  return cells;
}

}  // namespace

Document document(const std::vector<wire::ZooRow>& rows) {
  std::vector<wire::ZooRow> sorted = rows;
  std::ranges::stable_sort(sorted, {}, &wire::ZooRow::family);
  Table table = empty_table(!rows.empty() && rows.front().cost.has_value());
  std::size_t families = 0;
  std::string family;
  for (const wire::ZooRow& row : sorted) {
    const bool is_first = families == 0 || row.family != family;
    if (is_first) ++families;
    family = row.family;
    table.rows.push_back(cells_of(row, is_first ? family : ""));
  }
  Document document{
      .title = "zoo",
      .summary = fmt::format("{} of {}", counted(rows.size(), "architecture"),
                             families == 1 ? "1 family" : fmt::format("{} families", families)),
      .lines = {},
      .sections = {}};
  document.sections.push_back({.heading = "", .table = std::move(table), .lines = {}});
  return document;
}

std::string page(const std::vector<wire::ZooRow>& rows, Colour colour) {
  return page(document(rows), colour);
}

}  // namespace horus::report
