// SPDX-License-Identifier: Apache-2.0
#pragma once
// horus+: horus with protection against starvation. Waiting jobs are kept in three queues of like
// jobs; before each of the five looks, the queue with the most credit (length times median waiting
// time) gives its lightest job. Queues are numbered from light to heavy.
// Source: Yeung et al., "Horus", TPDS 2022 (the clustering: their simulator, features scaled here).
// Clusters anew when a tenth of the waiting set has changed; a newcomer joins the nearest centroid
// until then. So a decision costs O(log waiting jobs), clustering included, on average.

#include <memory>

#include "horus/sched/policy_row.hpp"

namespace horus::sched {

[[nodiscard]] std::unique_ptr<Policy> make_horus_plus(const PolicyOptions& options);

inline constexpr PolicyRow kHorusPlus{
    .name = "horus+", .rule = "as horus, from three queues by credit", .make = make_horus_plus};

}  // namespace horus::sched
