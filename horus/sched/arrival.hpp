// SPDX-License-Identifier: Apache-2.0
#pragma once
// The order of arrival among waiting jobs.

#include <compare>
#include <cstdint>

#include "horus/sched/policy.hpp"

namespace horus::sched {

/// Earlier sequence first; the id decides between equals.
struct Arrival {
  std::uint64_t sequence{};
  JobId id;
  friend auto operator<=>(const Arrival&, const Arrival&) = default;
};

[[nodiscard]] inline Arrival arrival_of(const WaitingJob& job) {
  return Arrival{.sequence = job.sequence, .id = job.spec.id};
}

}  // namespace horus::sched
