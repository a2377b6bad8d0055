// SPDX-License-Identifier: Apache-2.0
#pragma once
// fifo-skip: whole GPUs in order of arrival, but a job that does not fit now is passed over. What
// Kubernetes' default scheduler does: an unschedulable pod goes aside and the next one is tried.

#include <memory>

#include "horus/sched/policy_row.hpp"

namespace horus::sched {

[[nodiscard]] std::unique_ptr<Policy> make_fifo_skip(const PolicyOptions& options);

inline constexpr PolicyRow kFifoSkip{.name = "fifo-skip",
                                     .rule = "exclusive GPUs, what does not fit is passed over",
                                     .make = make_fifo_skip};

}  // namespace horus::sched
