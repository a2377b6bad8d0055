// SPDX-License-Identifier: Apache-2.0
#pragma once
// Placing a job on GPUs of its own.

#include <optional>

#include "horus/sched/books.hpp"
#include "horus/sched/policy.hpp"
#include "horus/sched/type_choice.hpp"

namespace horus::sched {

/// Whether `gpus` empty GPUs can be had now: all of one type of the choice, or of its types
/// together where it is mixed. Cost: O(GPU types).
[[nodiscard]] bool has_empty(const Books& books, TypeChoice choice, std::size_t gpus);

/// Empty GPUs for `job`, exclusively: of the first type, in the cluster's order, that has enough of
/// them now; a mixed gang takes what each type has, in that order. Within a type the lowest
/// numbers, which keeps a gang on few nodes. Nothing when there are too few. Cost: O(gpus + GPU
/// types).
[[nodiscard]] std::optional<Decision> place_exclusive(const Books& books, const JobSpec& job,
                                                      TypeChoice choice);

}  // namespace horus::sched
