// SPDX-License-Identifier: Apache-2.0
#pragma once
// The figures by which policies are compared. Field names are the keys of the JSON output.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "horus/sim/world/outcome.hpp"

namespace horus::sim {

/// Means and percentiles are over finished jobs; 0 where none finished.
struct PolicyResult {
  std::string policy;
  std::uint64_t jobs_finished{};
  double makespan_s{};  ///< From the first arrival to the last completion.
  double jct_mean_s{};  ///< Job completion time: completion - arrival.
  double jct_p50_s{};
  double jct_p99_s{};
  double wait_mean_s{};  ///< Completion time - time holding GPUs.
  double wait_p99_s{};
  double first_start_mean_s{};  ///< First start - arrival.
  double gpu_utilization{};     ///< Mean over GPUs and time until the last completion, 0 to 1.
  double slowdown_mean{};       ///< (Time holding GPUs - lost time) / solo time.
  double slowdown_p99{};
  double beyond_tolerance{};   ///< Share of finished jobs slowed beyond the tolerance, 0 to 1.
  std::uint64_t oom_deaths{};  ///< Deaths of jobs; a gang counts once.
  std::uint64_t preemptions{};
  double lost_work_gpu_s{};  ///< GPU seconds held for work that died.
  std::uint64_t jobs_rejected{};
  friend bool operator==(const PolicyResult&, const PolicyResult&) = default;
};

struct MetricOptions {
  double tolerance{1.25};  ///< Slowdown beyond which a job counts as slowed too much.
};

[[nodiscard]] PolicyResult summarize(std::string policy, const SimResult& result,
                                     const MetricOptions& options = {});

/// The percentile by nearest rank: the smallest value such that at least `percent` % of all values
/// are not above it. No interpolation, so it is always a value that occurred. 0 for no values.
/// Requires 0 < percent <= 100. Cost: O(n); reorders `values`.
[[nodiscard]] double percentile(std::span<double> values, double percent);

}  // namespace horus::sim
