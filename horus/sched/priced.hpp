// SPDX-License-Identifier: Apache-2.0
#pragma once
// Placing a job where the cost says: how horus and horus+ choose GPUs.

#include <optional>

#include "horus/sched/books.hpp"
#include "horus/sched/policy.hpp"

namespace horus::sched {

/// The cheapest GPUs for `job`, ties to lower numbers; one GPU per task. Shared GPUs keep
/// kMemoryMargin free. A job that must be alone, or whom no GPU type holds with that margin, gets
/// empty GPUs exclusively. A gang that fits within one type takes the type whose GPUs are the
/// cheapest in total, ties to the first type. Nothing when there is no room for all tasks now.
/// Cost: O(gpus log GPUs), at most a few thousand steps more per GPU type.
[[nodiscard]] std::optional<Decision> place_by_cost(const Books& books, const WaitingJob& job);

}  // namespace horus::sched
