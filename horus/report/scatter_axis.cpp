// SPDX-License-Identifier: Apache-2.0
#include "horus/report/scatter_axis.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "horus/report/axis.hpp"
#include "horus/report/table.hpp"

namespace horus::report {
namespace {

constexpr double kLeastPositive = 1e-9;  // below, a logarithmic axis has no use

struct Extent {
  double low{};
  double high{};
};

Extent extent_of(std::span<const double> values) {
  if (values.empty()) return {0.0, 1.0};
  const auto [low, high] = std::ranges::minmax(values);
  return {low, high};
}

ScatterAxis linear_axis(ScatterScale scale, double low, double high, double step) {
  ScatterAxis axis{.scale = scale, .low = low, .high = high, .ticks = {}};
  const double first = std::ceil(low / step - 1e-9) + 0.0;  // not -0, which would be written so
  for (double i = first; i * step <= high * (1.0 + 1e-9); i += 1.0) {
    axis.ticks.push_back({i * step, fmt::format("{:g}", i * step)});
  }
  return axis;
}

/// Between ticks of an axis of slowdowns.
double slowdown_step(double span) {
  if (span <= 1.2) return 0.2;
  if (span <= 3.0) return 0.5;
  return count_axis(span, 8).ticks[1];
}

/// Ends a little beyond the values, ticks at 1, 2 and 5 times a power of ten: fewer where those
/// would touch.
ScatterAxis logarithmic_axis(Extent extent) {
  constexpr double kMargin = 1.15;
  ScatterAxis axis{.scale = ScatterScale::Logarithmic,
                   .low = std::max(extent.low, kLeastPositive) / kMargin,
                   .high = std::max(extent.high, kLeastPositive) * kMargin,
                   .ticks = {}};
  const double decades = std::log10(axis.high / axis.low);
  const std::vector<double> steps = decades > 2.5   ? std::vector{1.0}
                                    : decades > 1.5 ? std::vector{1.0, 3.0}
                                                    : std::vector{1.0, 2.0, 5.0};
  for (double power = std::floor(std::log10(axis.low)); power <= std::ceil(std::log10(axis.high));
       power += 1.0) {
    for (const double step : steps) {
      const double value = step * std::pow(10.0, power);
      if (value < axis.low || value > axis.high) continue;
      const bool is_whole = value >= 1.0;
      axis.ticks.push_back({value, is_whole ? with_commas(value) : fmt::format("{:g}", value)});
    }
  }
  return axis;
}

}  // namespace

double ScatterAxis::place(double value) const {
  if (scale == ScatterScale::Logarithmic) {
    const double above = std::log(std::max(value, kLeastPositive) / low);
    return std::clamp(above / std::log(high / low), 0.0, 1.0);
  }
  return std::clamp((value - low) / (high - low), 0.0, 1.0);
}

ScatterAxis scatter_axis(std::span<const double> values, ScatterScale scale) {
  const Extent extent = extent_of(values);
  switch (scale) {
    case ScatterScale::Percent:
      return linear_axis(scale, 0.0, 100.0, 20.0);
    case ScatterScale::FromOne: {
      const double low = std::min(1.0, std::floor(extent.low * 10.0) / 10.0);
      const double high = std::max(extent.high, low + 0.5);
      const double span = high - low;
      return linear_axis(scale, low, high + 0.02 * span, slowdown_step(span));
    }
    case ScatterScale::Logarithmic:
      break;
  }
  return logarithmic_axis(extent);
}

}  // namespace horus::report
