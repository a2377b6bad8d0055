// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/sharing_choice.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace horus::predict {
namespace {

/// Why a mode is not recommended, or "": it may be.
std::string objection_to(const SharedPrediction& shared, double tolerance) {
  if (!shared.obstacle.empty()) return shared.obstacle;
  if (!shared.fits) return "the jobs may not fit together";
  if (shared.slowdown_max() > tolerance) {
    return fmt::format("slows a job {:.2f}x", shared.slowdown_max());
  }
  return {};
}

std::vector<const SharedPrediction*> in_order(std::span<const SharedPrediction> modes) {
  std::vector<const SharedPrediction*> sorted;
  for (const SharedPrediction& shared : modes) {
    if (shared.mode != SharingMode::Exclusive) sorted.push_back(&shared);
  }
  std::ranges::sort(sorted, {}, [](const SharedPrediction* shared) { return shared->mode; });
  return sorted;
}

double high_of(const SharedPrediction& shared) {
  double high = 1;
  for (const Interval& slowdown : shared.slowdowns) high = std::max(high, slowdown.high);
  return high;
}

/// How far to trust it, or "".
std::string doubt_of(const SharedPrediction& shared) {
  if (shared.origin == Origin::Unknown) return " Of some job nothing is known: measure first.";
  if (shared.mode == SharingMode::Mig) {
    return " Instances do not disturb each other; their speed is predicted, not measured.";
  }
  std::string doubt;
  if (shared.calibration == Calibration::Uncalibrated) {
    doubt += " The law is not calibrated on this type of GPU.";
  }
  if (shared.extrapolated) doubt += " Beyond pairs it is extrapolated.";
  return doubt;
}

/// "; 93 % likely that none is slowed beyond 1.25x", or "". No belief is certain: 1 to 99 %.
std::string chance_of(const SharedPrediction& shared, double tolerance) {
  if (!shared.chance_tolerated) return {};
  return fmt::format("; {:.0f} % likely that none is slowed beyond {:.2f}x",
                     std::clamp(100 * *shared.chance_tolerated, 1.0, 99.0), tolerance);
}

Recommendation praise(const SharedPrediction& shared, double tolerance) {
  const std::string instances =
      shared.instances.empty() ? "" : fmt::format(" ({})", fmt::join(shared.instances, " + "));
  return {
      .mode = shared.mode,
      .reason = fmt::format("all fit{}, the slowest runs {:.2f}x as long (up to {:.2f}x{}), "
                            "and the GPU does the work of {:.2f} jobs at a time.{}",
                            instances, shared.slowdown_max(), high_of(shared),
                            chance_of(shared, tolerance), shared.throughput(), doubt_of(shared))};
}

Recommendation alone(std::span<const SharedPrediction* const> modes, double tolerance) {
  std::vector<std::string> objections;
  for (const SharedPrediction* shared : modes) {
    objections.push_back(
        fmt::format("{}: {}", name_of(shared->mode), objection_to(*shared, tolerance)));
  }
  return {.mode = SharingMode::Exclusive,
          .reason = objections.empty()
                        ? "no other mode was asked for."
                        : fmt::format("no mode keeps every job within {:.2f}x and all in memory "
                                      "({}).",
                                      tolerance, fmt::join(objections, "; "))};
}

/// One job: it may leave a part of the GPU to others.
Recommendation for_one(std::span<const SharedPrediction* const> modes, double tolerance) {
  for (const SharedPrediction* shared : modes) {
    if (shared->mode != SharingMode::Mig || !objection_to(*shared, tolerance).empty()) continue;
    return {.mode = SharingMode::Mig,
            .reason = fmt::format("{} is the smallest instance that holds the job and slows it to "
                                  "{:.2f}x (up to {:.2f}x); the others are left for other jobs.{}",
                                  shared->instances.front(), shared->slowdown_max(),
                                  high_of(*shared), doubt_of(*shared))};
  }
  return {.mode = SharingMode::Exclusive,
          .reason = "one job has nobody to share with; name the others to see what sharing costs."};
}

}  // namespace

Recommendation recommend(std::span<const SharedPrediction> modes, double tolerance) {
  const std::vector<const SharedPrediction*> sorted = in_order(modes);
  if (std::ranges::any_of(modes, [](const auto& shared) { return shared.slowdowns.size() == 1; })) {
    return for_one(sorted, tolerance);
  }
  const SharedPrediction* best = nullptr;
  for (const SharedPrediction* shared : sorted) {
    if (!objection_to(*shared, tolerance).empty()) continue;
    if (best == nullptr || shared->throughput() > kWorthSettingUp * best->throughput()) {
      best = shared;
    }
  }
  return best == nullptr ? alone(sorted, tolerance) : praise(*best, tolerance);
}

}  // namespace horus::predict
