// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/sharing_fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "horus/domain/gpu.hpp"
#include "horus/lab/error_figures.hpp"
#include "horus/lab/map_fit.hpp"
#include "horus/predict/sharing_chance.hpp"

namespace horus::lab {
namespace {

using predict::CalibratedLaw;
using predict::LawInUse;
using predict::SharingLaw;

/// Expected error of one measured slowdown, as a factor: residuals are in units of it. Two runs of
/// one pair differ by a few percent, and so does the run alone that both are divided by.
constexpr double kSigmaMeasured = 0.08;

/// Beyond it errors count by their size, not their square: the figure that people read is a mean of
/// sizes.
constexpr double kOutlier = 1;

/// A gain is known to a factor of 1.6: two jobs that fill a GPU may gain by overlap, or lose by
/// switching. Exponents the same.
constexpr double kSigmaLaw = 0.5;
constexpr double kGainLeast = 0.01;
constexpr double kGainMost = 4;
/// Beyond it an interval says nothing.
constexpr double kSigmaMost = 3;
constexpr double kExponentLeast = 0.1;
constexpr double kExponentMost = 4;

/// Where the catalogue does not know a GPU, it is taken for one of the present.
GpuSpec gpu_called(const std::string& name) {
  const auto found = find_gpu(name);
  return found ? *found->spec : GpuSpec{.name = name};
}

predict::Demand demand_of(const Guess& guess, double Interval::*quantile) {
  const auto share = [&](const std::optional<Interval>& interval, double otherwise) {
    return interval ? std::clamp((*interval).*quantile, 0.0, 1.0) : otherwise;
  };
  const double busy = share(guess.utilization, 1);
  return {.busy = busy,
          .sms = std::min(busy, share(guess.sm_active, busy)),
          .bandwidth = share(guess.bandwidth_utilization, 0)};
}

/// An exponent of 0 says that the demand does not matter: no fit moves that.
FitParameter exponent(double prior) {
  if (prior <= 0) return {.prior = 1, .sigma = 0};
  return {.prior = prior, .sigma = kSigmaLaw, .least = kExponentLeast, .most = kExponentMost};
}

/// Pairs of one GPU and mode with the numbers that a fit needs again and again.
struct AlikePairs {
  std::vector<std::array<predict::Demand, 2>> demands;
  std::vector<std::array<double, 2>> measured;
};

/// Jobs alone, or each on an instance of its own, do not meet.
bool has_law(SharingMode mode) {
  return mode == SharingMode::TimeSlice || mode == SharingMode::Mps;
}

/// GPU and mode.
using Kind = std::pair<std::string, SharingMode>;

std::map<Kind, AlikePairs> by_kind(std::span<const SharedSample* const> pool) {
  std::map<Kind, AlikePairs> groups;
  for (const SharedSample* sample : pool) {
    if (!has_law(sample->pair->mode)) continue;
    AlikePairs& group = groups[{sample->members.front()->row->gpu, sample->pair->mode}];
    group.demands.push_back(demands_of(*sample));
    group.measured.push_back(measured_slowdowns(*sample->pair));
  }
  return groups;
}

/// ln(predicted / measured) of both members of each pair.
void log_errors(const AlikePairs& pairs, const LawInUse& use, std::span<double> out) {
  for (std::size_t i = 0; i < pairs.demands.size(); ++i) {
    const std::vector<double> predicted = slowdowns_of(pairs.demands[i], use);
    for (std::size_t m = 0; m < 2; ++m) {
      out[2 * i + m] = std::log(predicted[m] / pairs.measured[i][m]);
    }
  }
}

CalibratedLaw fit_law(const Kind& kind, const AlikePairs& pairs) {
  const auto& [name, mode] = kind;
  LawInUse use = predict::law_for(gpu_called(name), mode, Interference::Default);
  use.calibration = Calibration::Calibrated;
  const SharingLaw prior = use.law;
  const std::array<FitParameter, 3> parameters{
      FitParameter{.prior = prior.gain, .sigma = kSigmaLaw, .least = kGainLeast, .most = kGainMost},
      exponent(prior.own_exponent), exponent(prior.others_exponent)};
  const auto law_of = [&](std::span<const double> values) {
    return SharingLaw{values[0], prior.own_exponent > 0 ? values[1] : 0,
                      prior.others_exponent > 0 ? values[2] : 0};
  };
  const std::size_t count = 2 * pairs.demands.size();
  const auto residuals = [&](std::span<const double> values, std::span<double> out) {
    use.law = law_of(values);
    log_errors(pairs, use, out);
    for (double& residual : out) residual /= kSigmaMeasured;
  };
  const MapFit fit = map_fit(parameters, count, residuals, {.outlier = kOutlier});
  std::vector<double> errors(count);
  use.law = law_of(fit.values);
  log_errors(pairs, use, errors);
  double squares = 0;
  for (const double error : errors) squares += error * error;
  return {.gpu = name,
          .mode = mode,
          .law = use.law,
          .sigma_slowdown = std::min(kSigmaMost, std::sqrt(squares / static_cast<double>(count))),
          .pairs = static_cast<int>(pairs.demands.size())};
}

}  // namespace

std::array<predict::Demand, 2> demands_of(const SharedSample& sample) {
  return {demand_of(sample.solo[0], &Interval::expected),
          demand_of(sample.solo[1], &Interval::expected)};
}

double chance_of_good(const LawInUse& law, const SharedSample& sample) {
  std::array<predict::DemandRange, 2> jobs;
  for (std::size_t m = 0; m < 2; ++m) {
    jobs[m] = {.expected = demand_of(sample.solo[m], &Interval::expected),
               .high = demand_of(sample.solo[m], &Interval::high)};
  }
  return predict::chance_within(kGoodSlowdown, jobs, law);
}

std::array<double, 2> measured_slowdowns(const Pair& pair) {
  return {pair.slowdown_first, pair.slowdown_second};
}

LawInUse in_use(const CalibratedLaw& law) {
  LawInUse use = predict::law_for(gpu_called(law.gpu), law.mode, Interference::Default);
  use.law = law.law;
  use.calibration = Calibration::Calibrated;
  use.sigma_excess = 0;
  use.sigma_slowdown = law.sigma_slowdown;
  return use;
}

std::array<double, 2> slowdowns_by(const LawInUse& law, const SharedSample& sample) {
  const std::vector<double> slowdowns = slowdowns_of(demands_of(sample), law);
  return {slowdowns[0], slowdowns[1]};
}

std::vector<CalibratedLaw> fit_laws(std::span<const SharedSample* const> pool) {
  std::vector<CalibratedLaw> laws;
  for (const auto& [kind, pairs] : by_kind(pool)) {
    if (pairs.demands.size() >= kPairsLeast) laws.push_back(fit_law(kind, pairs));
  }
  return laws;
}

}  // namespace horus::lab
