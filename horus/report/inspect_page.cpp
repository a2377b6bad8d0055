// SPDX-License-Identifier: Apache-2.0
// The page of a model: totals, operators, the costliest nodes, gaps, values.
#include <fmt/format.h>

#include "horus/report/pages.hpp"
#include "horus/report/totals.hpp"

namespace horus::report {
namespace {

constexpr std::size_t kNameWidth = 44;

Section totals_section(const wire::InspectReport& report) {
  Table table{
      .columns = {{.title = bound_title("total", report), .align = Align::Left}, {.title = ""}},
      .rows = {}};
  for (const Total& total : totals()) {
    table.rows.push_back({{.text = total.title}, {.text = total.text(total.value(report))}});
  }
  return {.heading = "Totals", .table = std::move(table), .lines = {}};
}

Section operator_section(const wire::InspectReport& report) {
  Table table{.columns = {{.title = "operator", .align = Align::Left, .wording = Wording::Name},
                          {.title = "nodes"},
                          {.title = "MACs"},
                          {.title = "FLOPs, step"},
                          {.title = "share"},
                          {.title = "parameters"},
                          {.title = "saved"},
                          {.title = "kernels"}},
              .rows = {}};
  for (const wire::OperatorRow& row : report.by_operator) {
    const double share =
        report.flops_training > 0.0 ? row.flops_training / report.flops_training : 0.0;
    table.rows.push_back({{.text = row.op_type},
                          {.text = fmt::format("{}", row.nodes)},
                          {.text = with_prefix(row.macs)},
                          {.text = with_prefix(row.flops_training)},
                          {.text = percent_text(share)},
                          {.text = with_prefix(row.parameters)},
                          {.text = memory_text(row.activation_bytes)},
                          {.text = with_prefix(row.kernels)}});
  }
  Section section{.heading = "By operator", .table = std::move(table), .lines = {}};
  if (report.parameters_unread > 0.0) {
    section.lines.push_back({.label = with_commas(report.parameters_unread) +
                                      " parameters are read by no node with a cost."});
  }
  return section;
}

Section node_section(const wire::InspectReport& report) {
  Table table{
      .columns = {{.title = "costliest nodes", .align = Align::Left, .wording = Wording::Name},
                  {.title = "operator", .align = Align::Left, .wording = Wording::Name},
                  {.title = "MACs"},
                  {.title = "FLOPs, step"},
                  {.title = "share"}},
      .rows = {}};
  for (const wire::NodeRow& row : report.costliest) {
    table.rows.push_back({{.text = shortened(row.name, kNameWidth)},
                          {.text = row.op_type},
                          {.text = with_prefix(row.macs)},
                          {.text = with_prefix(row.flops_training())},
                          {.text = percent_text(row.share)}});
  }
  return {.heading = "Costliest nodes", .table = std::move(table), .lines = {}};
}

Section gap_section(const wire::InspectReport& report) {
  constexpr std::size_t kShown = 20;
  Table table{
      .columns = {{.title = "nodes without cost", .align = Align::Left, .wording = Wording::Name},
                  {.title = "operator", .align = Align::Left, .wording = Wording::Name},
                  {.title = "reason", .align = Align::Left}},
      .rows = {}};
  for (const wire::GapRow& row : report.nodes_without_cost) {
    if (table.rows.size() == kShown) break;
    table.rows.push_back({{.text = shortened(row.name, kNameWidth), .tone = Tone::Warn},
                          {.text = row.op_type},
                          {.text = row.reason}});
  }
  Section section{.heading = "Nodes without cost", .table = std::move(table), .lines = {}};
  const std::size_t total = report.nodes_without_cost.size();
  if (total > kShown) {
    section.lines.push_back(
        {.label = fmt::format("... and {} more; --json lists all", total - kShown)});
  }
  const bool is_lower = report.nodes_with_bounds == 0;
  section.lines.push_back(
      {.label = is_lower ? "The totals are lower bounds: these nodes are not in them."
                         : "The totals are neither lower nor upper bounds: these nodes are not in "
                           "them, and others are counted at their largest.",
       .tone = Tone::Warn,
       .text = {}});
  return section;
}

Section value_section(const std::vector<wire::ValueRow>& values) {
  Table table{.columns = {{.title = "value", .align = Align::Left, .wording = Wording::Name},
                          {.title = "type", .align = Align::Left},
                          {.title = "shape", .align = Align::Left}},
              .rows = {}};
  for (const wire::ValueRow& row : values) {
    table.rows.push_back({{.text = row.name},
                          {.text = row.type},
                          {.text = (row.is_bound ? "at most " : "") + shape_text(row.shape)}});
  }
  return {.heading = "Values", .table = std::move(table), .lines = {}};
}

}  // namespace

Document document(const wire::InspectReport& report) {
  Document document{.title = report.model,
                    .summary = fmt::format("batch {}, opset {}, IR version {}, {}", report.batch,
                                           report.opset, report.ir_version,
                                           counted(static_cast<std::size_t>(report.nodes), "node")),
                    .lines = {},
                    .sections = {}};
  for (const wire::InputRow& input : report.inputs) {
    document.lines.push_back(
        {.label = "input ",
         .text = fmt::format("{}  {} {}", input.name, input.type, shape_text(input.shape))});
  }
  document.sections.push_back(totals_section(report));
  if (!report.by_operator.empty()) document.sections.push_back(operator_section(report));
  if (!report.costliest.empty()) document.sections.push_back(node_section(report));
  if (!report.nodes_without_cost.empty()) document.sections.push_back(gap_section(report));
  if (report.values) document.sections.push_back(value_section(*report.values));
  append_notes(document, report.warnings);
  return document;
}

void append_notes(Document& document, const std::vector<std::string>& notes) {
  if (notes.empty()) return;
  Section section{.heading = "Notes", .table = {}, .lines = {}};
  for (const std::string& note : notes) {
    section.lines.push_back({.label = "note: ", .tone = Tone::Warn, .text = note});
  }
  document.sections.push_back(std::move(section));
}

std::string page(const wire::InspectReport& report, Colour colour) {
  return page(document(report), colour);
}

}  // namespace horus::report
