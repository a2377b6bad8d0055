// SPDX-License-Identifier: Apache-2.0
#pragma once
// The order in which horus looks at waiting jobs: the lightest first.

#include <compare>

#include "horus/sched/arrival.hpp"

namespace horus::sched {

/// Jobs that a decision looks at before it gives up. Source: Horus, TPDS 2022.
inline constexpr int kLookAhead = 5;

/// Lower expected utilization first, then arrival. Utilization is that on the cluster's first GPU
/// type, so that jobs are compared on the same chip.
struct Lightness {
  Permille utilization;
  Arrival arrival;
  friend auto operator<=>(const Lightness&, const Lightness&) = default;
};

[[nodiscard]] inline Lightness lightness_of(const WaitingJob& job) {
  return Lightness{.utilization = job.spec.demand_by_type.front().utilization_mean,
                   .arrival = arrival_of(job)};
}

}  // namespace horus::sched
