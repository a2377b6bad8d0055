// SPDX-License-Identifier: Apache-2.0
#include "horus/report/sharing_section.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace horus::report {
namespace {

constexpr std::size_t kNameWidth = 44;

/// Beyond a quarter slower, people notice; beyond a half, sharing rarely pays.
Tone slowdown_tone(double slowdown) {
  if (slowdown > 1.5) return Tone::Bad;
  return slowdown > 1.25 ? Tone::Warn : Tone::Good;
}

Cell slowdown_cell(const Interval& s) {
  return {.text = fmt::format("{:.2f}x [{:.2f}, {:.2f}]", s.expected, s.low, s.high),
          .tone = slowdown_tone(s.expected)};
}

/// What stands behind the slowdowns of a mode that can be had.
std::string grounds_text(const SharedPrediction& shared) {
  if (shared.mode == SharingMode::Exclusive) return "one job at a time";
  if (shared.mode == SharingMode::Mig) return fmt::format("{}", fmt::join(shared.instances, " + "));
  return fmt::format("law {}{}", name_of(shared.calibration),
                     shared.extrapolated ? ", extrapolated from pairs" : "");
}

// ---- One mode: what it does to each job ---------------------------------------------------------

void add_jobs(Table& table, const wire::PredictionRow& row, const wire::PredictReport& report) {
  const SharedPrediction& shared = row.modes.front();
  for (std::size_t i = 0; i < shared.slowdowns.size() && i < report.jobs.size(); ++i) {
    std::vector<Cell> cells{{.text = i == 0 ? row.prediction.gpu : ""},
                            {.text = shortened(report.jobs[i], kNameWidth)}};
    if (i < shared.instances.size()) cells.back().text += " on " + shared.instances[i];
    cells.push_back(slowdown_cell(shared.slowdowns[i]));
    if (i == 0) {
      cells.push_back({.text = memory_text(shared.memory.bound)});
      cells.push_back(yes_or_no(shared.fits));
    }
    table.rows.push_back(std::move(cells));
  }
}

std::string one_mode(const wire::PredictReport& report, Colour colour) {
  Table table{.columns = {{.title = "shared GPU", .align = Align::Left},
                          {.title = "job", .align = Align::Left},
                          {.title = "slowdown"},
                          {.title = "bound of all"},
                          {.title = "fits together"}},
              .rows = {}};
  std::string lines;
  for (const wire::PredictionRow& row : report.predictions) {
    const SharedPrediction& shared = row.modes.front();
    add_jobs(table, row, report);
    lines += fmt::format("{}, {}: ", row.prediction.gpu, name_of(shared.mode));
    lines += shared.obstacle.empty() ? grounds_text(shared) : "not possible: " + shared.obstacle;
    lines += ".\n";
  }
  return table.rows.empty() ? lines : render(table, colour) + lines;
}

// ---- Several modes: which one? ------------------------------------------------------------------

/// How likely all jobs are slowed no more than is tolerated. No belief is certain: 1 to 99 %.
Cell chance_cell(const SharedPrediction& shared) {
  if (!shared.chance_tolerated) return {.text = "-"};
  return {.text = fmt::format("{:.0f} %", std::clamp(100 * *shared.chance_tolerated, 1.0, 99.0))};
}

std::vector<Cell> mode_cells(const SharedPrediction& shared) {
  if (!shared.obstacle.empty()) {
    return {{.text = std::string{name_of(shared.mode)}},
            {.text = "-"},
            {.text = "-"},
            {.text = "-"},
            {.text = "-"},
            yes_or_no(false),
            {.text = shared.obstacle}};
  }
  const auto worst = std::ranges::max_element(shared.slowdowns, {}, &Interval::expected);
  return {{.text = std::string{name_of(shared.mode)}},
          worst == shared.slowdowns.end() ? Cell{.text = "-"} : slowdown_cell(*worst),
          chance_cell(shared),
          {.text = fmt::format("{:.2f} jobs", shared.throughput())},
          {.text = memory_text(shared.memory.bound)},
          yes_or_no(shared.fits),
          {.text = grounds_text(shared)}};
}

std::string several_modes(const wire::PredictionRow& row, Colour colour) {
  Table table{.columns = {{.title = "mode on " + row.prediction.gpu, .align = Align::Left},
                          {.title = "slowest job"},
                          {.title = "tolerable"},
                          {.title = "work at a time"},
                          {.title = "bound of all"},
                          {.title = "fits"},
                          {.title = "grounds", .align = Align::Left}},
              .rows = {}};
  for (const SharedPrediction& shared : row.modes) table.rows.push_back(mode_cells(shared));
  std::string out = render(table, colour);
  if (row.advice) {
    out += toned(fmt::format("Recommended: {}", name_of(row.advice->mode)), Tone::Bold, colour) +
           ": " + row.advice->reason + "\n";
  }
  return out;
}

}  // namespace

std::string sharing_text(const wire::PredictReport& report, Colour colour) {
  if (report.predictions.empty() || report.predictions.front().modes.empty()) return {};
  if (report.predictions.front().modes.size() == 1) return "\n" + one_mode(report, colour);
  std::string out;
  for (const wire::PredictionRow& row : report.predictions) {
    out += "\n" + several_modes(row, colour);
  }
  // What the columns count, where nothing else on the page says it.
  return out +
         "slowest job: its step time over that alone on the whole GPU. tolerable: how likely no "
         "job is slowed beyond --tolerance. work at a time: what all jobs get done, in jobs "
         "alone.\n";
}

}  // namespace horus::report
