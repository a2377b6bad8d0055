// SPDX-License-Identifier: Apache-2.0
#pragma once
// The shape of Microsoft's Philly workload, as rounded tables.
// Source: Jeon et al., "Analysis of Large-Scale Multi-Tenant GPU Clusters for DNN Training
// Workloads", USENIX ATC 2019; data msr-fiddle/philly-traces (CC BY 4.0), the 82,247 jobs of the
// CSV that the Pollux simulator distributes. Measured there and rounded to two or three digits.

#include <span>

#include "horus/sim/quantile_table.hpp"

namespace horus::sim {

/// Jobs of one width.
struct WidthClass {
  int gpus{};
  double share{};                        ///< Of the jobs, before normalising.
  std::span<const Quantile> duration_s;  ///< Seconds.
};

/// In order of width. Rare odd widths (12, 24) are counted with their neighbours.
[[nodiscard]] std::span<const WidthClass> philly_widths();

/// Jobs come in bursts: arrivals at most 60 s apart belong to one.
[[nodiscard]] std::span<const Quantile> philly_burst_jobs();
[[nodiscard]] std::span<const Quantile> philly_gap_in_burst_s();
[[nodiscard]] std::span<const Quantile> philly_gap_between_bursts_s();

}  // namespace horus::sim
