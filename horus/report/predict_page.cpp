// SPDX-License-Identifier: Apache-2.0
// The page of a prediction.
#include <array>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/report/pages.hpp"

namespace horus::report {
namespace {

constexpr std::size_t kNameWidth = 44;

std::string warnings_text(const std::vector<std::string>& warnings, Colour colour) {
  std::string out;
  for (const std::string& warning : warnings) {
    out += toned("note: ", Tone::Warn, colour) + without_controls(warning) + "\n";
  }
  return out.empty() ? out : "\n" + out;
}

/// "99.9 % [95.9, 100.0]".
std::string utilization_text(const Interval& share) {
  return fmt::format("{} [{:.1f}, {:.1f}]", percent_text(share.expected), share.low * 100.0,
                     share.high * 100.0);
}

struct TimeUnit {
  const char* name;
  double seconds;
  double below_s;  ///< For times shorter than this.
};

/// "102.8 ms [65.6, 161.7]": all three in the unit that suits the expected one.
std::string step_text(const Interval& time_s) {
  constexpr double kDay = 86400.0;
  constexpr auto kUnits = std::to_array<TimeUnit>(
      {{"ms", 1e-3, 1.0}, {"s", 1.0, 1e4}, {"h", 3600.0, 2.0 * kDay}, {"d", kDay, kDay}});
  std::size_t i = 0;
  while (i + 1 < kUnits.size() && time_s.expected >= kUnits[i].below_s) ++i;
  const TimeUnit& unit = kUnits[i];
  return fmt::format("{:.1f} {} [{:.1f}, {:.1f}]", time_s.expected / unit.seconds, unit.name,
                     time_s.low / unit.seconds, time_s.high / unit.seconds);
}

/// What is not in the numbers, or "".
std::string missing_text(const wire::PredictReport& report, Colour colour) {
  if (report.nodes_without_cost == 0) return {};
  return toned(fmt::format("Lower bounds: {} of {} without cost are not in these numbers.\n",
                           with_commas(static_cast<double>(report.nodes_without_cost)),
                           counted(static_cast<std::size_t>(report.nodes), "node")),
               Tone::Warn, colour);
}

std::vector<Cell> prediction_cells(const wire::PredictionRow& row) {
  const Prediction& p = row.prediction;
  return {{.text = p.gpu},
          {.text = utilization_text(p.gpu_utilization)},
          {.text = percent_text(p.memory_bandwidth_utilization.expected)},
          {.text = step_text(p.step_time_s)},
          {.text = memory_text(p.memory.expected)},
          {.text = memory_text(p.memory.bound)},
          {.text = p.fits ? "yes" : "no", .tone = p.fits ? Tone::Good : Tone::Bad}};
}

Table prediction_table(const wire::PredictReport& report) {
  const bool is_whole = report.nodes_without_cost == 0;
  Table table{.columns = {{.title = "GPU", .align = Align::Left},
                          {.title = "utilization"},
                          {.title = "bandwidth"},
                          {.title = is_whole ? "step time" : "step time (lower bound)"},
                          {.title = "memory"},
                          {.title = "95 % bound"},
                          {.title = "fits"}},
              .rows = {}};
  for (const auto& row : report.predictions) table.rows.push_back(prediction_cells(row));
  return table;
}

/// Beyond a quarter slower, people notice; beyond a half, sharing rarely pays.
Tone slowdown_tone(double slowdown) {
  if (slowdown > 1.5) return Tone::Bad;
  return slowdown > 1.25 ? Tone::Warn : Tone::Good;
}

std::string sharing_text(const wire::PredictReport& report, Colour colour) {
  if (report.jobs.size() < 2) return {};
  Table table{.columns = {{.title = "shared GPU", .align = Align::Left},
                          {.title = "job", .align = Align::Left},
                          {.title = "slowdown"},
                          {.title = "bound of all"},
                          {.title = "fits together"}},
              .rows = {}};
  for (const wire::PredictionRow& row : report.predictions) {
    for (std::size_t i = 0; i < row.slowdowns.size() && i < report.jobs.size(); ++i) {
      const Interval& s = row.slowdowns[i];
      std::vector<Cell> cells{
          {.text = i == 0 ? row.prediction.gpu : ""},
          {.text = shortened(report.jobs[i], kNameWidth)},
          {.text = fmt::format("{:.2f}x [{:.2f}, {:.2f}]", s.expected, s.low, s.high),
           .tone = slowdown_tone(s.expected)}};
      if (i == 0 && row.shared_memory) {
        cells.push_back({.text = memory_text(row.shared_memory->bound)});
        cells.push_back({.text = row.fits_together ? "yes" : "no",
                         .tone = row.fits_together ? Tone::Good : Tone::Bad});
      }
      table.rows.push_back(std::move(cells));
    }
  }
  return "\n" + render(table, colour);
}

}  // namespace

std::string page(const wire::PredictReport& report, Colour colour) {
  const std::string model = report.jobs.empty() ? "model" : without_controls(report.jobs.front());
  std::string out = toned(model, Tone::Bold, colour);
  out += fmt::format("  batch {}, {}, optimizer {}, attention {}, input {}\n\n", report.batch,
                     name_of(report.setup.precision), name_of(report.setup.optimizer),
                     name_of(report.setup.attention),
                     report.setup.samples_per_second
                         ? fmt::format("{:g} samples/s", *report.setup.samples_per_second)
                         : "never the bottleneck");
  out += render(prediction_table(report), colour);
  out += "[10th, 90th percentile]. fits: the bound of memory is within the GPU's.";
  if (!report.predictions.empty()) {
    out += fmt::format(" origin: {}.", name_of(report.predictions.front().prediction.origin));
  }
  out += "\n" + missing_text(report, colour);
  return out + sharing_text(report, colour) + warnings_text(report.warnings, colour);
}

}  // namespace horus::report
