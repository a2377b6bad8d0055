// SPDX-License-Identifier: Apache-2.0
// The page of the simulator: policies side by side, and what changed against the first.
#include <fmt/format.h>

#include "horus/report/pages.hpp"

namespace horus::report {
namespace {

enum class Better { Lower, Higher };

/// A figure of a policy as its own column: how it is read, and which direction is good.
struct Figure {
  const char* title;
  double wire::PolicyRow::*value;
  std::string (*text)(double);
  Better better;
};

std::string ratio_text(double ratio) { return fmt::format("{:.2f}x", ratio); }
std::string gpu_hours_text(double gpu_seconds) {
  return fmt::format("{:.1f} h", gpu_seconds / 3600.0);
}

constexpr Figure kFigures[] = {
    {"makespan", &wire::PolicyRow::makespan_s, time_text, Better::Lower},
    {"JCT mean", &wire::PolicyRow::jct_mean_s, time_text, Better::Lower},
    {"JCT p50", &wire::PolicyRow::jct_p50_s, time_text, Better::Lower},
    {"JCT p99", &wire::PolicyRow::jct_p99_s, time_text, Better::Lower},
    {"wait mean", &wire::PolicyRow::wait_mean_s, time_text, Better::Lower},
    {"wait p99", &wire::PolicyRow::wait_p99_s, time_text, Better::Lower},
    {"first start", &wire::PolicyRow::first_start_mean_s, time_text, Better::Lower},
    {"GPU util", &wire::PolicyRow::gpu_utilization, percent_text, Better::Higher},
    {"slowdown", &wire::PolicyRow::slowdown_mean, ratio_text, Better::Lower},
    {"p99", &wire::PolicyRow::slowdown_p99, ratio_text, Better::Lower},
    {"beyond", &wire::PolicyRow::beyond_tolerance, percent_text, Better::Lower},
    {"lost work", &wire::PolicyRow::lost_work_gpu_s, gpu_hours_text, Better::Lower},
};

Table figures_table(const wire::SimulateReport& report) {
  Table table{.columns = {{.title = "policy", .align = Align::Left}, {.title = "jobs"}},
              .rows = {}};
  for (const Figure& figure : kFigures) table.columns.push_back({.title = figure.title});
  table.columns.push_back({.title = "OOM"});
  table.columns.push_back({.title = "rejected"});
  for (const wire::PolicyRow& row : report.policies) {
    std::vector<Cell> cells{{.text = row.policy}, {.text = fmt::format("{}", row.jobs_finished)}};
    for (const Figure& figure : kFigures) cells.push_back({.text = figure.text(row.*figure.value)});
    cells.push_back({.text = fmt::format("{}", row.oom_deaths)});
    cells.push_back({.text = fmt::format("{}", row.jobs_rejected)});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Cell change_cell(double base, double value, Better better) {
  // A change against nothing has no percentage.
  if (base == 0.0) return {.text = value == 0.0 ? "0.0 %" : "-"};
  const double change = (value - base) / base;
  const bool good = better == Better::Lower ? change < 0.0 : change > 0.0;
  const Tone tone = change == 0.0 ? Tone::Plain : (good ? Tone::Good : Tone::Bad);
  return {.text = fmt::format("{:+.1f} %", change * 100.0), .tone = tone};
}

Table change_table(const wire::SimulateReport& report) {
  const wire::PolicyRow& base = report.policies.front();
  Table table{.columns = {{.title = "against " + base.policy, .align = Align::Left}}, .rows = {}};
  for (const Figure& figure : kFigures) table.columns.push_back({.title = figure.title});
  for (std::size_t i = 1; i < report.policies.size(); ++i) {
    const wire::PolicyRow& row = report.policies[i];
    std::vector<Cell> cells{{.text = row.policy}};
    for (const Figure& figure : kFigures) {
      cells.push_back(change_cell(base.*figure.value, row.*figure.value, figure.better));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

std::string page(const wire::SimulateReport& report, Colour colour) {
  std::string out = toned(report.workload, Tone::Bold, colour);
  out += fmt::format("  {} jobs on {} GPUs ({}), ", with_commas(static_cast<double>(report.jobs)),
                     with_commas(static_cast<double>(report.gpus)), report.cluster);
  out += report.load > 0.0 ? fmt::format("load {:.2f}", report.load) : "closed";
  out += fmt::format(", seed {}\ntruth: {}\n\n", report.seed, report.truth);
  if (report.policies.empty()) return out;
  out += render(figures_table(report), colour);
  if (report.policies.size() > 1) out += "\n" + render(change_table(report), colour);
  out += fmt::format(
      "\nbeyond: share of jobs slowed beyond {:.2f}x. JCT: from arrival to finish. "
      "wait: JCT less the time holding GPUs.\n",
      report.tolerance);
  for (const std::string& note : report.notes)
    out += toned("note: ", Tone::Warn, colour) + note + "\n";
  return out;
}

}  // namespace horus::report
