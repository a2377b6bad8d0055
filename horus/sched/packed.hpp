// SPDX-License-Identifier: Apache-2.0
#pragma once
// Placing a job wherever its memory fits: how pack-blind chooses GPUs.

#include <optional>
#include <vector>

#include "horus/sched/books.hpp"
#include "horus/sched/policy.hpp"
#include "horus/sched/type_choice.hpp"

namespace horus::sched {

/// What a job asks for, as far as memory goes: jobs with equal asks fit or do not fit alike.
struct PackAsk {
  int gpus{};
  bool alone{};
  TypeChoice choice;
  /// Memory set aside per task and GPU type, at least the bound; not used where it does not fit.
  std::vector<Bytes> memory_by_type;
  friend auto operator<=>(const PackAsk&, const PackAsk&) = default;
};

/// The ask of `job`: its bounds rounded up to 64 MiB, but not beyond the whole memory of a GPU.
[[nodiscard]] PackAsk pack_ask(const Books& books, const WaitingJob& job);

/// One GPU per task: those with the fewest residents, then the lowest numbers. A gang that fits
/// within one type takes the type where it meets the fewest residents, ties to the first. Sorted;
/// empty when there is no room for all tasks now. Cost: O(gpus log GPUs) per type and residents.
[[nodiscard]] std::vector<GpuIndex> pack(const Books& books, const PackAsk& ask);

}  // namespace horus::sched
