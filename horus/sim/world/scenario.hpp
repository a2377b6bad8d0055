// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is simulated: the machines, the jobs, what the scheduler believes about them, and how the
// world really is.

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "horus/domain/cluster.hpp"
#include "horus/sim/truth/truth.hpp"

namespace horus::sim {

/// One job as the world knows it.
struct SimJob {
  JobId id;
  TimePoint arrival;
  Duration duration{};  ///< Solo service on the reference GPU.
  int gpus{1};
  std::uint32_t config{};  ///< Position in Workload::beliefs and in the mix of the truth.
};

/// What the scheduler is told about every job of a configuration.
struct ConfigBelief {
  std::string name;
  std::vector<TaskDemand> demand_by_type;  ///< Shape: one entry per Cluster::types().
};

enum class Gangs {
  Exclusive,  ///< A job of several GPUs gets them alone.
  Shared,
};

struct SimOptions {
  int max_residents{3};  ///< Jobs on one GPU at most; the truth and the policy may allow fewer.
  Gangs gangs{Gangs::Exclusive};
  /// From a start until the allocation fails that does not fit: data loading and the first steps.
  Duration oom_delay{std::chrono::seconds{30}};
  /// Probability that the failing allocation is the newcomer's; else a resident's, all alike. An
  /// assumption: allocators keep what they once took, so mostly the newcomer goes without.
  double newcomer_dies{0.7};
  /// Progress survives a death up to the last multiple of this time in a run; nothing: none does.
  std::optional<Duration> checkpoint_interval;
  std::uint64_t seed{1};
};

/// Everything must outlive the run.
struct Scenario {
  const Cluster& cluster;
  std::span<const SimJob> jobs;  ///< In order of arrival; ids distinct.
  std::span<const ConfigBelief> beliefs;
  const Truth& truth;
  SimOptions options;
};

}  // namespace horus::sim
