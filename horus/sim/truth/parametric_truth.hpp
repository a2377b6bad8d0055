// SPDX-License-Identifier: Apache-2.0
#pragma once
// A world made of formulas: time slicing between processes, and errors of its own for every job.

#include <memory>
#include <span>
#include <vector>

#include "horus/base/rng.hpp"
#include "horus/domain/gpu.hpp"
#include "horus/sim/mix.hpp"
#include "horus/sim/truth/truth.hpp"

namespace horus::sim {

/// slowdown_i = 1 + a * s_i * u_i^b * V_i^c, with u_i the utilization of job i alone, V_i the sum
/// of the others' and s_i its sensitivity; then all are stretched alike until the GPU is not busy
/// more than all the time: sum of u_i / slowdown_i <= 1.
///
/// a = b = c = 1 is time slicing: the driver runs the kernels of one process at a time, so the part
/// u_i of a step that computes is stretched by what the others want of the GPU. Two jobs that each
/// fill the GPU run at half speed. The spreads are assumptions.
struct ParametricOptions {
  double gain{1.0};                 ///< a, 0 to 100; 0: nobody slows anybody.
  double own_exponent{1.0};         ///< b, 0 to 100.
  double others_exponent{1.0};      ///< c, 0 to 100.
  double utilization_spread{0.30};  ///< Standard deviation of logit(u) between jobs of a config.
  double memory_spread{0.05};       ///< Standard deviation of log(memory).
  double speed_spread{0.10};  ///< Standard deviation of log(step ratio) off the reference GPU.
  double sensitivity_spread{0.20};  ///< Standard deviation of log(s).
  std::uint64_t seed{1};
};

/// `options` with every spread at 0: all jobs of a configuration are alike.
[[nodiscard]] ParametricOptions without_spread(ParametricOptions options);

class ParametricTruth final : public Truth {
 public:
  /// `types` are the cluster's, in its order; durations of jobs are stated for `reference`; the mix
  /// is stated for `mix_gpu`. Errors: InvalidArgument for an option that is out of range.
  [[nodiscard]] static Result<std::unique_ptr<ParametricTruth>> make(
      const Mix& mix, std::span<const GpuSpec> types, const GpuSpec& reference,
      const GpuSpec& mix_gpu, const ParametricOptions& options);

  [[nodiscard]] TaskLoad load(JobId job, std::uint32_t config, std::uint16_t type) const override;
  TruthSource slowdowns(std::uint16_t type, std::span<const TaskLoad> residents,
                        std::span<double> slowdowns) const override;

 private:
  ParametricTruth(const Mix& mix, std::span<const GpuSpec> types, const GpuSpec& reference,
                  const GpuSpec& mix_gpu, const ParametricOptions& options);

  ParametricOptions options_;
  Rng rng_;
  std::vector<TaskLoad> loads_;     ///< Of a typical job. Shape: configs x types.
  std::vector<bool> is_reference_;  ///< Per type.
};

}  // namespace horus::sim
