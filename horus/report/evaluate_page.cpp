// SPDX-License-Identifier: Apache-2.0
// The page of an evaluation: protocols side by side, the models that are predicted worst, what was
// not judged.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "horus/report/pages.hpp"

namespace horus::report {
namespace {

constexpr std::size_t kNameWidth = 32;
constexpr std::size_t kWorstShown = 5;
constexpr std::size_t kLeftOutShown = 12;

/// How a person calls a figure.
struct FigureTitle {
  std::string_view key;
  std::string_view title;
};
constexpr auto kTitles = std::to_array<FigureTitle>({
    {"rmsle_utilization_percent", "utilization, RMSLE of percent"},
    {"mae_utilization_points", "utilization, mean error"},
    {"coverage_utilization_percent", "utilization, within 80 % interval"},
    {"mae_bandwidth_points", "bandwidth, mean error"},
    {"mae_sm_active_points", "SM activity, mean error"},
    {"mape_step_percent", "step time, mean error"},
    {"coverage_step_percent", "step time, within 80 % interval"},
    {"mape_memory_percent", "memory, mean error"},
    {"coverage_memory_percent", "memory, within 80 % interval"},
    {"bound_violations", "memory above its 95 % bound"},
    {"bound_violations_10pct", "bound more than 10 % too low"},
    {"bound_excess_mean_percent", "bound, mean excess"},
    {"oom_recall", "out of memory foreseen"},
    {"oom_refused_good", "good runs refused"},
    {"oom_recall_bound", "out of memory foreseen, by bound"},
    {"oom_refused_good_bound", "good runs refused, by bound"},
    {"slowdown_mape_percent", "slowdown, mean error"},
    {"slowdown_mape_law_percent", "  by the law alone, nothing remembered"},
    {"slowdown_mape_known_percent", "  of configurations met in other pairs"},
    {"slowdown_mape_new_percent", "  of configurations never met"},
    {"coverage_slowdown_percent", "slowdown, within 80 % interval"},
    {"pair_work_measured", "work of a pair at a time, measured"},
    {"pair_work_expected", "work of a pair at a time, predicted"},
    {"good_pair_auc", "good pairs told from bad, AUC"},
    {"pack_rule_good", "packed pairs that are good"},
    {"pack_rule_share", "pairs that are packed"},
    {"mae_pair_utilization_points", "pair's utilization, mean error"},
    {"mape_pair_memory_percent", "pair's memory, mean error"},
});

std::string title_of(const std::string& key) {
  const auto found = std::ranges::find(kTitles, key, &FigureTitle::key);
  return found == kTitles.end() ? key : std::string{found->title};
}

/// Three decimals for what has no unit, one for percents and points.
std::string number_text(double value, const std::string& unit) {
  return unit.empty() ? fmt::format("{:.3f}", value) : fmt::format("{:.1f}", value);
}

std::string unit_text(const std::string& unit) {
  if (unit.empty()) return {};
  return unit == "points" ? ", points" : ", " + unit;
}

/// "6.6 [4.2, 9.1]".
std::string figure_text(const wire::FigureRow& figure) {
  if (!figure.value) return "-";
  std::string text = number_text(*figure.value, figure.unit);
  if (figure.range) {
    text += fmt::format(" [{}, {}]", number_text(figure.range->low, figure.unit),
                        number_text(figure.range->high, figure.unit));
  }
  return text;
}

std::vector<const wire::ProtocolRow*> protocols_run(const wire::EvaluateReport& report) {
  std::vector<const wire::ProtocolRow*> rows;
  for (const wire::ProtocolRow& protocol : report.protocols) {
    if (protocol.skipped.empty()) rows.push_back(&protocol);
  }
  return rows;
}

/// A line that counts something of each protocol.
std::vector<Cell> count_cells(const std::vector<const wire::ProtocolRow*>& protocols,
                              const char* title, std::int64_t wire::ProtocolRow::*count) {
  std::vector<Cell> cells{{.text = title, .tone = Tone::Faint}};
  for (const wire::ProtocolRow* protocol : protocols) {
    cells.push_back(
        {.text = with_commas(static_cast<double>(protocol->*count)), .tone = Tone::Faint});
  }
  return cells;
}

Section figure_section(const std::vector<const wire::ProtocolRow*>& protocols) {
  Table table{.columns = {{.title = "protocol", .align = Align::Left}}, .rows = {}};
  for (const wire::ProtocolRow* protocol : protocols) {
    table.columns.push_back({.title = protocol->name});
  }
  table.rows.push_back(count_cells(protocols, "rows", &wire::ProtocolRow::rows));
  table.rows.push_back(count_cells(protocols, "models", &wire::ProtocolRow::models));
  table.rows.push_back(count_cells(protocols, "families", &wire::ProtocolRow::families));
  const bool has_pairs = std::ranges::any_of(
      protocols, [](const wire::ProtocolRow* protocol) { return protocol->pairs > 0; });
  if (has_pairs) {
    table.rows.push_back(count_cells(protocols, "pairs", &wire::ProtocolRow::pairs));
  }
  for (std::size_t i = 0; i < protocols.front()->figures.size(); ++i) {
    const wire::FigureRow& first = protocols.front()->figures[i];
    std::vector<Cell> cells{{.text = title_of(first.key) + unit_text(first.unit)}};
    bool has_value = false;
    for (const wire::ProtocolRow* protocol : protocols) {
      const wire::FigureRow& figure = protocol->figures[i];
      has_value = has_value || figure.value.has_value();
      cells.push_back({.text = figure_text(figure)});
    }
    if (has_value) table.rows.push_back(std::move(cells));
  }
  return {.heading = "Figures", .table = std::move(table), .lines = {}};
}

/// The figures by which parts are compared: one or two per quantity.
constexpr auto kPartFigures = std::to_array<std::string_view>({
    "rmsle_utilization_percent",
    "mape_step_percent",
    "mape_memory_percent",
    "slowdown_mape_percent",
    "pair_work_measured",
    "pair_work_expected",
    "good_pair_auc",
    "pack_rule_good",
    "pack_rule_share",
});

/// The value of a part, without its range: there may be many parts.
Cell part_cell(const wire::PartRow& part, std::string_view key) {
  const auto found = std::ranges::find(part.figures, key, &wire::FigureRow::key);
  if (found == part.figures.end() || !found->value) return {.text = "-"};
  return {.text = number_text(*found->value, found->unit)};
}

/// One figure of all parts of a protocol, or nothing where no part has it.
std::vector<Cell> part_cells(const wire::ProtocolRow& protocol, const wire::FigureRow& figure,
                             std::span<const std::string> names) {
  std::vector<Cell> cells{{.text = ""}, {.text = title_of(figure.key) + unit_text(figure.unit)}};
  bool has_value = false;
  for (const std::string& name : names) {
    const auto part = std::ranges::find(protocol.parts, name, &wire::PartRow::name);
    cells.push_back(part == protocol.parts.end() ? Cell{.text = "-"}
                                                 : part_cell(*part, figure.key));
    has_value = has_value || cells.back().text != "-";
  }
  if (!has_value) cells.clear();
  return cells;
}

std::vector<std::string> part_names(const std::vector<const wire::ProtocolRow*>& protocols) {
  std::vector<std::string> names;
  for (const wire::ProtocolRow* protocol : protocols) {
    for (const wire::PartRow& part : protocol->parts) {
      if (std::ranges::find(names, part.name) == names.end()) names.push_back(part.name);
    }
  }
  return names;
}

Section part_section(const std::vector<const wire::ProtocolRow*>& protocols,
                     std::span<const std::string> names) {
  Table table{.columns = {{.title = "of a part", .align = Align::Left},
                          {.title = "figure", .align = Align::Left}},
              .rows = {}};
  for (const std::string& name : names) table.columns.push_back({.title = name});
  for (const wire::ProtocolRow* protocol : protocols) {
    bool is_first = true;
    for (const std::string_view key : kPartFigures) {
      const auto figure = std::ranges::find(protocol->figures, key, &wire::FigureRow::key);
      if (figure == protocol->figures.end()) continue;
      std::vector<Cell> cells = part_cells(*protocol, *figure, names);
      if (cells.empty()) continue;
      if (is_first) cells.front().text = protocol->name;
      is_first = false;
      table.rows.push_back(std::move(cells));
    }
  }
  return {.heading = "Parts", .table = std::move(table), .lines = {}};
}

/// The models of one figure of one protocol, worst first, in one cell.
std::string worst_text(const wire::ProtocolRow& protocol, const std::string& key) {
  std::vector<std::string> models;
  for (const wire::WorstModelRow& row : protocol.worst) {
    if (row.key != key || models.size() == kWorstShown) continue;
    models.push_back(
        fmt::format("{} {}", shortened(row.model, kNameWidth), number_text(row.value, row.unit)));
  }
  return fmt::format("{}", fmt::join(models, ", "));
}

Section worst_section(const std::vector<const wire::ProtocolRow*>& protocols) {
  Table table{.columns = {{.title = "predicted worst", .align = Align::Left},
                          {.title = "figure", .align = Align::Left},
                          {.title = "models", .align = Align::Left}},
              .rows = {}};
  for (const wire::ProtocolRow* protocol : protocols) {
    std::string before;
    for (const wire::WorstModelRow& row : protocol->worst) {
      if (row.key == before) continue;
      table.rows.push_back({{.text = before.empty() ? protocol->name : ""},
                            {.text = title_of(row.key) + unit_text(row.unit)},
                            {.text = worst_text(*protocol, row.key)}});
      before = row.key;
    }
  }
  return {.heading = "Models predicted worst", .table = std::move(table), .lines = {}};
}

Section against_section(const wire::EvaluateReport& report,
                        const std::vector<const wire::ProtocolRow*>& protocols) {
  Table table{.columns = {{.title = "against " + shortened(report.against, kNameWidth),
                           .align = Align::Left},
                          {.title = "figure", .align = Align::Left},
                          {.title = "rows"},
                          {.title = "ours"},
                          {.title = "theirs"},
                          {.title = "ours - theirs"}},
              .rows = {}};
  for (const wire::ProtocolRow* protocol : protocols) {
    for (const wire::DifferenceRow& row : protocol->against) {
      const wire::FigureRow difference{
          .key = row.key, .unit = row.unit, .value = row.ours - row.theirs, .range = row.range};
      table.rows.push_back({{.text = protocol->name},
                            {.text = title_of(row.key) + unit_text(row.unit)},
                            {.text = with_commas(static_cast<double>(row.count))},
                            {.text = number_text(row.ours, row.unit)},
                            {.text = number_text(row.theirs, row.unit)},
                            {.text = figure_text(difference)}});
    }
  }
  Section section{.heading = "Against other predictions", .table = std::move(table), .lines = {}};
  if (section.table->rows.empty()) {
    section.lines.push_back(
        {.label = "note: ", .tone = Tone::Warn, .text = "no id of that file is an id of a row"});
  }
  return section;
}

Section left_out_section(const char* title, const std::vector<wire::LeftOutRow>& left_out) {
  Table table{.columns = {{.title = title, .align = Align::Left, .wording = Wording::Name},
                          {.title = "rows"},
                          {.title = "reason", .align = Align::Left}},
              .rows = {}};
  for (const wire::LeftOutRow& row : left_out) {
    if (table.rows.size() == kLeftOutShown) break;
    table.rows.push_back({{.text = shortened(row.model, kNameWidth)},
                          {.text = with_commas(static_cast<double>(row.rows))},
                          {.text = row.reason}});
  }
  Section section{.heading = title, .table = std::move(table), .lines = {}};
  if (left_out.size() > kLeftOutShown) {
    section.lines.push_back({.label = "",
                             .tone = Tone::Plain,
                             .text = fmt::format("... and {} more; --json lists all",
                                                 left_out.size() - kLeftOutShown)});
  }
  return section;
}

Section protocol_section(const wire::EvaluateReport& report) {
  Section section{.heading = "Protocols", .table = {}, .lines = {}};
  for (const wire::ProtocolRow& protocol : report.protocols) {
    const bool is_skipped = !protocol.skipped.empty();
    section.lines.push_back(
        {.label = protocol.name + ": ",
         .tone = is_skipped ? Tone::Warn : Tone::Bold,
         .text = is_skipped ? "skipped, " + protocol.skipped : protocol.summary});
    for (const std::string& note : protocol.notes) {
      section.lines.push_back({.label = "  ", .tone = Tone::Plain, .text = note});
    }
  }
  section.lines.push_back(
      {.label = "[low, high]: 95 % of resamples of models. ",
       .tone = Tone::Faint,
       .text = fmt::format("{} resamples, seed {}.",
                           with_commas(static_cast<double>(report.resamples)), report.seed)});
  return section;
}

}  // namespace

Document document(const wire::EvaluateReport& report) {
  Document document{.title = report.dataset,
                    .summary = fmt::format("{} ({}), model {}, loader rates {}",
                                           counted(static_cast<std::size_t>(report.rows), "row"),
                                           report.licence, report.model, report.loader_rates),
                    .lines = {},
                    .sections = {}};
  const auto protocols = protocols_run(report);
  if (!protocols.empty()) {
    document.sections.push_back(figure_section(protocols));
    document.sections.push_back(protocol_section(report));
    if (const auto names = part_names(protocols); !names.empty()) {
      document.sections.push_back(part_section(protocols, names));
    }
    document.sections.push_back(worst_section(protocols));
    if (!report.against.empty()) {
      document.sections.push_back(against_section(report, protocols));
    }
  } else {
    document.sections.push_back(protocol_section(report));
  }
  if (!report.unmapped.empty()) {
    document.sections.push_back(left_out_section("No architecture", report.unmapped));
  }
  if (!report.left_out.empty()) {
    document.sections.push_back(left_out_section("Left out by rule", report.left_out));
  }
  append_notes(document, report.notes);
  return document;
}

std::string page(const wire::EvaluateReport& report, Colour colour) {
  return page(document(report), colour);
}

}  // namespace horus::report
