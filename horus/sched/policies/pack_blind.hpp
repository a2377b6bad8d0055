// SPDX-License-Identifier: Apache-2.0
#pragma once
// pack-blind: shares GPUs wherever memory fits, blind to utilization. Arrival order; what does not
// fit is passed over. Among GPUs with room the one with the fewest residents, then the lowest
// number. Memory bounds are rounded up to 64 MiB, so that the cost of a decision depends on the
// number of distinct asks, not of jobs. What packing by memory alone does, as with time-slicing
// device plugins.

#include <memory>

#include "horus/sched/policy_row.hpp"

namespace horus::sched {

[[nodiscard]] std::unique_ptr<Policy> make_pack_blind(const PolicyOptions& options);

inline constexpr PolicyRow kPackBlind{
    .name = "pack-blind",
    .rule = "shares GPUs wherever predicted memory fits, blind to load",
    .make = make_pack_blind};

}  // namespace horus::sched
