// SPDX-License-Identifier: Apache-2.0
#pragma once
// The axis that measured and predicted values share.

#include <span>
#include <string>
#include <vector>

namespace horus::report {

enum class ScatterScale {
  Percent,      ///< 0 to 100.
  FromOne,      ///< Linear from 1, or from below where values are.
  Logarithmic,  ///< Powers of ten, and parts of them where there is room.
};

struct ScatterTick {
  double value{};
  std::string text;
};

struct ScatterAxis {
  ScatterScale scale{ScatterScale::Percent};
  double low{};
  double high{1.0};
  std::vector<ScatterTick> ticks;

  /// Share of the axis, clamped to 0 to 1.
  [[nodiscard]] double place(double value) const;
};

/// An axis that holds all of `values`.
[[nodiscard]] ScatterAxis scatter_axis(std::span<const double> values, ScatterScale scale);

}  // namespace horus::report
