// SPDX-License-Identifier: Apache-2.0
#pragma once
// What became of every job, and of the cluster's time.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "horus/base/time.hpp"
#include "horus/domain/job.hpp"
#include "horus/sim/world/observer.hpp"

namespace horus::sim {

struct JobOutcome {
  JobId id;
  TimePoint arrival;
  int gpus{1};
  std::optional<TimePoint> first_start;  ///< Absent: it never ran.
  std::optional<TimePoint> finish;       ///< Absent: it was rejected.
  Duration held{};                       ///< Time holding GPUs, lost runs included.
  Duration lost{};                       ///< Part of `held` whose work was lost.
  double slowdown{1.0};                  ///< (held - lost) / solo time on the GPU types it ran on.
  int deaths{};
};

struct Rejection {
  JobId job;
  std::string reason;
};

struct SimResult {
  std::vector<JobOutcome> jobs;       ///< In the order of Scenario::jobs.
  std::vector<Rejection> rejections;  ///< In order of time.
  EventCounts events{};
  std::size_t gpus{};
  TimePoint first_arrival;
  std::optional<TimePoint> last_completion;  ///< Absent: no job finished.
  /// Integral over all GPUs of 1 - product of (1 - u), from the first arrival to the last
  /// completion, in GPU seconds.
  double busy_gpu_s{};
  double lost_work_gpu_s{};
  std::uint64_t sharings_measured{};    ///< Changes of a shared GPU judged by measurement,
  std::uint64_t sharings_parametric{};  ///< and by the parametric form.
};

}  // namespace horus::sim
