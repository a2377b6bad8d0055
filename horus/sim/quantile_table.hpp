// SPDX-License-Identifier: Apache-2.0
#pragma once
// A distribution as a short table of quantiles: readable, comparable with what papers print, and
// free of fitted shapes.

#include <span>

namespace horus::sim {

struct Quantile {
  double probability{};
  double value{};
};

/// The value at `probability` in [0, 1]: interpolated in the logarithm between rows where both are
/// positive, else linearly. Requires a table that starts at 0, ends at 1 and ascends.
/// Drawing: quantile(table, rng.uniform()).
[[nodiscard]] double quantile(std::span<const Quantile> table, double probability);

}  // namespace horus::sim
