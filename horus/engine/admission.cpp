// SPDX-License-Identifier: Apache-2.0
#include "horus/engine/admission.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace horus::engine {
namespace {

bool is_plausible(const TaskDemand& demand) {
  constexpr Permille kWholeGpu{1000};
  return demand.memory_bound >= Bytes{} && demand.utilization_mean >= Permille{} &&
         demand.utilization_mean <= kWholeGpu && demand.utilization_max >= Permille{} &&
         demand.utilization_max <= kWholeGpu;
}

/// GPUs whose whole memory holds a task of `job`.
std::size_t fitting_gpus(const sched::Books& books, const JobSpec& job) {
  std::size_t fitting = 0;
  for (std::size_t type = 0; type < books.type_count(); ++type) {
    const bool fits = job.demand_by_type[type].memory_bound <= books.capacity(type);
    if (fits) fitting += books.gpus_of(type);
  }
  return fitting;
}

}  // namespace

std::optional<std::string> reason_to_reject(const sched::Books& books, const JobSpec& job) {
  const std::size_t types = books.type_count();
  if (job.gpus < 1) return fmt::format("asks for {} GPUs; a job needs at least 1", job.gpus);
  if (job.demand_by_type.size() != types) {
    return fmt::format("states its demand for {} GPU types; the cluster has {}",
                       job.demand_by_type.size(), types);
  }
  if (!std::ranges::all_of(job.demand_by_type, is_plausible)) {
    return "states a negative memory bound or a utilization outside 0 to 100 %";
  }
  const auto wanted = static_cast<std::size_t>(job.gpus);
  if (wanted > books.gpus().size()) {
    return fmt::format("asks for {} GPUs; the cluster has {}", wanted, books.gpus().size());
  }
  const std::size_t fitting = fitting_gpus(books, job);
  if (wanted > fitting) {
    const Bytes bound =
        std::ranges::min(job.demand_by_type, {}, &TaskDemand::memory_bound).memory_bound;
    return fmt::format(
        "asks for {} GPU(s), but its memory bound of {:.0f} MiB per task fits {} of the cluster's "
        "{}",
        wanted, as_double(bound) / as_double(Bytes{1 << 20}), fitting, books.gpus().size());
  }
  return std::nullopt;
}

std::string duplicate_reason(JobId job) {
  return fmt::format("the id {} belongs to a job that waits or runs", job.value);
}

std::string out_of_memory_reason(JobId job) {
  return fmt::format("job {} ran out of memory with its GPUs to itself; it needs larger ones",
                     job.value);
}

}  // namespace horus::engine
