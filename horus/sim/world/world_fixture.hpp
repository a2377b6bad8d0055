// SPDX-License-Identifier: Apache-2.0
#pragma once
// A small world for tests, benchmarks and fuzzing: configurations by number, loads and slowdowns as
// the test says.

#include <string>
#include <utility>
#include <vector>

#include "horus/base/check.hpp"
#include "horus/sched/policy.hpp"
#include "horus/sim/world/world.hpp"

namespace horus::sim::testing_world {

/// Every configuration has the load at its position; n residents slow each other n-fold, unless
/// `slowdown` says otherwise.
class FixedTruth final : public Truth {
 public:
  explicit FixedTruth(std::vector<TaskLoad> the_loads) : loads{std::move(the_loads)} {}
  TaskLoad load(JobId, std::uint32_t config, std::uint16_t type) const override {
    TaskLoad load = loads[config];
    load.config = config;
    load.step_ratio = type < step_ratio_by_type.size() ? step_ratio_by_type[type] : 1.0;
    return load;
  }
  TruthSource slowdowns(std::uint16_t, std::span<const TaskLoad> residents,
                        std::span<double> slowdowns) const override {
    for (double& s : slowdowns) s = slowdown > 0 ? slowdown : static_cast<double>(residents.size());
    return TruthSource::Parametric;
  }

  std::vector<TaskLoad> loads;             ///< Per configuration.
  double slowdown{0.0};                    ///< 0: as many as there are residents.
  std::vector<double> step_ratio_by_type;  ///< Empty: 1 on every type.
};

inline TaskLoad load_of(double utilization, std::int64_t memory_mib) {
  TaskLoad load;
  load.utilization = utilization;
  load.memory = Bytes{memory_mib << 20U};
  return load;
}

inline ConfigBelief belief_of(std::string name, double utilization, std::int64_t memory_mib,
                              std::size_t types = 1) {
  const TaskDemand demand{to_permille(utilization), to_permille(utilization),
                          Bytes{memory_mib << 20U}};
  return ConfigBelief{std::move(name), std::vector<TaskDemand>(types, demand)};
}

inline SimJob job_at(std::uint64_t id, double arrival_s, double duration_s, int gpus = 1,
                     std::uint32_t config = 0) {
  return SimJob{JobId{id}, TimePoint{from_seconds(arrival_s)}, from_seconds(duration_s), gpus,
                config};
}

inline Cluster cluster_of(const char* text) {
  std::vector<std::string> notes;
  auto cluster = Cluster::parse(text, notes);
  HORUS_CHECK(cluster.has_value(), "the test names a cluster that exists");
  return std::move(*cluster);
}

inline std::unique_ptr<sched::Policy> policy_of(const char* name) {
  auto policy = sched::make_policy(name, {});
  HORUS_CHECK(policy.has_value(), "the test names a policy that exists");
  return std::move(*policy);
}

}  // namespace horus::sim::testing_world
