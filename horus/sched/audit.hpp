// SPDX-License-Identifier: Apache-2.0
#pragma once
// What must hold of books at any moment, checked from scratch.

#include <optional>
#include <string>

#include "horus/sched/books.hpp"

namespace horus::sched {

/// The first broken promise, or nothing: gangs are whole and on distinct GPUs; the accounts are the
/// sums of the bookings; no memory beyond the capacity, no residents beyond the limit; an exclusive
/// job has no company; the counts of empty GPUs are right. Cost: O(GPUs + tasks).
[[nodiscard]] std::optional<std::string> audit(const Books& books);

}  // namespace horus::sched
