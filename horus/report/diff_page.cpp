// SPDX-License-Identifier: Apache-2.0
// The page of a comparison: what changed from one model to another.
#include <array>

#include <fmt/format.h>

#include "horus/report/pages.hpp"
#include "horus/report/totals.hpp"

namespace horus::report {
namespace {

constexpr std::size_t kNameWidth = 44;

/// "before -> after", or the value once where both are the same.
std::string step_text(const std::string& before, const std::string& after) {
  return before == after ? before : fmt::format("{} -> {}", before, after);
}

std::string signed_text(double difference, std::string (*text)(double)) {
  return (difference > 0.0 ? "+" : "") + text(difference);
}

Section totals_section(const wire::InspectDiff& diff) {
  Table table{.columns = {{.title = "total", .align = Align::Left},
                          {.title = bound_title("before", diff.before)},
                          {.title = bound_title("after", diff.after)},
                          {.title = "difference"},
                          {.title = "relative"}},
              .rows = {}};
  for (const Total& total : totals()) {
    const double before = total.value(diff.before);
    const double after = total.value(diff.after);
    std::vector<Cell> cells{
        {.text = total.title}, {.text = total.text(before)}, {.text = total.text(after)}};
    if (before == after) {
      cells.push_back({.text = "same", .tone = Tone::Faint});
    } else {
      cells.push_back({.text = signed_text(after - before, total.text)});
      // A change against nothing has no percentage.
      cells.push_back({.text = before == 0.0
                                   ? std::string{}
                                   : fmt::format("{:+.1f} %", (after - before) / before * 100.0)});
    }
    table.rows.push_back(std::move(cells));
  }
  return {.heading = "Totals", .table = std::move(table), .lines = {}};
}

Section operator_section(const wire::InspectDiff& diff) {
  Table table{.columns = {{.title = "operator", .align = Align::Left, .wording = Wording::Name},
                          {.title = "nodes"},
                          {.title = "MACs"},
                          {.title = "FLOPs, step"},
                          {.title = "parameters"},
                          {.title = "saved"}},
              .rows = {}};
  for (const wire::OperatorChange& change : diff.operators) {
    const wire::OperatorRow& b = change.before;
    const wire::OperatorRow& a = change.after;
    table.rows.push_back(
        {{.text = change.op_type},
         {.text = step_text(fmt::format("{}", b.nodes), fmt::format("{}", a.nodes))},
         {.text = step_text(with_prefix(b.macs), with_prefix(a.macs))},
         {.text = step_text(with_prefix(b.flops_training), with_prefix(a.flops_training))},
         {.text = step_text(with_prefix(b.parameters), with_prefix(a.parameters))},
         {.text = step_text(memory_text(b.activation_bytes), memory_text(a.activation_bytes))}});
  }
  return {.heading = "By operator", .table = std::move(table), .lines = {}};
}

/// One cell of a layer: its text on the one side that has it, or on both.
template <class Text>
std::string side_text(const wire::LayerChange& change, Text text) {
  if (!change.before) return text(*change.after);
  if (!change.after) return text(*change.before);
  return step_text(text(*change.before), text(*change.after));
}

/// The same for a cost, which may be unknown.
template <class Text>
std::string cost_text(const wire::LayerChange& change, Text text) {
  return side_text(change, [text](const wire::NodeRow& row) {
    return row.gap.empty() ? text(row) : std::string{"?"};
  });
}

std::vector<Cell> layer_cells(const wire::LayerChange& change) {
  using Row = wire::NodeRow;
  constexpr std::array<Tone, 4> kTones{Tone::Good, Tone::Bad, Tone::Warn, Tone::Warn};
  const auto output = [](const Row& r) { return r.shape ? shape_text(*r.shape) : "?"; };
  return {
      {.text = std::string{name_of(change.change)},
       .tone = kTones[static_cast<std::size_t>(change.change)]},
      {.text = side_text(change, [](const Row& r) { return shortened(r.name, kNameWidth); })},
      {.text = side_text(change, [](const Row& r) { return r.op_type; })},
      {.text = side_text(change, output)},
      {.text = cost_text(change, [](const Row& r) { return with_prefix(r.parameters); })},
      {.text = cost_text(change, [](const Row& r) { return with_prefix(r.macs); })},
      {.text = cost_text(change, [](const Row& r) { return with_prefix(r.flops_training()); })},
      {.text = cost_text(change, [](const Row& r) { return memory_text(r.activation_bytes); })}};
}

Section layer_section(const wire::InspectDiff& diff) {
  constexpr std::size_t kShown = 40;
  Section section{.heading = "Layers", .table = {}, .lines = {}};
  if (!diff.layers.empty()) {
    section.table =
        Table{.columns = {{.title = "change", .align = Align::Left},
                          {.title = "layer", .align = Align::Left, .wording = Wording::Name},
                          {.title = "operator", .align = Align::Left, .wording = Wording::Name},
                          {.title = "output", .align = Align::Left},
                          {.title = "parameters"},
                          {.title = "MACs"},
                          {.title = "FLOPs, step"},
                          {.title = "saved"}},
              .rows = {}};
  }
  for (const wire::LayerChange& change : diff.layers) {
    if (section.table->rows.size() == kShown) break;
    section.table->rows.push_back(layer_cells(change));
  }
  if (diff.layers.size() > kShown) {
    section.lines.push_back(
        {.label = fmt::format("... and {} more; --json lists all", diff.layers.size() - kShown)});
  }
  std::string counts =
      counted(static_cast<std::size_t>(diff.layers_unchanged), "layer") + " of equal cost";
  if (diff.layers_renamed > 0) {
    counts += fmt::format(", {} of equal cost under another name", diff.layers_renamed);
  }
  section.lines.push_back({.label = counts + ". Nodes that run no kernel are no layers."});
  return section;
}

std::vector<std::string> notes_of(const wire::InspectDiff& diff) {
  std::vector<std::string> notes;
  for (const wire::InspectReport* report : {&diff.before, &diff.after}) {
    const std::size_t gaps = report->nodes_without_cost.size();
    if (gaps > 0) {
      const bool is_lower = report->nodes_with_bounds == 0;
      notes.push_back(fmt::format("{}: {} without cost, so each of its totals is {}{}",
                                  report->model, counted(gaps, "node"), is_lower ? "a " : "",
                                  bound_word(*report)));
    }
  }
  // What both say is said once.
  notes.insert(notes.end(), diff.before.warnings.begin(), diff.before.warnings.end());
  if (diff.after.warnings != diff.before.warnings) {
    notes.insert(notes.end(), diff.after.warnings.begin(), diff.after.warnings.end());
  }
  return notes;
}

}  // namespace

Document document(const wire::InspectDiff& diff) {
  const auto nodes = [](const wire::InspectReport& report) {
    return with_commas(static_cast<double>(report.nodes));
  };
  const auto batch = [](const wire::InspectReport& report) {
    return fmt::format("{}", report.batch);
  };
  Document document{
      .title = fmt::format("{} -> {}", diff.before.model, diff.after.model),
      .summary = fmt::format("batch {}, nodes {}", step_text(batch(diff.before), batch(diff.after)),
                             step_text(nodes(diff.before), nodes(diff.after))),
      .lines = {},
      .sections = {}};
  document.sections.push_back(totals_section(diff));
  if (!diff.operators.empty()) document.sections.push_back(operator_section(diff));
  document.sections.push_back(layer_section(diff));
  append_notes(document, notes_of(diff));
  return document;
}

std::string page(const wire::InspectDiff& diff, Colour colour) {
  return page(document(diff), colour);
}

}  // namespace horus::report
