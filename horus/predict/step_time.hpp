// SPDX-License-Identifier: Apache-2.0
#pragma once
// From kernels, host and input pipeline to the time of a step and how busy the GPU is in it.

#include <optional>

#include "horus/domain/interval.hpp"
#include "horus/domain/prediction.hpp"
#include "horus/predict/kernel.hpp"
#include "horus/predict/roofline.hpp"
#include "horus/predict/time_constants.hpp"

namespace horus::predict {

/// What competes to be the bottleneck of a step, seconds each.
struct StepParts {
  double gpu_s{};
  double host_s{};
  double loader_s{};     ///< 0: the input pipeline never waits.
  double serial_s{};     ///< Overlaps with nothing: loading and copying between two steps.
  double gap_s{};        ///< Part of gpu_s between kernels.
  double copy_s{};       ///< Inputs on their way to the GPU: part of serial_s or host_s.
  double sm_s{};         ///< Multiprocessors with work, as a share, integrated over the step.
  double bandwidth_s{};  ///< What the bytes would take at the peak bandwidth.
};

/// The parts of `step` on a GPU that does `work` for it.
[[nodiscard]] StepParts parts_of(const Step& step, const GpuWork& work, double peak_bytes_per_s,
                                 const TrainingSetup& setup, const TimeConstants& constants = {});

/// Seconds of one step: what overlaps does so almost perfectly (p-norm), the rest adds up.
[[nodiscard]] double step_seconds(const StepParts& parts, const TimeConstants& constants = {});

/// Share of the step in which NVML sees a kernel, 0 to 1. Gaps between kernels count as idle as far
/// as the GPU waits for something else; where kernels are queued they are not seen.
[[nodiscard]] double utilization(const StepParts& parts, const TimeConstants& constants = {});

/// The share of the time, 0 to 1, in which something of the GPU is in use that a step uses for
/// `seconds`; with the bounds that `utilization` has. It is in use only where the GPU is.
[[nodiscard]] Interval share_in_use(double seconds, const StepParts& parts,
                                    const Interval& utilization,
                                    const TimeConstants& constants = {});

/// Seconds that the host spends dispatching the operators of one step.
[[nodiscard]] double host_seconds(const Step& step, const TimeConstants& constants = {});

/// Seconds that the input pipeline needs for a batch; 0 without a stated, positive rate.
[[nodiscard]] double loader_seconds(double batch, std::optional<double> samples_per_second);

/// Log-normal spreads of the parts.
struct StepSpread {
  double gpu{};
  double host{};
  double loader{};
};

/// Seconds per step; low and high move all parts together.
[[nodiscard]] Interval step_interval(const StepParts& parts, const StepSpread& spread,
                                     const TimeConstants& constants = {});

/// Utilization; low and high move the GPU against the rest.
[[nodiscard]] Interval utilization_interval(const StepParts& parts, const StepSpread& spread,
                                            const TimeConstants& constants = {});

}  // namespace horus::predict
