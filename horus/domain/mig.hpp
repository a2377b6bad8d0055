// SPDX-License-Identifier: Apache-2.0
#pragma once
// Instances into which GPUs can be partitioned (Multi-Instance GPU), compiled in from
// data/mig_profiles.csv (sources there).

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horus/domain/gpu.hpp"

namespace horus {

/// One size of instance of one GPU. A GPU's memory is cut into slices, and an instance takes
/// `memory_slices` neighbouring ones from one of `starts` on: that decides which instances can
/// stand side by side.
struct MigProfile {
  std::string name;  ///< "3g.20gb".
  int compute_slices{};
  int memory_slices{};
  std::vector<int> starts;  ///< Memory slices at which such an instance can begin, ascending.
  /// The instance as a GPU of its own, "A100-40GB MIG 3g.20gb": its multiprocessors and memory as
  /// the driver reports them, rates by share of multiprocessors, bandwidth by share of memory.
  GpuSpec spec;
};

/// Profiles of the GPU with this catalogue name, smallest first; empty where it cannot be
/// partitioned. The span is valid for the life of the process.
[[nodiscard]] std::span<const MigProfile> mig_profiles(std::string_view gpu);

}  // namespace horus
