// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which GPU types a job may use at all, whatever else runs now.

#include <cstdint>

#include "horus/domain/job.hpp"
#include "horus/sched/books.hpp"

namespace horus::sched {

/// A set of positions in Cluster::types(): bit t stands for type t.
using TypeSet = std::uint64_t;
static_assert(Cluster::kMaxTypes <= 64);

[[nodiscard]] constexpr bool holds(TypeSet set, std::size_t type) {
  return ((set >> type) & 1U) != 0;
}

/// The types that a job may use, and whether its tasks may be spread over several of them.
struct TypeChoice {
  TypeSet types{};
  bool mixed{};
  friend auto operator<=>(const TypeChoice&, const TypeChoice&) = default;
};

/// The types on whose empty GPUs a task fits and leaves at least `margin` free.
[[nodiscard]] TypeSet fitting_types(const Books& books, const JobSpec& job, Bytes margin);

/// A gang stays within one type wherever a single type of `fitting` has enough GPUs in the whole
/// cluster: a step is as slow as its slowest task. Otherwise it may mix. No types at all when even
/// all fitting GPUs together are too few.
[[nodiscard]] TypeChoice choose_types(const Books& books, TypeSet fitting, std::size_t gpus);

}  // namespace horus::sched
