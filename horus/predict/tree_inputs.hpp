// SPDX-License-Identifier: Apache-2.0
#pragma once
// The numbers by which learned corrections know one job from another.

#include <span>
#include <vector>

#include "horus/domain/gpu.hpp"
#include "horus/domain/prediction.hpp"
#include "horus/domain/predictor_file.hpp"
#include "horus/predict/kernel.hpp"
#include "horus/predict/peak_memory.hpp"

namespace horus::predict {

/// A job on a GPU, as the analytical model sees it before constants are applied.
struct JobOnGpu {
  const Step& step;
  const MemoryParts& memory;
  const TrainingSetup& setup;
  const GpuSpec& gpu;
  double batch{};  ///< Samples of one pass.
};

/// Names and units of the inputs, in their order. A change makes older trees unreadable.
[[nodiscard]] std::span<const TreeInput> tree_inputs();

/// All inputs of `job`. Times are those of the priors, whatever a fit has made of the constants:
/// inputs must not move when constants do. `utilization` (0 to 1) and `step_s` are what the fitted
/// analytical model says.
/// Cost: linear in kernels.
[[nodiscard]] std::vector<double> tree_inputs_of(const JobOnGpu& job, double utilization,
                                                 double step_s);

/// Replaces what tree_inputs_of() was told of the analytical prediction.
void set_analytic_inputs(std::span<double> inputs, double utilization, double step_s);

/// The logit of a share of time, which is kept within 1 to 99 %: beyond, measurements say nothing.
[[nodiscard]] double logit(double share);
/// Its inverse.
[[nodiscard]] double from_logit(double logit);

}  // namespace horus::predict
