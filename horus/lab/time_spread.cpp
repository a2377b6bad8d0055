// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/time_spread.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "horus/lab/conformal.hpp"
#include "horus/predict/step_time.hpp"

namespace horus::lab {
namespace {

using predict::TimeConstants;

constexpr std::size_t kPartsMost = 4;
constexpr std::size_t kLabelsNeeded = 20;
constexpr double kCoverage = 0.8;
constexpr double kFactorLeast = 0.05;
constexpr double kFactorMost = 20;

std::string key_of(const Sample& sample, Unseen unseen) {
  const Row& row = *sample.row;
  return unseen == Unseen::Models ? row.model : row.gpu + '\n' + row.host;
}

/// Each key once, in order.
std::vector<std::string> keys_of(std::span<const Sample* const> samples, Unseen unseen) {
  std::vector<std::string> keys;
  for (const Sample* sample : samples) keys.push_back(key_of(*sample, unseen));
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

bool is_inside(const Interval& interval, double value) {
  return interval.low <= value && value <= interval.high;
}

/// The least factor under which `holds`, which holds of all larger ones too; by bisection of its
/// logarithm, to a hundredth.
template <class Holds>
double least_factor(const Holds& holds) {
  double low = std::log(kFactorLeast);
  double high = std::log(kFactorMost);
  if (!holds(kFactorMost)) return kFactorMost;
  while (high - low > 0.01) {
    const double middle = (low + high) / 2;
    (holds(std::exp(middle)) ? high : low) = middle;
  }
  return std::exp(high);
}

void add_factors(const Sample& sample, const TimeConstants& constants,
                 std::vector<double>& factors) {
  const predict::StepParts parts = parts_at(sample, constants);
  const auto spread = [&](double factor) {
    return predict::StepSpread{factor * constants.sigma_gpu, factor * constants.sigma_host,
                               factor * constants.sigma_loader};
  };
  const Measured& measured = sample.row->measured;
  if (measured.step_s) {
    factors.push_back(least_factor([&](double factor) {
      return is_inside(predict::step_interval(parts, spread(factor), constants), *measured.step_s);
    }));
  }
  if (measured.utilization) {
    factors.push_back(least_factor([&](double factor) {
      return is_inside(predict::utilization_interval(parts, spread(factor), constants),
                       *measured.utilization);
    }));
  }
}

}  // namespace

void visit_unseen(std::span<const Sample* const> samples, const TimeFit& fit,
                  const TimeConstants& start, Unseen unseen, const UnseenVisitor& visit) {
  const std::vector<std::string> keys = keys_of(samples, unseen);
  const std::size_t parts = std::min(kPartsMost, keys.size());
  if (parts < 2) return;
  for (std::size_t part = 0; part < parts; ++part) {
    std::vector<const Sample*> kept;
    std::vector<const Sample*> held_out;
    for (const Sample* sample : samples) {
      const auto at = std::ranges::lower_bound(keys, key_of(*sample, unseen)) - keys.begin();
      (static_cast<std::size_t>(at) % parts == part ? held_out : kept).push_back(sample);
    }
    const TimeFit without = fit_time(kept, start, Moves::Everything, &fit);
    for (const Sample* sample : held_out) {
      visit(*sample, without.at(sample->row->gpu, sample->row->host));
    }
  }
}

std::optional<double> spread_factor(std::span<const Sample* const> samples, const TimeFit& fit,
                                    const TimeConstants& start) {
  std::vector<double> factors;
  visit_unseen(samples, fit, start, Unseen::Models,
               [&](const Sample& sample, const TimeConstants& constants) {
                 add_factors(sample, constants, factors);
               });
  if (factors.size() < kLabelsNeeded) return std::nullopt;
  return conformal_quantile(std::move(factors), kCoverage);
}

}  // namespace horus::lab
