// SPDX-License-Identifier: Apache-2.0
#pragma once
// Max-min fairness: what sharing one resource costs each of its users at least.

#include <span>
#include <vector>

namespace horus::predict {

/// How much longer each user takes when a resource of capacity 1 is divided max-min fairly: demand
/// over share, at least 1. Who asks for less than an equal part gets all of it, and the rest is
/// divided among the others. `demands` are 0 to 1; the result has their order.
/// Cost: O(n log n). Ties need no order: equal demands get equal shares.
[[nodiscard]] std::vector<double> fair_stretch(std::span<const double> demands);

}  // namespace horus::predict
