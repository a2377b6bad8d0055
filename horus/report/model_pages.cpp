// SPDX-License-Identifier: Apache-2.0
// Pages about models: inspect, predict, zoo.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "horus/base/text.hpp"
#include "horus/report/pages.hpp"

namespace horus::report {
namespace {

constexpr std::size_t kNameWidth = 44;

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::vector<std::string> axes;
  for (const std::int64_t axis : shape) axes.push_back(axis < 0 ? "?" : fmt::format("{}", axis));
  return axes.empty() ? "scalar" : fmt::format("{}", fmt::join(axes, "x"));
}

std::string warnings_text(const std::vector<std::string>& warnings, Colour colour) {
  std::string out;
  for (const std::string& warning : warnings) {
    out += toned("note: ", Tone::Warn, colour) + without_controls(warning) + "\n";
  }
  return out.empty() ? out : "\n" + out;
}

Table totals_table(const wire::InspectReport& report) {
  const bool is_whole = report.nodes_without_cost.empty();
  Table table{
      .columns = {{.title = is_whole ? "total" : "total (lower bound)", .align = Align::Left},
                  {.title = ""}},
      .rows = {}};
  const auto row = [&](std::string name, std::string value) {
    table.rows.push_back({{.text = std::move(name)}, {.text = std::move(value)}});
  };
  row("parameters (trainable)", with_commas(report.parameters));
  row("buffers", with_commas(report.buffers));
  row("multiply-accumulates, forward", with_prefix(report.macs));
  row("FLOPs, forward", with_prefix(report.flops_forward));
  row("FLOPs, training step", with_prefix(report.flops_training));
  row("activations saved for backward", memory_text(report.activation_bytes));
  row("kernels, training step", with_commas(report.kernels));
  return table;
}

Table operator_table(const wire::InspectReport& report) {
  Table table{.columns = {{.title = "operator", .align = Align::Left},
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
  return table;
}

Table node_table(const wire::InspectReport& report) {
  Table table{.columns = {{.title = "costliest nodes", .align = Align::Left},
                          {.title = "operator", .align = Align::Left},
                          {.title = "MACs"},
                          {.title = "FLOPs, step"},
                          {.title = "share"}},
              .rows = {}};
  for (const wire::NodeRow& row : report.costliest) {
    table.rows.push_back({{.text = shortened(row.name, kNameWidth)},
                          {.text = row.op_type},
                          {.text = with_prefix(row.macs)},
                          {.text = with_prefix(row.flops_training)},
                          {.text = percent_text(row.share)}});
  }
  return table;
}

std::string gaps_text(const wire::InspectReport& report, Colour colour) {
  if (report.nodes_without_cost.empty()) return {};
  constexpr std::size_t kShown = 20;
  Table table{.columns = {{.title = "nodes without cost", .align = Align::Left},
                          {.title = "operator", .align = Align::Left},
                          {.title = "reason", .align = Align::Left}},
              .rows = {}};
  for (const wire::GapRow& row : report.nodes_without_cost) {
    if (table.rows.size() == kShown) break;
    table.rows.push_back({{.text = shortened(row.name, kNameWidth), .tone = Tone::Warn},
                          {.text = row.op_type},
                          {.text = row.reason}});
  }
  std::string out = "\n" + render(table, colour);
  const std::size_t total = report.nodes_without_cost.size();
  if (total > kShown) out += fmt::format("... and {} more; --json lists all\n", total - kShown);
  return out +
         toned("The totals are lower bounds: these nodes are not in them.\n", Tone::Warn, colour);
}

/// "99.9 % [95.9, 100.0]".
std::string utilization_text(const Interval& share) {
  return fmt::format("{} [{:.1f}, {:.1f}]", percent_text(share.expected), share.low * 100.0,
                     share.high * 100.0);
}

/// "102.8 ms [65.6, 161.7]": all three in the unit that suits the expected one.
std::string step_text(const Interval& seconds) {
  const bool is_short = seconds.expected < 1.0;
  const double scale = is_short ? 1e3 : 1.0;
  return fmt::format("{:.1f} {} [{:.1f}, {:.1f}]", seconds.expected * scale, is_short ? "ms" : "s",
                     seconds.low * scale, seconds.high * scale);
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
  Table table{.columns = {{.title = "GPU", .align = Align::Left},
                          {.title = "utilization"},
                          {.title = "bandwidth"},
                          {.title = "step time"},
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

std::string page(const wire::InspectReport& report, Colour colour) {
  std::string out = toned(without_controls(report.model), Tone::Bold, colour);
  out += fmt::format("  batch {}, opset {}, IR version {}, {} nodes\n", report.batch, report.opset,
                     report.ir_version, with_commas(static_cast<double>(report.nodes)));
  for (const wire::InputRow& input : report.inputs) {
    out += fmt::format("input {}  {} {}\n", without_controls(input.name), input.type,
                       shape_text(input.shape));
  }
  out += "\n" + render(totals_table(report), colour);
  if (!report.by_operator.empty()) out += "\n" + render(operator_table(report), colour);
  if (!report.costliest.empty()) out += "\n" + render(node_table(report), colour);
  return out + gaps_text(report, colour) + warnings_text(report.warnings, colour);
}

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
  out += "\n";
  return out + sharing_text(report, colour) + warnings_text(report.warnings, colour);
}

std::string page(const std::vector<wire::ZooRow>& rows, Colour colour) {
  Table table{.columns = {{.title = "name", .align = Align::Left},
                          {.title = "input", .align = Align::Left},
                          {.title = "architecture", .align = Align::Left}},
              .rows = {}};
  for (const wire::ZooRow& row : rows) {
    table.rows.push_back({{.text = row.name}, {.text = row.input}, {.text = row.description}});
  }
  return render(table, colour);
}

}  // namespace horus::report
