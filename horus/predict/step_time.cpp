// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/step_time.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace horus::predict {
namespace {

/// Bytes of an input element on its way to the GPU: loaders deliver FP32.
constexpr double kInputBytes = 4;

/// `parts` with the GPU moved by `gpu_z` and everything else by `rest_z` standard deviations.
StepParts moved(const StepParts& parts, const StepSpread& spread, double gpu_z, double rest_z) {
  const double gpu = std::exp(gpu_z * spread.gpu);
  const double host = std::exp(rest_z * spread.host);
  const double loader = std::exp(rest_z * spread.loader);
  StepParts out = parts;
  out.gpu_s *= gpu;
  out.gap_s *= gpu;
  out.host_s *= host;
  out.loader_s *= loader;
  out.serial_s *= loader;
  return out;
}

/// Seconds to load the samples of a step: by the stated rate, or as measured at the site.
double loading_seconds(const Step& step, const TrainingSetup& setup,
                       const TimeConstants& constants) {
  if (setup.samples_per_second) return loader_seconds(step.samples, setup.samples_per_second);
  return std::min(kStepMostSeconds, constants.loader_sample_s * step.samples +
                                        constants.loader_element_s * step.input_elements);
}

}  // namespace

StepParts parts_of(const Step& step, const GpuWork& work, double peak_bytes_per_s,
                   const TrainingSetup& setup, const TimeConstants& constants) {
  const double loading_s = loading_seconds(step, setup, constants);
  const double copied_bytes =
      setup.input_place == InputPlace::Host ? kInputBytes * step.input_elements : 0;
  const double copying_s = constants.copy_s_per_byte * copied_bytes;
  StepParts parts;
  parts.gpu_s = work.busy_s;
  parts.gap_s = work.busy_s - work.resident_s;
  parts.sm_s = work.sm_s;
  parts.bandwidth_s = work.bytes / peak_bytes_per_s;
  parts.host_s = host_seconds(step, constants);
  // Without processes of its own the loader runs in the training process, which also copies. What
  // that process does before the next dispatch is lost where the GPU has nothing left to do.
  double& own_time = setup.step_end == StepEnd::Waits ? parts.serial_s : parts.host_s;
  own_time += constants.host_step_s + copying_s;
  parts.serial_s += constants.epoch_s * step.epochs;
  parts.copy_s = copying_s;
  (setup.loader_workers > 0 ? parts.loader_s : own_time) += loading_s;
  return parts;
}

double step_seconds(const StepParts& parts, const TimeConstants& constants) {
  const double norm = constants.overlap_norm;
  const double most = std::max({parts.gpu_s, parts.host_s, parts.loader_s});
  if (most <= 0) return parts.serial_s;
  const double sum = std::pow(parts.gpu_s / most, norm) + std::pow(parts.host_s / most, norm) +
                     std::pow(parts.loader_s / most, norm);
  return parts.serial_s + most * std::pow(sum, 1 / norm);
}

double utilization(const StepParts& parts, const TimeConstants& constants) {
  const double step_s = step_seconds(parts, constants);
  if (step_s <= 0) return 0;
  const double queued = std::min(1.0, parts.gpu_s / step_s);
  const double seen_s =
      parts.gpu_s - parts.gap_s * (1 - queued) + constants.copy_share_seen * parts.copy_s;
  return std::clamp(seen_s / step_s, 0.0, 1.0) / (1 + constants.outside_steps);
}

Interval share_in_use(double seconds, const StepParts& parts, const Interval& utilization,
                      const TimeConstants& constants) {
  const double measured_s = step_seconds(parts, constants) * (1 + constants.outside_steps);
  if (measured_s <= 0 || utilization.expected <= 0) return {0, 0, 0};
  const double while_busy = std::min(1.0, seconds / measured_s / utilization.expected);
  return {while_busy * utilization.expected, while_busy * utilization.low,
          while_busy * utilization.high};
}

double host_seconds(const Step& step, const TimeConstants& constants) {
  return constants.host_factor * (constants.host_forward_s * step.host_ops_forward +
                                  constants.host_backward_s * step.host_ops_backward +
                                  constants.host_update_s * step.host_ops_update +
                                  constants.host_launch_s * step.host_launches +
                                  constants.host_library_s * step.library_calls);
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
