// SPDX-License-Identifier: Apache-2.0
// From predictions of jobs alone to what they do together.

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "horus/base/check.hpp"
#include "horus/predict/belief_limits.hpp"
#include "horus/predict/interference.hpp"
#include "horus/predict/peak_memory.hpp"
#include "horus/predict/predict.hpp"
#include "horus/predict/sharing_chance.hpp"

namespace horus::predict {
namespace {

using Quantile = double Interval::*;

double share(const Interval& interval, Quantile quantile) {
  return std::clamp(interval.*quantile, 0.0, 1.0);
}

/// Without a prediction of multiprocessors every kernel is taken to fill the GPU.
Demand demand_of(const Prediction& job, Quantile quantile) {
  const double busy = share(job.gpu_utilization, quantile);
  const double sms = job.sm_active ? share(*job.sm_active, quantile) : busy;
  return {busy, std::min(sms, busy), share(job.memory_bandwidth_utilization, quantile)};
}

std::vector<double> slowdowns_at(std::span<const Prediction> jobs, Quantile quantile,
                                 const LawInUse& law) {
  std::vector<Demand> demands;
  demands.reserve(jobs.size());
  for (const Prediction& job : jobs) demands.push_back(demand_of(job, quantile));
  return slowdowns_of(demands, law);
}

/// The law itself is uncertain beyond the utilizations put into it, and more so beyond pairs.
std::vector<Interval> slowdown_intervals(std::span<const Prediction> jobs, const LawInUse& law) {
  const std::vector<double> expected = slowdowns_at(jobs, &Interval::expected, law);
  const std::vector<double> low = slowdowns_at(jobs, &Interval::low, law);
  const std::vector<double> high = slowdowns_at(jobs, &Interval::high, law);
  const double excess = std::exp(kZ90 * (law.sigma_excess + extrapolation(jobs.size())));
  const double whole = jobs.size() > 1 ? std::exp(kZ90 * law.sigma_slowdown) : 1.0;
  std::vector<Interval> out;
  out.reserve(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    out.push_back({expected[i], std::max(1.0, (1 + (low[i] - 1) / excess) / whole),
                   (1 + (high[i] - 1) * excess) * whole});
  }
  return out;
}

/// Nothing is tolerated where the tolerance is 1, and a job alone meets nobody.
std::optional<double> chance_tolerated(std::span<const Prediction> jobs, const LawInUse& law,
                                       double tolerance) {
  if (jobs.size() < 2 || tolerance <= 1) return std::nullopt;
  std::vector<DemandRange> ranges;
  for (const Prediction& job : jobs) {
    ranges.push_back({demand_of(job, &Interval::expected), demand_of(job, &Interval::high)});
  }
  return chance_within(tolerance, ranges, law);
}

/// Each process has a context of its own in every mode; under Mps its server is one more process.
MemoryPrediction memory_together(std::span<const Prediction> jobs, SharingMode mode) {
  std::vector<MemoryPrediction> processes;
  for (const Prediction& job : jobs) processes.push_back(job.memory);
  if (mode == SharingMode::Mps) {
    processes.push_back({kMpsServer, kMpsServer, kMpsServer, kMpsServer});
  }
  return sum_of(processes);
}

/// One after the other: memory is that of the largest.
SharedPrediction in_turn(std::span<const Prediction> jobs) {
  SharedPrediction out;
  out.mode = SharingMode::Exclusive;
  out.slowdowns.assign(jobs.size(), Interval{1, 1, 1});
  for (const Prediction& job : jobs) {
    out.memory = {std::max(out.memory.expected, job.memory.expected),
                  std::max(out.memory.low, job.memory.low),
                  std::max(out.memory.high, job.memory.high),
                  std::max(out.memory.bound, job.memory.bound)};
  }
  out.calibration = Calibration::Calibrated;  // there is no law that could be wrong
  return out;
}

}  // namespace

SharedPrediction predict_shared(std::span<const Prediction> jobs, const GpuSpec& gpu,
                                const Model& model, const SharingOptions& options) {
  HORUS_CHECK(!jobs.empty(), "somebody must share the GPU");
  HORUS_CHECK(options.mode != SharingMode::Mig, "instances are GPUs of their own: partition()");
  SharedPrediction out;
  if (options.mode == SharingMode::Exclusive) {
    out = in_turn(jobs);
  } else {
    const LawInUse law = law_for(gpu, options.mode, options.interference, model.constants.sharing);
    out.mode = options.mode;
    out.slowdowns = slowdown_intervals(jobs, law);
    out.chance_tolerated = chance_tolerated(jobs, law, options.tolerance);
    out.memory = memory_together(jobs, options.mode);
    out.calibration = law.calibration;
    out.extrapolated = jobs.size() > 2;
  }
  out.fits = out.memory.bound <= gpu.memory;
  // The law is analytic at best, even over measured jobs.
  out.origin = Origin::Analytic;
  for (const Prediction& job : jobs) out.origin = std::max(out.origin, job.origin);
  return out;
}

}  // namespace horus::predict
