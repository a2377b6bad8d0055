// SPDX-License-Identifier: Apache-2.0
#include "horus/report/scatter_plot.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "horus/report/scatter_axis.hpp"
#include "horus/report/svg.hpp"
#include "horus/report/table.hpp"

namespace horus::report {
namespace {

constexpr double kSide = 250.0;      // of a panel
constexpr double kLeft = 74.0;       // room for the axis at its left
constexpr double kPitch = 340.0;     // from panel to panel
constexpr double kHead = 64.0;       // room for the title of the picture
constexpr double kRowHead = 40.0;    // room for the name of a protocol
constexpr double kRowPitch = 382.0;  // from protocol to protocol
constexpr double kRadius = 2.6;
constexpr double kLegendLine = 14.0;
constexpr double kLetter = 6.2;  // about as wide as a letter of the legend
constexpr std::size_t kLegendLetters = 28;
constexpr std::size_t kHintsMax = 400;   // beyond, hints would be most of the file
constexpr std::size_t kRangesMax = 150;  // beyond, ranges hide the points
constexpr std::size_t kPointsMax = 1500;

constexpr std::string_view kStyle = R"(
.hs-t { font: 11px "Helvetica Neue", Helvetica, Arial, sans-serif; fill: #33373d; }
.hs-h { font: bold 17px "Helvetica Neue", Helvetica, Arial, sans-serif; fill: #16181d; }
.hs-n { font: bold 13px "Helvetica Neue", Helvetica, Arial, sans-serif; fill: #16181d; }
.hs-s { font: 12.5px "Helvetica Neue", Helvetica, Arial, sans-serif; fill: #5a606a; }
.hs-p { fill: #ffffff; } .hs-f { fill: none; stroke: #8a9099; stroke-width: 1; }
.hs-g { stroke: #e6e8ec; stroke-width: 1; }
.hs-d { stroke: #16181d; stroke-width: 1; stroke-dasharray: 5 3; }
.hs-r { stroke: #b9bfc9; stroke-width: 0.8; }
.hs-0 { fill: #8c8f94; fill-opacity: 0.75; } .hs-1 { fill: #d55e00; } .hs-2 { fill: #0072b2; }
.hs-3 { fill: #009e73; }
@media (prefers-color-scheme: dark) {
.hs-t { fill: #c6cad1; } .hs-h, .hs-n { fill: #f0f2f5; } .hs-s { fill: #9aa1ac; }
.hs-p { fill: #16181d; } .hs-g { stroke: #2a2e35; } .hs-d { stroke: #f0f2f5; }
.hs-r { stroke: #545b67; } .hs-2 { fill: #3d9bd6; } .hs-1 { fill: #e8743b; }
}
)";

/// How a quantity is drawn, and which figure names the models that it is worst for.
struct QuantityLook {
  std::string_view quantity;
  std::string_view figure;
  ScatterScale scale;
};
constexpr auto kQuantities = std::to_array<QuantityLook>({
    {"utilization", "mae_utilization_points", ScatterScale::Percent},
    {"step time", "mape_step_percent", ScatterScale::Logarithmic},
    {"memory", "mape_memory_percent", ScatterScale::Logarithmic},
    {"slowdown", "slowdown_mape_percent", ScatterScale::FromOne},
});
constexpr std::array<const char*, 4> kClasses{"hs-0", "hs-1", "hs-2", "hs-3"};

using Rows = std::vector<const wire::PredictedRow*>;

Rows rows_of(const wire::ProtocolRow& protocol, std::string_view quantity) {
  Rows rows;
  for (const wire::PredictedRow& row : protocol.predicted) {
    if (row.quantity == quantity) rows.push_back(&row);
  }
  return rows;
}

/// At most so many, evenly.
Rows thinned(const Rows& rows) {
  if (rows.size() <= kPointsMax) return rows;
  const std::size_t step = (rows.size() + kPointsMax - 1) / kPointsMax;
  Rows some;
  for (std::size_t i = 0; i < rows.size(); i += step) some.push_back(rows[i]);
  return some;
}

/// The models that have colours, worst first.
std::vector<std::string> worst_of(const wire::ProtocolRow& protocol, std::string_view figure) {
  std::vector<std::string> models;
  for (const wire::WorstModelRow& row : protocol.worst) {
    if (row.key == figure && models.size() + 1 < kClasses.size()) models.push_back(row.model);
  }
  return models;
}

/// Draws one panel; `at` is the top left corner of its frame.
class Panel {
 public:
  Panel(Svg& svg, Point at, const QuantityLook& look, const Rows& rows,
        std::vector<std::string> worst)
      : svg_{svg},
        frame_{.left = at.x, .top = at.y, .width = kSide, .height = kSide},
        look_{look},
        rows_{rows},
        shown_{thinned(rows)},
        worst_{std::move(worst)},
        axis_{scatter_axis(values(), look.scale)} {}

  void draw() {
    grid();
    svg_.line({frame_.left, frame_.bottom()}, {frame_.right(), frame_.top}, "hs-d");
    if (shown_.size() <= kRangesMax) ranges();
    for (std::size_t layer = 0; layer < kClasses.size(); ++layer) points(layer);
    svg_.rectangle(frame_, "hs-f");
    titles();
    legend();
  }

 private:
  [[nodiscard]] std::vector<double> values() const {
    std::vector<double> all;
    for (const wire::PredictedRow* row : rows_) {
      all.push_back(row->measured);
      all.push_back(row->expected);
    }
    return all;
  }

  [[nodiscard]] double x_of(double value) const {
    return frame_.left + frame_.width * axis_.place(value);
  }
  [[nodiscard]] double y_of(double value) const {
    return frame_.bottom() - frame_.height * axis_.place(value);
  }

  /// 0: no colour of its own.
  [[nodiscard]] std::size_t layer_of(const wire::PredictedRow& row) const {
    const auto found = std::ranges::find(worst_, row.model);
    return found == worst_.end() ? 0 : static_cast<std::size_t>(found - worst_.begin()) + 1;
  }

  void grid() {
    for (const ScatterTick& tick : axis_.ticks) {
      const double x = x_of(tick.value);
      const double y = y_of(tick.value);
      svg_.line({frame_.left, y}, {frame_.right(), y}, "hs-g");
      svg_.line({x, frame_.top}, {x, frame_.bottom()}, "hs-g");
      svg_.text({frame_.left - 6.0, y + 4.0}, Anchor::End, "hs-t", tick.text);
      svg_.text({x, frame_.bottom() + 15.0}, Anchor::Middle, "hs-t", tick.text);
    }
  }

  void ranges() {
    for (const wire::PredictedRow* row : shown_) {
      const double x = x_of(row->measured);
      svg_.line({x, y_of(row->low)}, {x, y_of(row->high)}, "hs-r");
    }
  }

  void points(std::size_t layer) {
    for (const wire::PredictedRow* row : shown_) {
      if (layer_of(*row) != layer) continue;
      const Point at{x_of(row->measured), y_of(row->expected)};
      if (shown_.size() > kHintsMax) {
        svg_.circle(at, kRadius, kClasses[layer]);
        continue;
      }
      svg_.circle(
          at, kRadius, kClasses[layer],
          fmt::format("{} ({}): measured {:.4g} {}, predicted {:.4g} {}", shortened(row->model, 60),
                      shortened(row->id, 60), row->measured, row->unit, row->expected, row->unit));
    }
  }

  void titles() {
    const std::string unit = rows_.front()->unit.empty() ? "" : ", " + rows_.front()->unit;
    svg_.text({frame_.left + kSide / 2.0, frame_.bottom() + 34.0}, Anchor::Middle, "hs-t",
              fmt::format("measured {}{}", look_.quantity, unit));
    svg_.text_upwards({frame_.left - 46.0, frame_.top + kSide / 2.0}, Anchor::Middle, "hs-t",
                      fmt::format("predicted {}{}", look_.quantity, unit));
    const std::string some =
        shown_.size() < rows_.size() ? fmt::format("{} of ", shown_.size()) : "";
    svg_.text({frame_.right(), frame_.top - 6.0}, Anchor::End, "hs-t",
              fmt::format("{}{}", some, counted(rows_.size(), "point")));
  }

  [[nodiscard]] std::size_t points_in(const Box& box) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(shown_, [&](const wire::PredictedRow* row) {
          const double x = x_of(row->measured);
          const double y = y_of(row->expected);
          return x > box.left && x < box.right() && y > box.top && y < box.bottom();
        }));
  }

  /// Names of models, in the corner of too much or in that of too little: where fewer points lie.
  void legend() {
    std::size_t longest = 0;
    for (const std::string& model : worst_) {
      longest = std::max(longest, shortened(model, kLegendLetters).size());
    }
    Box box{.left = frame_.left + 4.0,
            .top = frame_.top + 2.0,
            .width = 22.0 + kLetter * static_cast<double>(longest),
            .height = kLegendLine * static_cast<double>(worst_.size()) + 4.0};
    const Box other{.left = frame_.right() - 4.0 - box.width,
                    .top = frame_.bottom() - 2.0 - box.height,
                    .width = box.width,
                    .height = box.height};
    if (points_in(other) < points_in(box)) box = other;
    double y = box.top + 12.0;
    for (std::size_t i = 0; i < worst_.size(); ++i) {
      svg_.circle({box.left + 6.0, y - 4.0}, 3.5, kClasses[i + 1]);
      svg_.text({box.left + 14.0, y}, Anchor::Start, "hs-t", shortened(worst_[i], kLegendLetters));
      y += kLegendLine;
    }
  }

  Svg& svg_;
  Box frame_;
  const QuantityLook& look_;
  const Rows& rows_;
  Rows shown_;
  std::vector<std::string> worst_;
  ScatterAxis axis_;
};

std::vector<const wire::ProtocolRow*> drawn_protocols(const wire::EvaluateReport& report) {
  std::vector<const wire::ProtocolRow*> rows;
  for (const wire::ProtocolRow& protocol : report.protocols) {
    if (!protocol.predicted.empty()) rows.push_back(&protocol);
  }
  return rows;
}

/// The quantities that any protocol predicts.
std::vector<const QuantityLook*> drawn_quantities(
    const std::vector<const wire::ProtocolRow*>& protocols) {
  std::vector<const QuantityLook*> looks;
  for (const QuantityLook& look : kQuantities) {
    const bool is_there = std::ranges::any_of(protocols, [&](const wire::ProtocolRow* protocol) {
      return !rows_of(*protocol, look.quantity).empty();
    });
    if (is_there) looks.push_back(&look);
  }
  return looks;
}

}  // namespace

std::string scatter_plot(const wire::EvaluateReport& report) {
  const auto protocols = drawn_protocols(report);
  const auto looks = drawn_quantities(protocols);
  const double width = kLeft + kPitch * static_cast<double>(std::max<std::size_t>(looks.size(), 2));
  const double height = kHead + kRowPitch * static_cast<double>(protocols.size());
  Svg svg{width, height, "predicted against measured: " + report.dataset, kStyle};
  svg.rectangle({.left = 0.0, .top = 0.0, .width = width, .height = height}, "hs-p");
  svg.text({kLeft, 30.0}, Anchor::Start, "hs-h", report.dataset);
  svg.text({kLeft, 50.0}, Anchor::Start, "hs-s",
           protocols.empty() ? "nothing was predicted"
                             : "predicted against measured; on the dashed line a prediction is "
                               "right; colours: the models predicted worst");
  double top = kHead;
  for (const wire::ProtocolRow* protocol : protocols) {
    svg.text({kLeft, top + 22.0}, Anchor::Start, "hs-n",
             fmt::format("{}: {}", protocol->name, protocol->summary));
    double left = kLeft;
    for (const QuantityLook* look : looks) {
      const Rows rows = rows_of(*protocol, look->quantity);
      if (!rows.empty()) {
        Panel{svg, {left, top + kRowHead + 8.0}, *look, rows, worst_of(*protocol, look->figure)}
            .draw();
      }
      left += kPitch;
    }
    top += kRowPitch;
  }
  return std::move(svg).finish();
}

}  // namespace horus::report
