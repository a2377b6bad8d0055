// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/fair_share.hpp"

#include <algorithm>

namespace horus::predict {

std::vector<double> fair_stretch(std::span<const double> demands) {
  std::vector<double> sorted(demands.begin(), demands.end());
  std::ranges::sort(sorted);
  // Every user gets the smaller of its demand and `level`.
  double left = 1;
  double level = 1;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    level = left / static_cast<double>(sorted.size() - i);
    if (sorted[i] > level) break;
    left -= sorted[i];
    level = 1;
  }
  std::vector<double> out;
  out.reserve(demands.size());
  for (const double demand : demands) out.push_back(std::max(1.0, demand / level));
  return out;
}

}  // namespace horus::predict
