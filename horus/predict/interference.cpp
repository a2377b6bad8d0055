// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "horus/base/check.hpp"
#include "horus/predict/fair_share.hpp"
#include "horus/predict/peak_memory.hpp"
#include "horus/predict/predict.hpp"

namespace horus::predict {
namespace {

/// What one job asks of the GPU alone, fractions of its time and of its bandwidth.
struct Demand {
  double busy{};
  double bandwidth{};
};

/// Before Volta a GPU runs kernels of one process at a time and switches in long slices.
bool slices_only(const GpuSpec& gpu) {
  constexpr std::array<std::string_view, 3> kBeforeVolta{"Kepler", "Maxwell", "Pascal"};
  return std::ranges::find(kBeforeVolta, gpu.architecture) != kBeforeVolta.end();
}

/// Share of time that the jobs other than `self` keep the GPU busy. Overlapping: their kernels fall
/// independently in time. Sliced: they queue behind each other, so it is their sum.
double busy_of_others(std::span<const Demand> jobs, std::size_t self, bool sliced) {
  double idle = 1;
  double sum = 0;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (j == self) continue;
    idle *= 1 - jobs[j].busy;
    sum += jobs[j].busy;
  }
  return sliced ? sum : 1 - idle;
}

/// Slowdown of each job by the sharing law, but never less than sharing the GPU's time and its
/// bandwidth fairly would cost: neither can be spent twice.
std::vector<double> slowdowns(std::span<const Demand> jobs, bool sliced,
                              const SharingConstants& constants) {
  const SharingLaw& law = sliced ? constants.sliced : constants.overlapping;
  std::vector<double> busy;
  std::vector<double> bandwidth;
  for (const Demand& job : jobs) {
    busy.push_back(job.busy);
    bandwidth.push_back(job.bandwidth);
  }
  const std::vector<double> time_stretch = fair_stretch(busy);
  const std::vector<double> bandwidth_stretch = fair_stretch(bandwidth);
  std::vector<double> out;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const double excess = law.gain * std::pow(jobs[i].busy, law.own_exponent) *
                          std::pow(busy_of_others(jobs, i, sliced), law.others_exponent);
    out.push_back(std::max({1 + excess, time_stretch[i], bandwidth_stretch[i]}));
  }
  return out;
}

using Quantile = double Interval::*;

std::vector<double> slowdowns_at(std::span<const Prediction> jobs, Quantile quantile, bool sliced,
                                 const SharingConstants& constants) {
  std::vector<Demand> demands;
  for (const Prediction& job : jobs) {
    demands.push_back({std::clamp(job.gpu_utilization.*quantile, 0.0, 1.0),
                       std::clamp(job.memory_bandwidth_utilization.*quantile, 0.0, 1.0)});
  }
  return slowdowns(demands, sliced, constants);
}

/// The law itself is uncertain beyond the utilizations put into it.
std::vector<Interval> slowdown_intervals(std::span<const Prediction> jobs, const GpuSpec& gpu,
                                         const SharingConstants& constants) {
  const bool sliced = slices_only(gpu);
  const std::vector<double> expected = slowdowns_at(jobs, &Interval::expected, sliced, constants);
  const std::vector<double> low = slowdowns_at(jobs, &Interval::low, sliced, constants);
  const std::vector<double> high = slowdowns_at(jobs, &Interval::high, sliced, constants);
  const double beyond_pairs = jobs.size() > 2 ? static_cast<double>(jobs.size() - 2) : 0;
  const double extrapolated = std::min(kSigmaExtrapolated * beyond_pairs, kSigmaExtrapolatedMax);
  const double spread = std::exp(kZ90 * (constants.sigma_excess + extrapolated));
  std::vector<Interval> out;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    out.push_back({expected[i], 1 + (low[i] - 1) / spread, 1 + (high[i] - 1) * spread});
  }
  return out;
}

Bytes sum_of(std::span<const Prediction> jobs, Bytes MemoryPrediction::*part) {
  double sum = 0;
  for (const Prediction& job : jobs) sum += as_double(job.memory.*part);
  return to_bytes(sum);
}

}  // namespace

SharedPrediction predict_shared(std::span<const Prediction> jobs, const GpuSpec& gpu,
                                const Model& model) {
  HORUS_CHECK(!jobs.empty(), "somebody must share the GPU");
  SharedPrediction out;
  out.slowdowns = slowdown_intervals(jobs, gpu, model.constants.sharing);
  out.memory = {sum_of(jobs, &MemoryPrediction::expected), sum_of(jobs, &MemoryPrediction::low),
                sum_of(jobs, &MemoryPrediction::high), sum_of(jobs, &MemoryPrediction::bound)};
  out.fits = out.memory.bound <= gpu.memory;
  // The law is analytic at best, even over measured jobs.
  out.origin = Origin::Analytic;
  for (const Prediction& job : jobs) out.origin = std::max(out.origin, job.origin);
  return out;
}

}  // namespace horus::predict
