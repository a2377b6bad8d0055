// SPDX-License-Identifier: Apache-2.0
#pragma once
// fifo: whole GPUs in order of arrival. The first waiting job starts when it fits; until then
// nobody does. The slot-based scheduling of YARN's FIFO queue, and the baseline of Philly (Jeon et
// al., ATC 2019) without its locality rules.

#include <memory>

#include "horus/sched/policy_row.hpp"

namespace horus::sched {

[[nodiscard]] std::unique_ptr<Policy> make_fifo(const PolicyOptions& options);

inline constexpr PolicyRow kFifo{
    .name = "fifo", .rule = "exclusive GPUs, head of line", .make = make_fifo};

}  // namespace horus::sched
