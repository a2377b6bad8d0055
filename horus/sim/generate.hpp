// SPDX-License-Identifier: Apache-2.0
#pragma once
// Workloads from nothing but a seed: as many jobs as wanted, shaped like a published trace, at the
// load that an experiment asks for.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/sim/traces/trace.hpp"

namespace horus::sim {

enum class Arrivals {
  Open,    ///< Spread over time so that the load is reached.
  Closed,  ///< All at time 0; the load has no meaning then and is ignored.
};

struct GenerateOptions {
  std::uint64_t jobs{1000};
  double load{1.0};  ///< See offered_load(). Reached by rescaling arrivals, never durations.
  std::uint64_t seed{1};
  std::int64_t gpus{64};  ///< Of the cluster. Jobs wider than that are not drawn.
  Arrivals arrivals{Arrivals::Open};
};

inline constexpr std::uint64_t kGeneratedJobsMax = 10'000'000;

/// Names of the workloads, in order of name: "philly-like".
[[nodiscard]] std::vector<std::string> generated_workloads();

/// Ids and rows count from 1 in order of arrival. The open load is met within the rounding of the
/// last arrival to a microsecond. A single job arrives at 0, whatever the load.
/// Errors: NotFound for an unknown name; InvalidArgument for a count, load or cluster out of range.
[[nodiscard]] Result<Trace> generate(std::string_view workload, const GenerateOptions& options);

/// Moves the arrivals of `jobs` (in order of arrival) so that they offer `load` to `gpus` GPUs; the
/// first comes at 0, all distances are stretched alike, durations stay.
/// Errors: InvalidArgument for a load out of range, or when all jobs arrive at the same time.
[[nodiscard]] Result<Done> rescale_arrivals(std::span<TraceJob> jobs, double load,
                                            std::int64_t gpus);

/// Load of a workload on `gpus` GPUs: sum of (GPUs x solo seconds) / (gpus x span of arrivals).
/// Nothing when the span is 0. Requires gpus > 0. Jobs in order of arrival.
[[nodiscard]] std::optional<double> offered_load(std::span<const TraceJob> jobs, std::int64_t gpus);

}  // namespace horus::sim
