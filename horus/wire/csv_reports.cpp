// SPDX-License-Identifier: Apache-2.0
#include "horus/wire/csv_reports.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "horus/base/text.hpp"
#include "horus/wire/op_kind.hpp"

namespace horus::wire {
namespace {

/// Counts up to 2^53 without a point, as in the JSON.
std::string number_cell(double value) {
  constexpr double kExactIntegers = 9007199254740992.0;
  if (std::abs(value) <= kExactIntegers && value == std::floor(value)) {
    return fmt::format("{:.0f}", value);
  }
  return fmt::format("{}", value);
}

std::string bytes_cell(Bytes bytes) { return fmt::format("{}", bytes.count()); }

/// "1x64x56x56"; empty for a scalar and where it is not known.
std::string shape_cell(const std::optional<std::vector<std::int64_t>>& shape) {
  return shape ? fmt::format("{}", fmt::join(*shape, "x")) : std::string{};
}

std::string line_of(std::span<const std::string> cells) {
  return fmt::format("{}\n", fmt::join(cells, ","));
}

/// A column of a table whose rows are values of type Row.
template <class Row>
struct CsvColumn {
  const char* title;
  std::string (*cell)(const Row&);
};

template <class Row, std::size_t N>
std::vector<std::string> titles_of(const std::array<CsvColumn<Row>, N>& columns) {
  std::vector<std::string> cells;
  for (const CsvColumn<Row>& column : columns) cells.emplace_back(column.title);
  return cells;
}

template <class Row, std::size_t N>
std::vector<std::string> cells_of(const std::array<CsvColumn<Row>, N>& columns, const Row& row) {
  std::vector<std::string> cells;
  for (const CsvColumn<Row>& column : columns) cells.push_back(column.cell(row));
  return cells;
}

template <class Row, std::size_t N>
std::string table_of(const std::array<CsvColumn<Row>, N>& columns, const std::vector<Row>& rows) {
  std::string out = line_of(titles_of(columns));
  for (const Row& row : rows) out += line_of(cells_of(columns, row));
  return out;
}

constexpr auto kNodeColumns = std::to_array<CsvColumn<NodeRow>>({
    {"name", [](const NodeRow& r) { return csv_cell(r.name); }},
    {"op_type", [](const NodeRow& r) { return csv_cell(r.op_type); }},
    {"kind", [](const NodeRow& r) { return std::string{name_of(r.kind)}; }},
    {"output_shape", [](const NodeRow& r) { return shape_cell(r.shape); }},
    {"parameters", [](const NodeRow& r) { return number_cell(r.parameters); }},
    {"macs", [](const NodeRow& r) { return number_cell(r.macs); }},
    {"flops_forward", [](const NodeRow& r) { return number_cell(r.flops_forward); }},
    {"flops_backward", [](const NodeRow& r) { return number_cell(r.flops_backward); }},
    {"activation_bytes", [](const NodeRow& r) { return bytes_cell(r.activation_bytes); }},
    {"kernels", [](const NodeRow& r) { return number_cell(r.kernels); }},
});

/// What one side of a change says, or nothing where the layer is not on that side.
template <std::string (*Cell)(const NodeRow&)>
std::string before_cell(const LayerChange& change) {
  return change.before ? Cell(*change.before) : std::string{};
}
template <std::string (*Cell)(const NodeRow&)>
std::string after_cell(const LayerChange& change) {
  return change.after ? Cell(*change.after) : std::string{};
}

/// A cell of costs: nothing where they are not known.
template <std::string (*Cell)(const NodeRow&)>
std::string known(const NodeRow& row) {
  return row.gap.empty() ? Cell(row) : std::string{};
}

std::string name_cell(const NodeRow& row) { return csv_cell(row.name); }
std::string type_cell(const NodeRow& row) { return csv_cell(row.op_type); }
std::string output_cell(const NodeRow& row) { return shape_cell(row.shape); }
std::string parameters_cell(const NodeRow& row) { return number_cell(row.parameters); }
std::string macs_cell(const NodeRow& row) { return number_cell(row.macs); }
std::string flops_cell(const NodeRow& row) { return number_cell(row.flops_training()); }
std::string activation_cell(const NodeRow& row) { return bytes_cell(row.activation_bytes); }

constexpr auto kDiffColumns = std::to_array<CsvColumn<LayerChange>>({
    {"change", [](const LayerChange& c) { return std::string{name_of(c.change)}; }},
    {"name_before", before_cell<name_cell>},
    {"name_after", after_cell<name_cell>},
    {"op_type_before", before_cell<type_cell>},
    {"op_type_after", after_cell<type_cell>},
    {"output_shape_before", before_cell<output_cell>},
    {"output_shape_after", after_cell<output_cell>},
    {"parameters_before", before_cell<known<parameters_cell>>},
    {"parameters_after", after_cell<known<parameters_cell>>},
    {"macs_before", before_cell<known<macs_cell>>},
    {"macs_after", after_cell<known<macs_cell>>},
    {"flops_training_before", before_cell<known<flops_cell>>},
    {"flops_training_after", after_cell<known<flops_cell>>},
    {"activation_bytes_before", before_cell<known<activation_cell>>},
    {"activation_bytes_after", after_cell<known<activation_cell>>},
});

template <double ZooCost::*Member>
std::string cost_cell(const ZooRow& row) {
  return row.cost ? number_cell((*row.cost).*Member) : std::string{};
}

/// What a spreadsheet may run: a sign of a formula, in its wide form too (U+FF1D, U+FF0B, U+FF0D,
/// U+FF20), behind blanks and marks that some programs drop (no-break and wide space, U+FEFF).
bool begins_formula(std::string_view text) {
  constexpr auto kDropped = std::to_array<std::string_view>(
      {" ", "\t", "\r", "\n", "\xc2\xa0", "\xe3\x80\x80", "\xef\xbb\xbf"});
  constexpr auto kSigns = std::to_array<std::string_view>(
      {"=", "+", "-", "@", "\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"});
  const auto begins_with = [&text](std::string_view start) { return text.starts_with(start); };
  for (auto drop = kDropped.begin(); drop != kDropped.end();) {
    drop = std::ranges::find_if(kDropped, begins_with);
    if (drop != kDropped.end()) text.remove_prefix(drop->size());
  }
  return std::ranges::any_of(kSigns, begins_with);
}

std::string size_cell(std::int64_t size) {
  return size > 0 ? fmt::format("{}", size) : std::string{};
}

constexpr auto kZooColumns = std::to_array<CsvColumn<ZooRow>>({
    {"name", [](const ZooRow& r) { return csv_cell(r.name); }},
    {"family", [](const ZooRow& r) { return csv_cell(r.family); }},
    {"input", [](const ZooRow& r) { return csv_cell(r.input); }},
    {"image", [](const ZooRow& r) { return size_cell(r.image); }},
    {"sequence", [](const ZooRow& r) { return size_cell(r.sequence); }},
    {"parameters", cost_cell<&ZooCost::parameters>},
    {"macs", cost_cell<&ZooCost::macs>},
    {"batch_norm_elements", cost_cell<&ZooCost::batch_norm_elements>},
    {"norm_operations", cost_cell<&ZooCost::norm_operations>},
    {"pooled_elements", cost_cell<&ZooCost::pooled_elements>},
    {"resize_operations", cost_cell<&ZooCost::resize_operations>},
});

}  // namespace

std::string csv_cell(std::string_view text) {
  std::string cell = without_controls(text);
  if (begins_formula(text) || begins_formula(cell)) cell.insert(0, "'");
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? std::string{"\"\""} : std::string{c};
  return quoted + '"';
}

std::string inspect_csv_header() {
  std::vector<std::string> titles = titles_of(kNodeColumns);
  titles.insert(titles.begin(), "model");
  titles.emplace_back("gap");
  return line_of(titles);
}

std::string csv_rows(const InspectReport& report) {
  const std::string model = csv_cell(report.model);
  std::string out;
  for (const NodeRow& row : report.in_order) {
    std::vector<std::string> cells = cells_of(kNodeColumns, row);
    cells.insert(cells.begin(), model);
    cells.emplace_back();
    out += line_of(cells);
  }
  if (report.parameters_unread > 0.0) {
    // Not a node, but without it the column would not add up to the total.
    std::vector<std::string> cells =
        cells_of(kNodeColumns, NodeRow{.parameters = report.parameters_unread});
    cells.insert(cells.begin(), model);
    cells.emplace_back("parameters that no node with a cost reads");
    out += line_of(cells);
  }
  for (const GapRow& gap : report.nodes_without_cost) {
    std::vector<std::string> cells(kNodeColumns.size() + 2);
    cells[0] = model;
    cells[1] = csv_cell(gap.name);
    cells[2] = csv_cell(gap.op_type);
    cells.back() = csv_cell(gap.reason);
    out += line_of(cells);
  }
  return out;
}

std::string to_csv(const InspectDiff& diff) { return table_of(kDiffColumns, diff.layers); }

std::string to_csv(const std::vector<ZooRow>& rows) { return table_of(kZooColumns, rows); }

}  // namespace horus::wire
