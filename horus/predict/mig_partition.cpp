// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/mig_partition.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "horus/base/check.hpp"
#include "horus/domain/mig.hpp"
#include "horus/predict/peak_memory.hpp"
#include "horus/predict/predict.hpp"

namespace horus::predict {
namespace {

/// Memory slices that are taken, one bit each.
using Taken = std::uint32_t;
constexpr double kImpossible = -std::numeric_limits<double>::infinity();

/// A smaller GPU does not make a job faster; rounding and models may say so, and are not believed.
double slowdown_on(const InstancePredictions& job, std::size_t profile) {
  const double whole = job.whole.step_time_s.expected;
  const double instance = job.by_profile[profile].step_time_s.expected;
  return whole > 0 ? std::max(1.0, instance / whole) : 1.0;
}

/// What is wrong with the time of a job is mostly wrong with both of its predictions: the interval
/// of their ratio is that of the part which the instance adds.
Interval slowdown_interval(const InstancePredictions& job, std::size_t profile) {
  const Interval& whole = job.whole.step_time_s;
  const Interval& instance = job.by_profile[profile].step_time_s;
  const double expected = slowdown_on(job, profile);
  const auto ratio = [](double a, double b) { return b > 0 ? a / b : 1.0; };
  const double at_low = std::max(1.0, ratio(instance.low, whole.low));
  const double at_high = std::max(1.0, ratio(instance.high, whole.high));
  return {expected, std::min({expected, at_low, at_high}), std::max({expected, at_low, at_high})};
}

/// Where one job could go.
struct Place {
  std::size_t profile{};
  Taken slices{};
  double slowdown{};
};

Taken slices_of(const MigProfile& profile, int start) {
  return ((Taken{1} << profile.memory_slices) - 1) << start;
}

std::vector<Place> places_of(const InstancePredictions& job, std::span<const MigProfile> profiles) {
  HORUS_CHECK(job.by_profile.size() == profiles.size(), "one prediction per profile");
  std::vector<Place> places;
  for (std::size_t p = 0; p < profiles.size(); ++p) {
    if (!job.by_profile[p].fits) continue;
    for (const int start : profiles[p].starts) {
      places.push_back({p, slices_of(profiles[p], start), slowdown_on(job, p)});
    }
  }
  return places;
}

/// Which place each job takes (an index into its places), or nothing.
using Choice = std::optional<std::vector<std::size_t>>;

/// The highest sum of speeds among partitions in which no job is slowed beyond `slowest`: dynamic
/// programming over sets of memory slices.
Choice fastest_within(std::span<const std::vector<Place>> jobs, Taken all, double slowest) {
  const std::size_t sets = std::size_t{all} + 1;
  // best[i][taken]: sum of speeds of jobs i.. with `taken` already gone.
  std::vector<std::vector<double>> best(jobs.size() + 1, std::vector<double>(sets, kImpossible));
  std::vector<std::vector<std::size_t>> chosen(jobs.size(), std::vector<std::size_t>(sets));
  std::ranges::fill(best.back(), 0.0);
  for (std::size_t i = jobs.size(); i-- > 0;) {
    for (Taken taken = 0; taken <= all; ++taken) {
      for (std::size_t p = 0; p < jobs[i].size(); ++p) {
        const Place& place = jobs[i][p];
        if ((place.slices & taken) != 0 || place.slowdown > slowest) continue;
        const double sum = best[i + 1][taken | place.slices] + 1 / place.slowdown;
        if (sum <= best[i][taken]) continue;
        best[i][taken] = sum;
        chosen[i][taken] = p;
      }
    }
  }
  if (best.front().front() == kImpossible) return std::nullopt;
  std::vector<std::size_t> choice;
  Taken taken = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    choice.push_back(chosen[i][taken]);
    taken |= jobs[i][choice.back()].slices;
  }
  return choice;
}

/// The least limit on slowdowns that some partition keeps, and the fastest partition within it.
Choice best_partition(std::span<const std::vector<Place>> jobs, Taken all) {
  std::vector<double> limits;
  for (const std::vector<Place>& places : jobs) {
    for (const Place& place : places) limits.push_back(place.slowdown);
  }
  std::ranges::sort(limits);
  limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
  const auto least = std::ranges::partition_point(
      limits, [&](double limit) { return !fastest_within(jobs, all, limit); });
  return least == limits.end() ? std::nullopt : fastest_within(jobs, all, *least);
}

std::string obstacle_of(std::span<const std::vector<Place>> jobs, const GpuSpec& gpu) {
  const auto homeless =
      std::ranges::find_if(jobs, [](const auto& places) { return places.empty(); });
  if (homeless != jobs.end()) {
    return fmt::format("job {} fits no instance of {}", homeless - jobs.begin() + 1, gpu.name);
  }
  return fmt::format("no partition of {} has an instance for each of {} jobs", gpu.name,
                     jobs.size());
}

SharedPrediction cannot(std::string why) {
  SharedPrediction out;
  out.mode = SharingMode::Mig;
  out.obstacle = std::move(why);
  return out;
}

/// `chosen`: the profile of each job.
SharedPrediction on_instances(std::span<const InstancePredictions> jobs,
                              std::span<const MigProfile> profiles,
                              std::span<const std::size_t> chosen) {
  SharedPrediction out;
  out.mode = SharingMode::Mig;
  out.fits = true;
  out.origin = Origin::Analytic;
  std::vector<MemoryPrediction> memories;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    memories.push_back(jobs[i].by_profile[chosen[i]].memory);
    out.slowdowns.push_back(slowdown_interval(jobs[i], chosen[i]));
    out.instances.push_back(profiles[chosen[i]].name);
    out.origin = std::max(out.origin, jobs[i].whole.origin);
  }
  out.memory = sum_of(memories);
  return out;
}

}  // namespace

InstancePredictions predict_on_instances(const GraphFeatures& features, const TrainingSetup& setup,
                                         const GpuSpec& gpu, const Model& model) {
  InstancePredictions out{.whole = predict(features, setup, gpu, model), .by_profile = {}};
  for (const MigProfile& profile : mig_profiles(gpu.name)) {
    out.by_profile.push_back(predict(features, setup, profile.spec, model));
  }
  return out;
}

SharedPrediction partition(std::span<const InstancePredictions> jobs, const GpuSpec& gpu) {
  HORUS_CHECK(!jobs.empty(), "somebody must share the GPU");
  const std::span<const MigProfile> profiles = mig_profiles(gpu.name);
  if (profiles.empty()) return cannot(gpu.name + " cannot be partitioned");
  const auto most = static_cast<std::size_t>(gpu.mig_slices);
  if (jobs.size() > most) {
    return cannot(fmt::format("{} has at most {} instances", gpu.name, most));
  }
  std::vector<std::vector<Place>> places;
  for (const InstancePredictions& job : jobs) places.push_back(places_of(job, profiles));
  const Taken all = (Taken{1} << profiles.back().memory_slices) - 1;
  const Choice choice = best_partition(places, all);
  if (!choice) return cannot(obstacle_of(places, gpu));

  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    chosen.push_back(places[i][(*choice)[i]].profile);
  }
  return on_instances(jobs, profiles, chosen);
}

SharedPrediction smallest_instance(const InstancePredictions& job, const GpuSpec& gpu,
                                   double tolerance) {
  const std::span<const MigProfile> profiles = mig_profiles(gpu.name);
  if (profiles.empty()) return cannot(gpu.name + " cannot be partitioned");
  HORUS_CHECK(job.by_profile.size() == profiles.size(), "one prediction per profile");
  for (std::size_t p = 0; p + 1 < profiles.size(); ++p) {  // the last is all that there is
    if (!job.by_profile[p].fits || slowdown_on(job, p) > tolerance) continue;
    return on_instances({&job, 1}, profiles, std::array{p});
  }
  return cannot(
      fmt::format("no smaller instance of {} holds the job within {:.2f}x", gpu.name, tolerance));
}

}  // namespace horus::predict
