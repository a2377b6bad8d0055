// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which jobs are let in, and what the others are told.

#include <optional>
#include <string>

#include "horus/domain/job.hpp"
#include "horus/sched/books.hpp"

namespace horus::engine {

/// Why `job` can never run on the GPUs of `books`, or nothing when it can: with all of them empty
/// every policy must be able to start it. Cost: O(GPU types).
[[nodiscard]] std::optional<std::string> reason_to_reject(const sched::Books& books,
                                                          const JobSpec& job);

/// What a job is told whose id is in use.
[[nodiscard]] std::string duplicate_reason(JobId job);

/// What a job is told that had its GPUs to itself and still needed more memory than they have.
[[nodiscard]] std::string out_of_memory_reason(JobId job);

}  // namespace horus::engine
