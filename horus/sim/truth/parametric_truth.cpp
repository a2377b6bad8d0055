// SPDX-License-Identifier: Apache-2.0
#include "horus/sim/truth/parametric_truth.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "horus/base/check.hpp"

namespace horus::sim {
namespace {

/// Apart from the streams of the generator and the policies, which may have the same seed.
constexpr std::uint64_t kTruthStream = 0x7472'7574'6800;

// Shares of the peak rates that training reaches. Assumptions; only their ratios matter, and only
// when a job runs on another type than the one for which its duration is stated.
constexpr double kVectorEfficiency = 0.6;
constexpr double kTensorEfficiency = 0.3;

/// FLOP/s that a well-filled kernel reaches in `precision`. A chip without the unit runs in FP32.
double arithmetic_rate(const GpuSpec& gpu, Precision precision) {
  double tensor_peak = 0.0;
  switch (precision) {
    case Precision::Fp32:
      break;
    case Precision::Tf32:
      tensor_peak = gpu.tf32_flops;
      break;
    case Precision::Fp16:
    case Precision::Amp:
      tensor_peak = gpu.tensor_fp16_flops;
      break;
    case Precision::Bf16:
      tensor_peak = gpu.bf16_flops;
      break;
  }
  return std::max(kVectorEfficiency * gpu.fp32_flops, kTensorEfficiency * tensor_peak);
}

/// Busy and idle time of a step on `gpu`, in units of the step time on the GPU of the mix. The part
/// that waits for host or loader does not change with the GPU; the busy part scales with the
/// arithmetic rate in its compute share and with the bandwidth in the rest.
struct StepParts {
  double busy{};
  double idle{};
  [[nodiscard]] double total() const { return busy + idle; }
};

StepParts step_on(const GpuSpec& gpu, const GpuSpec& mix_gpu, const MixEntry& entry) {
  const Precision precision = entry.setup.precision;
  const double compute = arithmetic_rate(mix_gpu, precision) / arithmetic_rate(gpu, precision);
  const double memory = mix_gpu.bandwidth_bytes_per_s / gpu.bandwidth_bytes_per_s;
  const double share = entry.truth.compute_share;
  const double scale = share * compute + (1.0 - share) * memory;
  return {entry.truth.utilization * scale, 1.0 - entry.truth.utilization};
}

/// logit(u) + shift, back as a utilization. Stays within (0, 1).
double shifted_in_logit(double utilization, double shift) {
  if (shift == 0.0 || utilization >= 1.0) return utilization;
  const double odds = utilization / (1.0 - utilization) * std::exp(shift);
  return odds / (1.0 + odds);
}

/// At most 1 PiB, which no GPU has: sums over residents stay within what Bytes can count.
Bytes scaled(Bytes memory, double factor) {
  constexpr double kMost = 0x1.0p50;
  return Bytes{static_cast<std::int64_t>(std::min(as_double(memory) * factor, kMost))};
}

Result<Done> check(const ParametricOptions& o) {
  struct Range {
    std::string_view name;
    double value, max;
  };
  for (const Range& r :
       {Range{"gain", o.gain, 100.0}, Range{"own exponent", o.own_exponent, 100.0},
        Range{"others' exponent", o.others_exponent, 100.0},
        Range{"utilization spread", o.utilization_spread, 5.0},
        Range{"memory spread", o.memory_spread, 2.0}, Range{"speed spread", o.speed_spread, 2.0},
        Range{"sensitivity spread", o.sensitivity_spread, 2.0}}) {
    if (r.value >= 0.0 && r.value <= r.max) continue;
    return fail(Errc::InvalidArgument,
                fmt::format("the {} of the truth is {}, expected 0 to {}", r.name, r.value, r.max));
  }
  return Done{};
}

}  // namespace

ParametricOptions without_spread(ParametricOptions options) {
  options.utilization_spread = 0.0;
  options.memory_spread = 0.0;
  options.speed_spread = 0.0;
  options.sensitivity_spread = 0.0;
  return options;
}

Result<std::unique_ptr<ParametricTruth>> ParametricTruth::make(const Mix& mix,
                                                               std::span<const GpuSpec> types,
                                                               const GpuSpec& reference,
                                                               const GpuSpec& mix_gpu,
                                                               const ParametricOptions& options) {
  HORUS_TRY_DONE(check(options));
  return std::unique_ptr<ParametricTruth>{
      new ParametricTruth{mix, types, reference, mix_gpu, options}};
}

ParametricTruth::ParametricTruth(const Mix& mix, std::span<const GpuSpec> types,
                                 const GpuSpec& reference, const GpuSpec& mix_gpu,
                                 const ParametricOptions& options)
    : options_{options}, rng_{Rng{options.seed}.fork(kTruthStream)} {
  for (const GpuSpec& type : types) is_reference_.push_back(type.name == reference.name);
  loads_.reserve(mix.entries.size() * types.size());
  for (std::uint32_t config = 0; config < mix.entries.size(); ++config) {
    const MixEntry& entry = mix.entries[config];
    const double reference_step = step_on(reference, mix_gpu, entry).total();
    for (const GpuSpec& type : types) {
      const StepParts step = step_on(type, mix_gpu, entry);
      TaskLoad load;
      load.utilization = step.busy / step.total();
      load.memory = entry.truth.memory;
      load.step_ratio = type.name == reference.name ? 1.0 : step.total() / reference_step;
      load.config = config;
      loads_.push_back(load);
    }
  }
}

TaskLoad ParametricTruth::load(JobId job, std::uint32_t config, std::uint16_t type) const {
  const std::size_t at = config * is_reference_.size() + type;
  HORUS_CHECK(type < is_reference_.size() && at < loads_.size(), "config and type exist");
  TaskLoad load = loads_[at];
  // The draws stand in this order, whatever the spreads, so that one spread leaves the rest alone.
  Rng of_job = rng_.fork(job.value);
  const double utilization_error = of_job.normal();
  const double memory_error = of_job.normal();
  const double sensitivity_error = of_job.normal();
  load.utilization =
      shifted_in_logit(load.utilization, options_.utilization_spread * utilization_error);
  load.memory = scaled(load.memory, std::exp(options_.memory_spread * memory_error));
  load.sensitivity = std::exp(options_.sensitivity_spread * sensitivity_error);
  if (!is_reference_[type]) {
    load.step_ratio *= std::exp(options_.speed_spread * of_job.fork(type).normal());
  }
  return load;
}

TruthSource ParametricTruth::slowdowns(std::uint16_t /*type*/, std::span<const TaskLoad> residents,
                                       std::span<double> slowdowns) const {
  double wanted = 0.0;
  for (const TaskLoad& load : residents) wanted += load.utilization;
  double busy = 0.0;
  for (std::size_t i = 0; i < residents.size(); ++i) {
    const double own = residents[i].utilization;
    slowdowns[i] = 1.0 + options_.gain * residents[i].sensitivity *
                             std::pow(own, options_.own_exponent) *
                             std::pow(wanted - own, options_.others_exponent);
    busy += own / slowdowns[i];
  }
  if (busy <= 1.0 || options_.gain == 0.0) return TruthSource::Parametric;
  for (double& slowdown : slowdowns) slowdown *= busy;
  return TruthSource::Parametric;
}

}  // namespace horus::sim
