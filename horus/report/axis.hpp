// SPDX-License-Identifier: Apache-2.0
#pragma once
// Axes that a person can read: round ticks in a unit that suits the largest value.

#include <string>
#include <vector>

namespace horus::report {

struct Axis {
  std::string unit;           ///< "GFLOP", "MiB"; empty for plain counts.
  double scale{1.0};          ///< Values divided by this are in the unit.
  double max{1.0};            ///< The end of the axis, in values: not below the largest value.
  std::vector<double> ticks;  ///< In values, from 0.
  int decimals{};             ///< That tell the ticks apart.

  /// Share of the axis, 0 to 1.
  [[nodiscard]] double place(double value) const { return value / max; }
  /// The tick without its unit: "2.5", "1,000".
  [[nodiscard]] std::string tick_text(double value) const;
};

/// Ticks at 1, 2 or 5 times a power of ten, at most `ticks_max` steps and at least one; at whole
/// numbers where the unit has no prefix. `largest` <= 0 gives an axis from 0 to 1.
[[nodiscard]] Axis count_axis(double largest, int ticks_max);
/// The same with a decimal prefix before `unit`: "GFLOP".
[[nodiscard]] Axis prefixed_axis(double largest, int ticks_max, const std::string& unit);
/// The same in B, KiB, MiB, ...
[[nodiscard]] Axis memory_axis(double largest_bytes, int ticks_max);

}  // namespace horus::report
