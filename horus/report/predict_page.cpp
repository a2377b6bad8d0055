// SPDX-License-Identifier: Apache-2.0
// The page of a prediction.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/report/pages.hpp"
#include "horus/report/sharing_section.hpp"

namespace horus::report {
namespace {

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

bool has_sm_active(const wire::PredictReport& report) {
  return std::ranges::any_of(report.predictions, [](const wire::PredictionRow& row) {
    return row.prediction.sm_active.has_value();
  });
}

constexpr std::size_t kNameWidth = 44;

/// Job number `job` alone on one GPU. The first of several names the GPU.
std::vector<Cell> prediction_cells(const Prediction& p, std::size_t job,
                                   const wire::PredictReport& of) {
  std::vector<Cell> cells{{.text = job == 0 ? p.gpu : ""}};
  if (of.jobs.size() > 1) cells.push_back({.text = shortened(of.jobs[job], kNameWidth)});
  cells.push_back({.text = utilization_text(p.gpu_utilization)});
  if (has_sm_active(of)) {
    cells.push_back({.text = p.sm_active ? percent_text(p.sm_active->expected) : "-"});
  }
  cells.push_back({.text = percent_text(p.memory_bandwidth_utilization.expected)});
  cells.push_back({.text = step_text(p.step_time_s)});
  cells.push_back({.text = memory_text(p.memory.expected)});
  cells.push_back({.text = memory_text(p.memory.bound)});
  cells.push_back(yes_or_no(p.fits));
  return cells;
}

Table prediction_table(const wire::PredictReport& report) {
  const bool is_whole = report.nodes_without_cost == 0;
  Table table{.columns = {{.title = "GPU", .align = Align::Left}}, .rows = {}};
  if (report.jobs.size() > 1) {
    table.columns.push_back({.title = "job, alone", .align = Align::Left});
  }
  table.columns.push_back({.title = "utilization"});
  if (has_sm_active(report)) table.columns.push_back({.title = "SMs"});
  table.columns.push_back({.title = "bandwidth"});
  table.columns.push_back({.title = is_whole ? "step time" : "step time (lower bound)"});
  table.columns.push_back({.title = "memory"});
  table.columns.push_back({.title = "95 % bound"});
  table.columns.push_back({.title = "fits"});
  for (const wire::PredictionRow& row : report.predictions) {
    table.rows.push_back(prediction_cells(row.prediction, 0, report));
    for (std::size_t i = 0; i < row.others.size() && i + 1 < report.jobs.size(); ++i) {
      table.rows.push_back(prediction_cells(row.others[i], i + 1, report));
    }
  }
  return table;
}

/// What differs from how most jobs are trained is said; the rest would only be noise.
std::string setup_text(const wire::PredictReport& report) {
  const TrainingSetup& setup = report.setup;
  const TrainingSetup usual;
  // Batch and input are those of each job, and stand with its name where there are several.
  const bool is_one = report.jobs.size() < 2;
  std::string out = is_one ? fmt::format("batch {}, ", report.batch) : "";
  out += fmt::format("{}, optimizer {}, attention {}", name_of(setup.precision),
                     name_of(setup.optimizer), name_of(setup.attention));
  if (setup.checkpointing != usual.checkpointing) {
    out += fmt::format(", checkpointing {}", name_of(setup.checkpointing));
  }
  if (setup.accumulation_steps != usual.accumulation_steps) {
    out += fmt::format(", update every {} passes", setup.accumulation_steps);
  }
  if (setup.passes_per_step != usual.passes_per_step) {
    out += fmt::format(", {:g} passes a step", setup.passes_per_step);
  }
  if (setup.update != usual.update) out += fmt::format(", updates {}", name_of(setup.update));
  if (setup.step_end != usual.step_end) out += ", waits at the end of a step";
  if (setup.input_place != usual.input_place) out += ", input on the GPU";
  if (is_one) {
    out += setup.samples_per_second
               ? fmt::format(", input {:g} samples/s", *setup.samples_per_second)
               : ", input never the bottleneck";
  }
  if (setup.loader_workers != usual.loader_workers) {
    out += fmt::format(", {} loader workers", setup.loader_workers);
  }
  return out;
}

}  // namespace

std::string page(const wire::PredictReport& report, Colour colour) {
  const std::string model = report.jobs.empty() ? "model" : without_controls(report.jobs.front());
  std::string out =
      toned(report.jobs.size() > 1 ? fmt::format("{} jobs", report.jobs.size()) : model, Tone::Bold,
            colour);
  out += "  " + setup_text(report) + "\n\n";
  out += render(prediction_table(report), colour);
  out += "[10th, 90th percentile]. fits: the bound of memory is within the GPU's.";
  if (!report.predictions.empty()) {
    out += fmt::format(" origin: {}.", name_of(report.predictions.front().prediction.origin));
  }
  out += "\n" + missing_text(report, colour);
  return out + sharing_text(report, colour) + warnings_text(report.warnings, colour);
}

}  // namespace horus::report
