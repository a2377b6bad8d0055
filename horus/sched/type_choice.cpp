// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/type_choice.hpp"

namespace horus::sched {

TypeSet fitting_types(const Books& books, const JobSpec& job, Bytes margin) {
  TypeSet fitting = 0;
  for (std::size_t type = 0; type < books.type_count(); ++type) {
    const bool fits = job.demand_by_type[type].memory_bound + margin <= books.capacity(type);
    if (fits) fitting |= TypeSet{1} << type;
  }
  return fitting;
}

TypeChoice choose_types(const Books& books, TypeSet fitting, std::size_t gpus) {
  TypeSet whole = 0;
  std::size_t total = 0;
  for (std::size_t type = 0; type < books.type_count(); ++type) {
    if (!holds(fitting, type)) continue;
    total += books.gpus_of(type);
    if (books.gpus_of(type) >= gpus) whole |= TypeSet{1} << type;
  }
  if (whole != 0) return TypeChoice{.types = whole, .mixed = false};
  return TypeChoice{.types = total >= gpus ? fitting : 0, .mixed = true};
}

}  // namespace horus::sched
