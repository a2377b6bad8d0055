// SPDX-License-Identifier: Apache-2.0
#pragma once
// A job as schedulers see it: how many GPUs, and what Horus believes its tasks do to a GPU.

#include <cstdint>
#include <string>
#include <vector>

#include "horus/base/id.hpp"
#include "horus/base/quantity.hpp"
#include "horus/base/time.hpp"

namespace horus {

using JobId = Id<struct JobTag>;

/// The belief about one task of a job on one GPU type. A task is one process on one GPU.
struct TaskDemand {
  Permille utilization_mean;  ///< Expected utilization.
  Permille utilization_max;   ///< The high end (90th percentile).
  Bytes memory_bound;         ///< The 95 % bound of peak memory, CUDA context included.
  friend auto operator<=>(const TaskDemand&, const TaskDemand&) = default;
};

/// What a scheduler is told about a job. Its duration is not among it.
struct JobSpec {
  JobId id;
  int gpus{1};  ///< Tasks; each takes one GPU. More than one is a gang: all start together.
  /// Belief per GPU type. Shape: one entry per Cluster::types(), same order.
  std::vector<TaskDemand> demand_by_type;
};

/// A GPU of the cluster: its position in Cluster::gpus().
using GpuIndex = std::uint32_t;

/// One job on its GPUs, `gpus` sorted and distinct. Size equals JobSpec::gpus.
struct Placement {
  JobId job;
  std::vector<GpuIndex> gpus;
  friend bool operator==(const Placement&, const Placement&) = default;
};

}  // namespace horus
