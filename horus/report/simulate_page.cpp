// SPDX-License-Identifier: Apache-2.0
// The page of the simulator: policies side by side, and what changed against the first.
#include <array>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/report/pages.hpp"

namespace horus::report {
namespace {

enum class Better { Lower, Higher };

/// A figure of a policy: one line of the page.
struct Figure {
  const char* title;
  double (*value)(const wire::PolicyRow&);
  std::string (*text)(double);
  Better better;
};

std::string ratio_text(double ratio) { return fmt::format("{:.2f}x", ratio); }
std::string gpu_hours_text(double gpu_seconds) {
  return fmt::format("{:.1f} GPU h", gpu_seconds / 3600.0);
}

template <double wire::PolicyRow::*Member>
double get(const wire::PolicyRow& row) {
  return row.*Member;
}
template <std::int64_t wire::PolicyRow::*Member>
double get(const wire::PolicyRow& row) {
  return static_cast<double>(row.*Member);
}

using Row = wire::PolicyRow;
constexpr std::array kFigures{
    Figure{"jobs finished", get<&Row::jobs_finished>, with_commas, Better::Higher},
    Figure{"jobs rejected", get<&Row::jobs_rejected>, with_commas, Better::Lower},
    Figure{"makespan", get<&Row::makespan_s>, time_text, Better::Lower},
    Figure{"JCT mean", get<&Row::jct_mean_s>, time_text, Better::Lower},
    Figure{"JCT median", get<&Row::jct_p50_s>, time_text, Better::Lower},
    Figure{"JCT p99", get<&Row::jct_p99_s>, time_text, Better::Lower},
    Figure{"wait mean", get<&Row::wait_mean_s>, time_text, Better::Lower},
    Figure{"wait p99", get<&Row::wait_p99_s>, time_text, Better::Lower},
    Figure{"first start, mean delay", get<&Row::first_start_mean_s>, time_text, Better::Lower},
    Figure{"GPU utilization", get<&Row::gpu_utilization>, percent_text, Better::Higher},
    Figure{"slowdown mean", get<&Row::slowdown_mean>, ratio_text, Better::Lower},
    Figure{"slowdown p99", get<&Row::slowdown_p99>, ratio_text, Better::Lower},
    Figure{"slowed beyond tolerance", get<&Row::beyond_tolerance>, percent_text, Better::Lower},
    Figure{"out-of-memory deaths", get<&Row::oom_deaths>, with_commas, Better::Lower},
    Figure{"preemptions", get<&Row::preemptions>, with_commas, Better::Lower},
    Figure{"lost work", get<&Row::lost_work_gpu_s>, gpu_hours_text, Better::Lower},
};

Table empty_table(std::string title, std::span<const wire::PolicyRow> policies) {
  Table table{.columns = {{.title = std::move(title), .align = Align::Left}}, .rows = {}};
  for (const wire::PolicyRow& row : policies) table.columns.push_back({.title = row.policy});
  return table;
}

Table figures_table(const wire::SimulateReport& report) {
  Table table = empty_table("policy", report.policies);
  for (const Figure& figure : kFigures) {
    std::vector<Cell> cells{{.text = figure.title}};
    for (const wire::PolicyRow& row : report.policies) {
      cells.push_back({.text = figure.text(figure.value(row))});
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Cell change_cell(double base, double value, Better better) {
  // Less than what the page can show is no change.
  constexpr double kShown = 0.0005;
  if (std::abs(value - base) <= kShown * std::abs(base)) {
    return {.text = "same", .tone = Tone::Faint};
  }
  // A change against nothing has no percentage.
  if (base == 0.0) {
    return better == Better::Lower ? Cell{.text = "worse", .tone = Tone::Bad}
                                   : Cell{.text = "better", .tone = Tone::Good};
  }
  const double change = (value - base) / base;
  const bool good = better == Better::Lower ? change < 0.0 : change > 0.0;
  return {.text = fmt::format("{:+.1f} %", change * 100.0), .tone = good ? Tone::Good : Tone::Bad};
}

Table change_table(const wire::SimulateReport& report) {
  const wire::PolicyRow& base = report.policies.front();
  const std::span<const wire::PolicyRow> others = std::span{report.policies}.subspan(1);
  Table table = empty_table("against " + base.policy, others);
  for (const Figure& figure : kFigures) {
    std::vector<Cell> cells{{.text = figure.title}};
    bool has_change = false;
    for (const wire::PolicyRow& row : others) {
      cells.push_back(change_cell(figure.value(base), figure.value(row), figure.better));
      has_change = has_change || cells.back().text != "same";
    }
    if (has_change) table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

std::string page(const wire::SimulateReport& report, Colour colour) {
  std::string out = toned(without_controls(report.workload), Tone::Bold, colour);
  out += fmt::format("  {} on {} ({}), ", counted(static_cast<std::size_t>(report.jobs), "job"),
                     counted(static_cast<std::size_t>(report.gpus), "GPU"),
                     without_controls(report.cluster));
  out += report.load ? fmt::format("load {:.2f}", *report.load) : "all at once";
  out += fmt::format(", seed {}\nmodels: {}\ntruth: {}\n\n", report.seed,
                     without_controls(report.models), without_controls(report.truth));
  if (report.policies.empty()) return out;
  out += render(figures_table(report), colour);
  if (report.policies.size() > 1) {
    const Table changes = change_table(report);
    out += "\n" + (changes.rows.empty() ? "All figures are the same.\n" : render(changes, colour));
  }
  out += fmt::format(
      "\nJCT: from arrival to finish. wait: JCT less the time holding GPUs. "
      "Tolerance: {:.2f}x.\n",
      report.tolerance);
  for (const std::string& note : report.notes) {
    out += toned("note: ", Tone::Warn, colour) + without_controls(note) + "\n";
  }
  return out;
}

}  // namespace horus::report
