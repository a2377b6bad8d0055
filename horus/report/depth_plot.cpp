// SPDX-License-Identifier: Apache-2.0
#include "horus/report/depth_plot.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "horus/report/axis.hpp"
#include "horus/report/depth_profile.hpp"
#include "horus/report/stage_labels.hpp"
#include "horus/report/svg.hpp"
#include "horus/report/table.hpp"
#include "horus/report/totals.hpp"

namespace horus::report {
namespace {

constexpr double kWidth = 976.0;
constexpr double kHeight = 582.0;
constexpr Box kWorkPanel{.left = 76.0, .top = 92.0, .width = 820.0, .height = 230.0};
constexpr Box kMemoryPanel{.left = 76.0, .top = 360.0, .width = 820.0, .height = 150.0};
constexpr double kEmptyHeight = 108.0;  // of a picture without panels
constexpr double kTitleLine = 30.0;
constexpr double kSummaryLine = 50.0;
constexpr double kGapLine = 66.0;
constexpr double kSmall = 11.0;        // font size of axes and legends
constexpr double kLarge = 17.0;        // font size of the title
constexpr double kBarWidthMax = 60.0;  // wider ones look like panels
constexpr double kHeadroom = 1.05;     // above the largest value
constexpr std::size_t kBarsMax = 410;  // of two units each
constexpr double kElementBytes = 4.0;

// Prefixed, because a page that holds the picture shares its classes.
constexpr std::string_view kStyle = R"(
.hp-t { font: 11px "Helvetica Neue", Helvetica, Arial, sans-serif; fill: #33373d; }
.hp-h { font: bold 17px "Helvetica Neue", Helvetica, Arial, sans-serif; fill: #16181d; }
.hp-s { font: 12.5px "Helvetica Neue", Helvetica, Arial, sans-serif; fill: #5a606a; }
.hp-p { fill: #ffffff; }
.hp-b { fill: #f3f4f6; }
.hp-g { stroke: #dcdfe4; stroke-width: 1; }
.hp-a { stroke: #8a9099; stroke-width: 1; fill: none; }
.hp-c { stroke: #16181d; stroke-width: 1.6; fill: none; stroke-linejoin: round; }
.hp-d { stroke: #16181d; stroke-width: 1.2; fill: none; stroke-dasharray: 4 3; }
.hp-0 { fill: #0072b2; } .hp-1 { fill: #56b4e9; } .hp-2 { fill: #d55e00; } .hp-3 { fill: #e69f00; }
.hp-4 { fill: #cc79a7; } .hp-5 { fill: #009e73; } .hp-6 { fill: #8c8f94; } .hp-7 { fill: #c9b82e; }
.hp-w { fill: #b9bfc9; } .hp-k { fill: #e3c878; }
@media (prefers-color-scheme: dark) {
.hp-t { fill: #c6cad1; } .hp-h { fill: #f0f2f5; } .hp-s { fill: #9aa1ac; }
.hp-p { fill: #16181d; } .hp-b { fill: #1e2127; } .hp-g { stroke: #333840; }
.hp-a { stroke: #6b727d; } .hp-c, .hp-d { stroke: #f0f2f5; }
.hp-0 { fill: #3d9bd6; } .hp-1 { fill: #8fd0f5; } .hp-2 { fill: #e8743b; }
.hp-w { fill: #545b67; } .hp-k { fill: #b89a4a; }
}
)";

struct Look {
  const char* name;
  const char* css_class;
};

// In the order of CostGroup.
constexpr std::array<Look, kCostGroups> kLooks{{{"convolution", "hp-0"},
                                                {"depthwise, grouped", "hp-1"},
                                                {"linear", "hp-2"},
                                                {"matrix product", "hp-3"},
                                                {"recurrent", "hp-4"},
                                                {"normalization", "hp-5"},
                                                {"pointwise", "hp-6"},
                                                {"pooling, copies", "hp-7"}}};
constexpr const char* kLevelClass = "hp-w";
constexpr const char* kKeptClass = "hp-k";
constexpr const char* kTextClass = "hp-t";
constexpr const char* kCurveClass = "hp-c";
constexpr const char* kDashedClass = "hp-d";

std::string flop_text(double flops) {
  const std::string text = with_prefix(flops);
  return text + (text.find(' ') == std::string::npos ? " FLOP" : "FLOP");
}

std::string bytes_text(double bytes) {
  return memory_text(Bytes{static_cast<std::int64_t>(bytes)});
}

/// Draws the parts of one picture. Positions on the axis of depth count operators.
class Plot {
 public:
  explicit Plot(const wire::InspectReport& report)
      : report_{report},
        profile_{depth_profile(report.in_order, kBarsMax)},
        height_{profile_.bars.empty() ? kEmptyHeight : kHeight},
        svg_{kWidth, height_, "FLOPs and memory of " + report.model + " along its depth", kStyle} {}

  std::string draw() && {
    svg_.rectangle({.left = 0.0, .top = 0.0, .width = kWidth, .height = height_}, "hp-p");
    head();
    if (profile_.bars.empty()) {
      svg_.text({kWorkPanel.left, kWorkPanel.top}, Anchor::Start, kTextClass,
                report_.nodes_without_cost.empty()
                    ? "No operator runs a kernel: there is nothing to draw."
                    : "The costs of its operators are not known: there is nothing to draw.");
      return std::move(svg_).finish();
    }
    stages();
    work_panel();
    memory_panel();
    depth_axis();
    return std::move(svg_).finish();
  }

 private:
  [[nodiscard]] double x_of(std::size_t position) const {
    const auto operators = static_cast<double>(profile_.operators);
    return kWorkPanel.left + kWorkPanel.width * static_cast<double>(position) / operators;
  }
  [[nodiscard]] std::size_t begin_of(std::size_t bar) const {
    return bar * profile_.operators_per_bar;
  }
  [[nodiscard]] std::size_t end_of(std::size_t bar) const {
    return std::min(begin_of(bar) + profile_.operators_per_bar, profile_.operators);
  }

  void head() {
    std::size_t letters = 90;
    std::string title = shortened(report_.model, letters);
    while (letters > 10 && text_width(title, kLarge) > kWorkPanel.width) {
      title = shortened(report_.model, --letters);
    }
    svg_.text({kWorkPanel.left, kTitleLine}, Anchor::Start, "hp-h", title);
    const std::string summary = fmt::format(
        "batch {}, {}: {} a training step, {} parameters, {} kept for the backward pass",
        report_.batch, counted(profile_.operators, "operator"), flop_text(report_.flops_training),
        with_prefix(report_.parameters), memory_text(report_.activation_bytes));
    svg_.text({kWorkPanel.left, kSummaryLine}, Anchor::Start, "hp-s", summary);
    const std::size_t gaps = report_.nodes_without_cost.size();
    if (gaps == 0) return;
    svg_.text({kWorkPanel.left, kGapLine}, Anchor::Start, "hp-s",
              fmt::format("{} without cost, not drawn; the numbers are {}", counted(gaps, "node"),
                          report_.nodes_with_bounds == 0 ? "lower bounds" : bound_word(report_)));
  }

  /// Every second stage has a darker ground; names stand below the axis of depth.
  void stages() {
    constexpr double kBracketLine = 530.0;
    constexpr double kNameLine = 545.0;
    bool is_dark = false;
    for (const StageLabel& label : label_stages(report_.in_order, kWorkPanel.width, kSmall)) {
      const double left = x_of(label.stage.begin);
      const double width = x_of(label.stage.end) - left;
      if (is_dark) {
        for (const Box& panel : {kWorkPanel, kMemoryPanel}) {
          svg_.rectangle({.left = left, .top = panel.top, .width = width, .height = panel.height},
                         "hp-b");
        }
      }
      is_dark = !is_dark;
      if (label.text.empty()) continue;
      const double inset = std::min(1.0, width / 4.0);
      svg_.line({left + inset, kBracketLine}, {left + width - inset, kBracketLine}, "hp-a");
      svg_.text({left + width / 2.0, kNameLine}, Anchor::Middle, kTextClass, label.text);
    }
  }

  void legend_box(double& x, double y, const char* css_class, std::string_view text) {
    svg_.rectangle({.left = x, .top = y - 9.0, .width = 11.0, .height = 10.0}, css_class);
    legend_text(x, y, text);
  }
  void legend_line(double& x, double y, const char* css_class, std::string_view text) {
    svg_.line({x - 6.0, y - 4.0}, {x + 11.0, y - 4.0}, css_class);
    legend_text(x, y, text);
  }
  void legend_text(double& x, double y, std::string_view text) {
    svg_.text({x + 16.0, y}, Anchor::Start, kTextClass, text);
    x += 16.0 + text_width(text, kSmall) + 16.0;
  }

  /// Horizontal lines and the texts of the axis at the left of a panel.
  void value_axis(const Box& panel, const Axis& axis, const std::string& title) {
    for (const double tick : axis.ticks) {
      const double y = panel.bottom() - panel.height * axis.place(tick);
      svg_.line({panel.left, y}, {panel.right(), y}, "hp-g");
      svg_.text({panel.left - 7.0, y + 4.0}, Anchor::End, kTextClass, axis.tick_text(tick));
    }
    svg_.text_upwards({panel.left - 52.0, panel.top + panel.height / 2.0}, Anchor::Middle,
                      kTextClass, title);
  }

  void work_panel() {
    double largest = 0.0;
    double total = 0.0;
    for (const DepthBar& bar : profile_.bars) {
      largest = std::max(largest, bar.flops_total());
      total += bar.flops_total();
    }
    const Axis axis = prefixed_axis(largest * kHeadroom, 6, "FLOP");
    const std::string per = profile_.operators_per_bar == 1
                                ? "operator"
                                : fmt::format("{} operators", profile_.operators_per_bar);
    value_axis(kWorkPanel, axis, fmt::format("{} per {} and step", axis.unit, per));
    for (std::size_t i = 0; i < profile_.bars.size(); ++i) work_bar(i, axis);
    if (total > 0.0) share_curve(total);
    work_legend();
  }

  void work_bar(std::size_t bar, const Axis& axis) {
    constexpr double kVisible = 0.1;
    const double room = x_of(end_of(bar)) - x_of(begin_of(bar));
    const double width = std::min(room, kBarWidthMax);
    const double left = x_of(begin_of(bar)) + (room - width) / 2.0;
    double bottom = kWorkPanel.bottom();
    for (std::size_t group = 0; group < kCostGroups; ++group) {
      const double flops = profile_.bars[bar].flops[group];
      const double height = kWorkPanel.height * axis.place(flops);
      if (height < kVisible) continue;
      bottom -= height;
      // A hair of paper between bars, as long as they are wide enough to spare it.
      svg_.rectangle({.left = left,
                      .top = bottom,
                      .width = width * (width > 3.0 ? 0.88 : 1.0),
                      .height = height},
                     kLooks[group].css_class,
                     fmt::format("{}: {} ({})", shortened(profile_.bars[bar].first, 80),
                                 flop_text(flops), kLooks[group].name));
    }
  }

  /// The share of all FLOPs up to each depth, on an axis of its own at the right.
  void share_curve(double total) {
    std::vector<Point> points{{kWorkPanel.left, kWorkPanel.bottom()}};
    double sum = 0.0;
    for (std::size_t i = 0; i < profile_.bars.size(); ++i) {
      sum += profile_.bars[i].flops_total();
      points.push_back(
          {x_of(end_of(i)), kWorkPanel.bottom() - kWorkPanel.height * sum / total / kHeadroom});
    }
    svg_.polyline(points, kCurveClass);
    svg_.text_upwards({kWorkPanel.right() + 62.0, kWorkPanel.top + kWorkPanel.height / 2.0},
                      Anchor::Middle, kTextClass, "line: share of all FLOPs so far");
    for (const int percent : {0, 25, 50, 75, 100}) {
      const double y = kWorkPanel.bottom() - kWorkPanel.height * percent / 100.0 / kHeadroom;
      svg_.line({kWorkPanel.right(), y}, {kWorkPanel.right() + 4.0, y}, "hp-a");
      svg_.text({kWorkPanel.right() + 8.0, y + 4.0}, Anchor::Start, kTextClass,
                fmt::format("{} %", percent));
    }
  }

  void work_legend() {
    std::array<double, kCostGroups> sums{};
    for (const DepthBar& bar : profile_.bars) {
      for (std::size_t group = 0; group < kCostGroups; ++group) sums[group] += bar.flops[group];
    }
    double x = kWorkPanel.left;
    const double y = kWorkPanel.top - 14.0;
    for (std::size_t group = 0; group < kCostGroups; ++group) {
      if (sums[group] > 0.0) legend_box(x, y, kLooks[group].css_class, kLooks[group].name);
    }
  }

  void memory_panel() {
    const double level = profile_.bars.back().parameters * kElementBytes;
    const double kept = profile_.bars.back().kept_bytes;
    const Axis axis = memory_axis((level + kept) * kHeadroom, 4);
    value_axis(kMemoryPanel, axis, axis.unit + ", fp32");
    const auto y_of = [&](double bytes) {
      return kMemoryPanel.bottom() - kMemoryPanel.height * axis.place(bytes);
    };
    const double height = kMemoryPanel.height * axis.place(level);
    svg_.rectangle({.left = kMemoryPanel.left,
                    .top = kMemoryPanel.bottom() - height,
                    .width = kMemoryPanel.width,
                    .height = height},
                   kLevelClass);
    std::vector<Point> area{{kMemoryPanel.left, y_of(level)}};
    std::vector<Point> curve{{kMemoryPanel.left, kMemoryPanel.bottom()}};
    for (std::size_t i = 0; i < profile_.bars.size(); ++i) {
      const DepthBar& bar = profile_.bars[i];
      area.push_back({x_of(end_of(i)), y_of(level + bar.kept_bytes)});
      curve.push_back({x_of(end_of(i)), y_of(bar.parameters * kElementBytes)});
    }
    area.push_back({kMemoryPanel.right(), y_of(level)});
    svg_.polygon(area, kKeptClass);
    svg_.polyline(curve, kDashedClass);
    memory_legend(level, kept);
  }

  void memory_legend(double level, double kept) {
    double x = kMemoryPanel.left;
    const double y = kMemoryPanel.top - 12.0;
    legend_box(x, y, kKeptClass, "kept for the backward pass: " + bytes_text(kept) + " at the end");
    legend_box(x, y, kLevelClass, "parameters: " + bytes_text(level));
    x += 6.0;
    legend_line(x, y, kDashedClass, "parameters of the operators so far");
  }

  void depth_axis() {
    const Axis axis = count_axis(static_cast<double>(profile_.operators), 10);
    for (const Box& panel : {kWorkPanel, kMemoryPanel}) {
      svg_.line({panel.left, panel.bottom()}, {panel.right(), panel.bottom()}, "hp-a");
    }
    for (const double tick : axis.ticks) {
      if (tick != static_cast<double>(static_cast<std::size_t>(tick))) continue;
      const double x = x_of(static_cast<std::size_t>(tick));
      svg_.line({x, kMemoryPanel.bottom()}, {x, kMemoryPanel.bottom() + 4.0}, "hp-a");
      svg_.text({x, kMemoryPanel.bottom() + 15.0}, Anchor::Middle, kTextClass, with_commas(tick));
    }
    svg_.text({kMemoryPanel.left + kMemoryPanel.width / 2.0, kHeight - 16.0}, Anchor::Middle,
              kTextClass, "operators that run a kernel, in topological order");
  }

  const wire::InspectReport& report_;
  DepthProfile profile_;
  double height_;
  Svg svg_;
};

}  // namespace

std::string depth_plot(const wire::InspectReport& report) { return Plot{report}.draw(); }

}  // namespace horus::report
