// SPDX-License-Identifier: Apache-2.0
#include "horus/record/measurement.hpp"

#include <algorithm>
#include <utility>

#include "horus/base/check.hpp"

namespace horus::record {
namespace {

constexpr double kMedian = 0.5;
constexpr double kNearlyAll = 0.95;

template <class T>
void keep_largest(std::optional<T>& largest, const std::optional<T>& value) {
  if (value && (!largest || *largest < *value)) largest = value;
}

/// The utilization that the record is about. Alone on a GPU it is the device's: the driver measures
/// it itself, and it is what schedulers see. Shared, it is the processes', where the driver tells.
std::optional<Scope> utilization_scope(const PercentCounts& device, const PercentCounts& process,
                                       bool is_shared) {
  const bool has_process = process.total() > 0;
  if (has_process && (is_shared || device.total() == 0)) return Scope::Process;
  if (device.total() > 0) return Scope::Device;
  return std::nullopt;
}

}  // namespace

void Measurement::Sums::add(const GpuSample& sample) {
  if (sample.util_percent) device_util.add(*sample.util_percent);
  if (sample.process_util_percent) process_util.add(*sample.process_util_percent);
  if (sample.memutil_percent) memutil.add(*sample.memutil_percent);
  if (sample.power_w) power.add(*sample.power_w);
  if (sample.sm_active) sm_active.add(*sample.sm_active);
  if (sample.sm_occupancy) sm_occupancy.add(*sample.sm_occupancy);
  if (sample.dram_active) dram_active.add(*sample.dram_active);
  ++samples;
}

void Measurement::Sums::add(const Sums& other) {
  device_util.add(other.device_util);
  process_util.add(other.process_util);
  memutil.add(other.memutil);
  power.add(other.power);
  sm_active.add(other.sm_active);
  sm_occupancy.add(other.sm_occupancy);
  dram_active.add(other.dram_active);
  samples += other.samples;
}

void Measurement::Gpu::remember(const GpuSample& sample) {
  keep_largest(device_memory_peak, sample.device_memory);
  keep_largest(process_memory_peak, sample.process_memory);
  keep_largest(strangers, sample.strangers);
  job_was_there = job_was_there || sample.job_is_there.value_or(false);
  may_have_strangers = may_have_strangers || sample.may_have_strangers;
  mps = mps || sample.mps;
  if (!sample.energy_j) return;
  energy_ran_back = energy_ran_back || (energy_last && *sample.energy_j < *energy_last);
  if (!energy_first) energy_first = sample.energy_j;
  energy_last = sample.energy_j;
}

Measurement::Measurement(std::size_t gpus, Duration warmup) : warmup_{warmup}, gpus_(gpus) {}

void Measurement::baseline(std::size_t gpu, const GpuSample& sample) {
  HORUS_CHECK(gpu < gpus_.size(), "GPUs are numbered from 0");
  gpus_[gpu].memory_before = sample.device_memory;
  gpus_[gpu].energy_first = sample.energy_j;
  gpus_[gpu].energy_last = sample.energy_j;
  keep_largest(gpus_[gpu].strangers, sample.strangers);
}

void Measurement::sample(TimePoint at, std::size_t gpu, const GpuSample& sample) {
  HORUS_CHECK(gpu < gpus_.size(), "GPUs are numbered from 0");
  Gpu& sums = gpus_[gpu];
  sums.remember(sample);
  if (sample.job_is_there.value_or(false) && !first_use_) first_use_ = at;
  if (at >= TimePoint{} + warmup_) sums.since_start.add(sample);
  if (first_use_ && at >= *first_use_ + warmup_) sums.since_use.add(sample);
  if (steps_begin_) sums.after_step.add(sample);
}

void Measurement::after(std::size_t gpu, const GpuSample& sample) {
  HORUS_CHECK(gpu < gpus_.size(), "GPUs are numbered from 0");
  gpus_[gpu].remember(sample);
}

void Measurement::steps(TimePoint at, std::int64_t steps) {
  const auto before = std::exchange(last_mark_, at);
  if (!first_step_) first_step_ = at;
  steps_seen_ += steps;
  if (!steps_begin_) {
    if (at >= *first_step_ + warmup_) steps_begin_ = at;
    return;
  }
  const bool counts = steps > 0 && before;
  for (Gpu& gpu : gpus_) {
    if (counts) gpu.between_steps.add(gpu.after_step);
    gpu.after_step = {};
  }
  if (!counts) return;
  const double passed_ms = to_seconds(at - *before) * 1e3;
  stepping_ms_ += passed_ms;
  steps_ += steps;
  intervals_ms_.add(passed_ms / static_cast<double>(steps));
}

Window Measurement::window() const {
  const auto has_samples = [](const Gpu& gpu) { return gpu.between_steps.samples > 0; };
  if (std::ranges::any_of(gpus_, has_samples)) return Window::Steps;
  if (first_use_) return Window::GpuUse;
  return Window::Run;
}

std::optional<StepSummary> Measurement::step_summary() const {
  if (steps_ == 0) return std::nullopt;
  return StepSummary{.steps = steps_,
                     .mean_ms = stepping_ms_ / static_cast<double>(steps_),
                     .p50_ms = intervals_ms_.percentile(kMedian).value_or(0.0),
                     .p95_ms = intervals_ms_.percentile(kNearlyAll).value_or(0.0)};
}

GpuSummary Measurement::summary(const Gpu& gpu) const {
  const Window chosen = window();
  const Sums& sums = chosen == Window::Steps    ? gpu.between_steps
                     : chosen == Window::GpuUse ? gpu.since_use
                                                : gpu.since_start;
  const bool is_shared = gpu.strangers.value_or(0) > 0;
  const bool is_in_doubt = gpu.may_have_strangers && !is_shared;
  GpuSummary out{.device_util_mean = sums.device_util.mean(),
                 .process_util_mean = sums.process_util.mean(),
                 .memutil_mean = sums.memutil.mean(),
                 .power_w = sums.power.value(),
                 .sm_active = sums.sm_active.value(),
                 .sm_occupancy = sums.sm_occupancy.value(),
                 .dram_active = sums.dram_active.value(),
                 .samples = sums.samples,
                 .job_was_there = gpu.job_was_there,
                 .mps = gpu.mps,
                 .strangers = is_in_doubt ? std::nullopt : gpu.strangers};
  out.util_scope = utilization_scope(sums.device_util, sums.process_util, is_shared);
  if (out.util_scope) {
    const auto& counts = *out.util_scope == Scope::Process ? sums.process_util : sums.device_util;
    out.util_mean = counts.mean();
    out.util_p50 = counts.percentile(kMedian);
    out.util_p95 = counts.percentile(kNearlyAll);
  }
  if (gpu.process_memory_peak) {
    out.mem_peak = gpu.process_memory_peak;
    out.mem_scope = Scope::Process;
  } else if (gpu.memory_before && gpu.device_memory_peak && !is_shared &&
             *gpu.device_memory_peak > *gpu.memory_before) {
    // Nobody else moved: what came on top of the memory in use before is the job's.
    out.mem_peak = *gpu.device_memory_peak - *gpu.memory_before;
    out.mem_scope = Scope::Device;
  }
  if (gpu.energy_first && gpu.energy_last && !gpu.energy_ran_back) {
    out.energy_j = *gpu.energy_last - *gpu.energy_first;
  }
  return out;
}

Summary Measurement::summary() const {
  Summary out{.window = window(), .steps = step_summary(), .steps_seen = steps_seen_};
  const std::optional<TimePoint> begin = out.window == Window::Steps    ? steps_begin_
                                         : out.window == Window::GpuUse ? *first_use_ + warmup_
                                                                        : TimePoint{} + warmup_;
  if (begin) out.dropped = begin->time_since_epoch();
  for (const Gpu& gpu : gpus_) out.gpus.push_back(summary(gpu));
  return out;
}

}  // namespace horus::record
