// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/step_time.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace horus::predict {
namespace {

/// `parts` with the GPU moved by `gpu_z` and everything else by `rest_z` standard deviations.
StepParts moved(const StepParts& parts, const StepSpread& spread, double gpu_z, double rest_z) {
  return {parts.gpu_s * std::exp(gpu_z * spread.gpu), parts.host_s * std::exp(rest_z * spread.host),
          parts.loader_s * std::exp(rest_z * spread.loader)};
}

double utilization(const StepParts& parts, const TimeConstants& constants) {
  const double step_s = step_seconds(parts, constants);
  return step_s > 0 ? std::min(1.0, parts.gpu_s / step_s) : 0.0;
}

}  // namespace

double step_seconds(const StepParts& parts, const TimeConstants& constants) {
  const double norm = constants.overlap_norm;
  const double most = std::max({parts.gpu_s, parts.host_s, parts.loader_s});
  if (most <= 0) return 0;
  const double sum = std::pow(parts.gpu_s / most, norm) + std::pow(parts.host_s / most, norm) +
                     std::pow(parts.loader_s / most, norm);
  return most * std::pow(sum, 1 / norm);
}

double host_seconds(const Step& step, const TimeConstants& constants) {
  return constants.host_step_s + constants.host_forward_s * step.host_ops_forward +
         constants.host_backward_s * step.host_ops_backward +
         constants.host_update_s * step.host_ops_update;
}

double loader_seconds(double batch, std::optional<double> samples_per_second) {
  if (!samples_per_second || !(*samples_per_second > 0)) return 0;
  return std::clamp(batch / *samples_per_second, 0.0, kStepMostSeconds);
}

Interval step_interval(const StepParts& parts, const StepSpread& spread,
                       const TimeConstants& constants) {
  return {step_seconds(parts, constants),
          step_seconds(moved(parts, spread, -kZ90, -kZ90), constants),
          step_seconds(moved(parts, spread, kZ90, kZ90), constants)};
}

Interval utilization_interval(const StepParts& parts, const StepSpread& spread,
                              const TimeConstants& constants) {
  // The GPU's error and the host's are independent: moving each by z / sqrt(2) in opposite
  // directions moves their ratio by z where both spread alike.
  const double z = kZ90 / std::numbers::sqrt2;
  return {utilization(parts, constants), utilization(moved(parts, spread, -z, z), constants),
          utilization(moved(parts, spread, z, -z), constants)};
}

}  // namespace horus::predict
