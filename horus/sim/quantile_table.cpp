// SPDX-License-Identifier: Apache-2.0
#include "horus/sim/quantile_table.hpp"

#include <cmath>
#include <cstddef>

namespace horus::sim {

double quantile(std::span<const Quantile> table, double probability) {
  std::size_t above = 1;
  while (above + 1 < table.size() && table[above].probability < probability) ++above;
  const Quantile& low = table[above - 1];
  const Quantile& high = table[above];
  const double share = (probability - low.probability) / (high.probability - low.probability);
  if (low.value <= 0.0) return low.value + share * (high.value - low.value);
  return low.value * std::exp(share * std::log(high.value / low.value));
}

}  // namespace horus::sim
