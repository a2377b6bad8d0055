// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small clusters and jobs by the handful, for tests and benchmarks.

#include <string_view>
#include <vector>

#include "horus/base/check.hpp"
#include "horus/base/rng.hpp"
#include "horus/domain/cluster.hpp"
#include "horus/domain/job.hpp"
#include "horus/sched/policy.hpp"

namespace horus::sched::sample {

/// The cluster that NODESxGPUSxTYPE[+...] describes. Requires that it can be read.
[[nodiscard]] inline Cluster cluster(std::string_view text) {
  std::vector<std::string> notes;
  auto parsed = Cluster::parse(text, notes);
  HORUS_CHECK(parsed.has_value(), "a sample cluster can be read");
  return *std::move(parsed);
}

[[nodiscard]] constexpr Bytes mib(std::int64_t count) { return Bytes{count << 20}; }

/// A job in round numbers.
struct JobSketch {
  std::uint64_t id{};
  int gpus{1};
  int mean_percent{50};
  int max_percent{60};
  std::int64_t memory_mib{4096};
};

/// The same demand on each of `types` GPU types.
[[nodiscard]] inline JobSpec job(const JobSketch& sketch, std::size_t types = 1) {
  const TaskDemand demand{.utilization_mean = Permille{sketch.mean_percent * 10},
                          .utilization_max = Permille{sketch.max_percent * 10},
                          .memory_bound = mib(sketch.memory_mib)};
  return JobSpec{.id = JobId{sketch.id},
                 .gpus = sketch.gpus,
                 .demand_by_type = std::vector<TaskDemand>(types, demand)};
}

/// It waits since the start, in the order of its id.
[[nodiscard]] inline WaitingJob waiting(const JobSpec& spec) {
  return WaitingJob{.spec = spec, .sequence = spec.id.value, .waiting_since = {}, .alone = false};
}

/// A job like those of research clusters: mostly one GPU, sometimes a gang; light to heavy.
[[nodiscard]] inline JobSpec random_job(std::uint64_t id, std::size_t types, int gpus_max,
                                        Rng& rng) {
  JobSketch sketch{.id = id};
  if (rng.uniform() < 0.3) {
    sketch.gpus = 1 + static_cast<int>(rng.below(static_cast<std::uint64_t>(gpus_max)));
  }
  JobSpec spec = job(sketch, types);
  for (TaskDemand& demand : spec.demand_by_type) {
    demand.utilization_mean = Permille{static_cast<std::int32_t>(rng.below(1001))};
    const auto rest = static_cast<std::uint64_t>(1001 - demand.utilization_mean.count());
    demand.utilization_max =
        demand.utilization_mean + Permille{static_cast<std::int32_t>(rng.below(rest))};
    demand.memory_bound = mib(200 + static_cast<std::int64_t>(rng.below(12'000)));
  }
  return spec;
}

}  // namespace horus::sched::sample
