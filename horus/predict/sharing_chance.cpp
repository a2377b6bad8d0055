// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/sharing_chance.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "horus/base/check.hpp"
#include "horus/predict/belief_limits.hpp"

namespace horus::predict {
namespace {

/// Less than this is no excess, and keeps logarithms finite.
constexpr double kExcessLeast = 1e-6;

/// ln(slowdown - 1) of each job.
std::vector<double> log_excesses(std::span<const Demand> demands, const LawInUse& law) {
  std::vector<double> logs = slowdowns_of(demands, law);
  for (double& value : logs) value = std::log(std::max(value - 1, kExcessLeast));
  return logs;
}

double standard_normal(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

}  // namespace

double chance_within(double slowdown, std::span<const DemandRange> jobs, const LawInUse& law) {
  HORUS_CHECK(!jobs.empty(), "somebody must share the GPU");
  HORUS_CHECK(slowdown > 1, "who tolerates no slowdown at all must not share");
  if (jobs.size() == 1) return 1;
  std::vector<Demand> demands;
  for (const DemandRange& job : jobs) demands.push_back(job.expected);
  const std::vector<double> expected = log_excesses(demands, law);
  const double of_law = kSigmaExcess + extrapolation(jobs.size());
  std::vector<double> variances(jobs.size(), of_law * of_law);
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    demands[j] = jobs[j].high;
    const std::vector<double> raised = log_excesses(demands, law);
    demands[j] = jobs[j].expected;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const double sigma = std::max(0.0, raised[i] - expected[i]) / kZ90;
      variances[i] += sigma * sigma;
    }
  }
  double least = 1;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const double room = std::log(slowdown - 1) - expected[i];
    least = std::min(least, standard_normal(room / std::sqrt(variances[i])));
  }
  return least;
}

}  // namespace horus::predict
