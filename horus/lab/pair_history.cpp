// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/pair_history.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "horus/lab/sharing_fit.hpp"

namespace horus::lab {
namespace {

using predict::LawInUse;

/// A job met in so many pairs keeps half of its average: shrinkage as by a normal prior whose
/// variance is a fifth of that of one pair.
constexpr double kPairsOfHalf = 5;

constexpr double kLowShare = 0.1;
constexpr double kHighShare = 0.9;

/// The value below which `share` of `values` lies, by linear interpolation; 0 without values.
double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

ErrorRange range_of(const std::vector<double>& errors) {
  return {std::min(0.0, quantile(errors, kLowShare)), std::max(0.0, quantile(errors, kHighShare))};
}

bool touches(const SharedSample& sample, const std::string& model) {
  return std::ranges::any_of(sample.members,
                             [&](const Sample* member) { return member->row->model == model; });
}

}  // namespace

std::array<double, 2> log_errors_of(const LawInUse& law, const SharedSample& sample) {
  const std::array<double, 2> predicted = slowdowns_by(law, sample);
  const std::array<double, 2> measured = measured_slowdowns(*sample.pair);
  return {std::log(measured[0] / predicted[0]), std::log(measured[1] / predicted[1])};
}

Offsets::Offsets(const LawInUse& law, std::span<const SharedSample* const> pool) {
  for (const SharedSample* sample : pool) {
    const std::array<double, 2> errors = log_errors_of(law, *sample);
    for (std::size_t m = 0; m < 2; ++m) {
      Met& met = met_[sample->members[m]->row->id];
      met.sum += errors[m];
      met.pairs += 1;
    }
  }
}

double Offsets::of(const Row& row) const {
  const auto met = met_.find(row.id);
  return met == met_.end() ? 0 : met->second.sum / (met->second.pairs + kPairsOfHalf);
}

Spread held_out_spread(std::span<const SharedSample* const> pool, Remembering remembering) {
  std::set<std::string> models;
  for (const SharedSample* sample : pool) {
    for (const Sample* member : sample->members) models.insert(member->row->model);
  }
  std::vector<double> known;
  std::vector<double> unknown;
  for (const std::string& model : models) {
    std::vector<const SharedSample*> others;
    for (const SharedSample* sample : pool) {
      if (!touches(*sample, model)) others.push_back(sample);
    }
    const auto laws = fit_laws(others);
    if (laws.empty()) continue;
    const LawInUse law = in_use(laws.front());
    const Offsets offsets =
        remembering == Remembering::OffsetsOfJobs ? Offsets{law, others} : Offsets{};
    for (const SharedSample* sample : pool) {
      if (!touches(*sample, model)) continue;
      const std::array<double, 2> errors = log_errors_of(law, *sample);
      for (std::size_t m = 0; m < 2; ++m) {
        const Row& row = *sample->members[m]->row;
        (offsets.knows(row) ? known : unknown).push_back(errors[m] - offsets.of(row));
      }
    }
  }
  Spread spread{.known = range_of(known), .unknown = range_of(unknown)};
  if (known.empty()) spread.known = spread.unknown;
  return spread;
}

}  // namespace horus::lab
