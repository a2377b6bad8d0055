// SPDX-License-Identifier: Apache-2.0
#include "horus/report/axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "horus/report/table.hpp"

namespace horus::report {
namespace {

/// The smallest of 1, 2, 5, 10, ... that is not below `value`, and its decimal exponent.
struct RoundStep {
  double value{};
  int exponent{};
};
RoundStep round_step(double value) {
  const int exponent = static_cast<int>(std::floor(std::log10(value)));
  const double power = std::pow(10.0, exponent);
  constexpr double kSlack = 1.0 + 1e-9;  // 2.0000000001 is 2
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (value <= factor * power * kSlack) return {.value = factor * power, .exponent = exponent};
  }
  return {.value = 10.0 * power, .exponent = exponent + 1};
}

/// An axis whose ticks are round in units of `scale`. It ends at the largest value, or at a tick
/// that is near.
Axis axis_of(double largest, int ticks_max, double scale, std::string unit) {
  Axis axis{.unit = std::move(unit), .scale = scale, .max = largest, .ticks = {}, .decimals = 0};
  RoundStep step = round_step(largest / scale / ticks_max);
  // Without a prefix, what is counted is whole: there is no tenth of a byte.
  if (scale == 1.0 && step.exponent < 0) step = {.value = 1.0, .exponent = 0};
  axis.max = std::max(axis.max, step.value * scale);
  axis.decimals = step.exponent < 0 ? -step.exponent : 0;
  const double count = std::floor(axis.max / scale / step.value * (1.0 + 1e-9));
  for (double i = 0.0; i <= count; i += 1.0) axis.ticks.push_back(i * step.value * scale);
  return axis;
}

bool is_drawable(double largest) { return std::isfinite(largest) && largest > 0.0; }

}  // namespace

std::string Axis::tick_text(double value) const {
  return decimals == 0 ? with_commas(value / scale)
                       : fmt::format("{:.{}f}", value / scale, decimals);
}

Axis count_axis(double largest, int ticks_max) {
  return axis_of(is_drawable(largest) ? largest : 1.0, ticks_max, 1.0, "");
}

Axis prefixed_axis(double largest, int ticks_max, const std::string& unit) {
  constexpr auto kPrefixes = std::to_array<std::string_view>({"", "k", "M", "G", "T", "P", "E"});
  if (!is_drawable(largest)) return axis_of(1.0, ticks_max, 1.0, unit);
  std::size_t step = 0;
  double scale = 1.0;
  while (largest / scale >= 1000.0 && step + 1 < kPrefixes.size()) {
    scale *= 1000.0;
    ++step;
  }
  return axis_of(largest, ticks_max, scale, std::string{kPrefixes[step]} + unit);
}

Axis memory_axis(double largest_bytes, int ticks_max) {
  constexpr auto kUnits = std::to_array<const char*>({"B", "KiB", "MiB", "GiB", "TiB", "PiB"});
  if (!is_drawable(largest_bytes)) return axis_of(1.0, ticks_max, 1.0, kUnits[0]);
  std::size_t step = 0;
  double scale = 1.0;
  while (largest_bytes / scale >= 1024.0 && step + 1 < kUnits.size()) {
    scale *= 1024.0;
    ++step;
  }
  return axis_of(largest_bytes, ticks_max, scale, kUnits[step]);
}

}  // namespace horus::report
