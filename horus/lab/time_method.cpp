// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/time_method.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "horus/lab/time_spread.hpp"
#include "horus/predict/site.hpp"
#include "horus/predict/step_time.hpp"

namespace horus::lab {
namespace {

using predict::StepParts;
using predict::TimeConstants;

/// Fewer errors than this have no quantiles of 10 and 90 %.
constexpr std::size_t kErrorsNeeded = 20;
constexpr double kLow = 0.1;
constexpr double kHigh = 0.9;

/// Factors from a prediction to its 10th and 90th percentile, as additions on the scale of errors.
struct Band {
  double low{};
  double high{};
  bool is_known{};
};

/// The scale of utilization's errors: one percentage point is the resolution of NVML.
double to_scale(double utilization) { return std::log1p(100 * utilization); }
double from_scale(double x) { return std::clamp(std::expm1(x) / 100, 0.0, 1.0); }

/// What was measured minus what is predicted, on the scales of errors.
struct Errors {
  std::vector<double> step;
  std::vector<double> utilization;
};

void add_errors(const Sample& sample, const TimeConstants& constants, Errors& errors) {
  const StepParts parts = parts_at(sample, constants);
  const Measured& measured = sample.row->measured;
  if (measured.step_s) {
    errors.step.push_back(std::log(*measured.step_s / predict::step_seconds(parts, constants)));
  }
  if (measured.utilization) {
    errors.utilization.push_back(to_scale(*measured.utilization) -
                                 to_scale(predict::utilization(parts, constants)));
  }
}

/// Split-conformal quantiles: the (n + 1) share of the sorted errors, rounded outwards.
Band band_of(std::vector<double> errors) {
  const std::size_t n = errors.size();
  if (n < kErrorsNeeded) return {};
  std::ranges::sort(errors);
  const double places = static_cast<double>(n + 1);
  const auto low = static_cast<std::size_t>(std::floor(places * kLow));
  const auto high = static_cast<std::size_t>(std::ceil(places * kHigh));
  // An error may be all on one side; the expectation stays within its interval.
  return {std::min(0.0, errors[std::max<std::size_t>(low, 1) - 1]),
          std::max(0.0, errors[std::min(high, n) - 1]), true};
}

/// Bands of both quantities.
struct Bands {
  Band step;
  Band utilization;
};

/// As wide as errors on models or machines are that a fit had not seen.
Bands bands_of(std::span<const Sample* const> samples, const TimeFit& fit, Unseen unseen) {
  Errors errors;
  visit_unseen(samples, fit, {}, unseen, [&](const Sample& sample, const TimeConstants& constants) {
    add_errors(sample, constants, errors);
  });
  return {band_of(std::move(errors.step)), band_of(std::move(errors.utilization))};
}

bool has_unknown_loader(const TrainingSetup& setup, const TimeConstants& constants) {
  return !setup.samples_per_second && setup.input_place == InputPlace::Host &&
         constants.loader_sample_s <= 0 && constants.loader_element_s <= 0;
}

Interval step_of(const StepParts& parts, const TimeConstants& constants, const Band& band) {
  if (!band.is_known) {
    return predict::step_interval(
        parts, {constants.sigma_gpu, constants.sigma_host, constants.sigma_loader}, constants);
  }
  const double step_s = predict::step_seconds(parts, constants);
  return {step_s, step_s * std::exp(band.low), step_s * std::exp(band.high)};
}

Interval utilization_of(const StepParts& parts, const TimeConstants& constants, const Band& band) {
  if (!band.is_known) {
    return predict::utilization_interval(
        parts, {constants.sigma_gpu, constants.sigma_host, constants.sigma_loader}, constants);
  }
  const double expected = predict::utilization(parts, constants);
  return {expected, std::min(expected, from_scale(to_scale(expected) + band.low)),
          std::max(expected, from_scale(to_scale(expected) + band.high))};
}

Guess guess_at(const Sample& sample, const TimeConstants& constants, const Bands& bands) {
  const StepParts parts = parts_at(sample, constants);
  Guess guess;
  guess.step_s = step_of(parts, constants, bands.step);
  guess.utilization = utilization_of(parts, constants, bands.utilization);
  if (has_unknown_loader(sample.row->setup, constants)) guess.utilization->low = 0;
  guess.bandwidth_utilization =
      predict::share_in_use(parts.bandwidth_s, parts, *guess.utilization, constants);
  guess.sm_active = predict::share_in_use(parts.sm_s, parts, *guess.utilization, constants);
  return guess;
}

class FittedTime : public Fitted {
 public:
  explicit FittedTime(const Training& training)
      : fit_{fit_time(training.pool, {}, Moves::Everything, fit_of(training.nearby))} {
    if (training.wanted == Training::Wanted::Expected) return;
    here_ = bands_of(training.pool, fit_, Unseen::Models);
    elsewhere_ = bands_of(training.pool, fit_, Unseen::Machines);
  }

  [[nodiscard]] Guess guess(const Sample& sample) const override {
    const auto is_here = [&](const TimeSite& site) {
      return site.gpu == sample.row->gpu && site.host == sample.row->host;
    };
    const Bands& bands = std::ranges::any_of(fit_.sites, is_here) ? here_ : elsewhere_;
    return guess_at(sample, fit_.at(sample.row->gpu, sample.row->host), bands);
  }

 private:
  static const TimeFit* fit_of(const Fitted* nearby) {
    const auto* fitted = dynamic_cast<const FittedTime*>(nearby);
    return fitted == nullptr ? nullptr : &fitted->fit_;
  }

  TimeFit fit_;
  Bands here_;       ///< Of machines that were measured.
  Bands elsewhere_;  ///< Of others.
};

class ModelTime : public Fitted {
 public:
  explicit ModelTime(const predict::Model& model) : model_{model} {}

  [[nodiscard]] Guess guess(const Sample& sample) const override {
    const predict::SiteFactors factors = predict::factors_on(model_.sites, sample.row->gpu);
    return guess_at(sample, predict::at_site(model_.constants.time, factors), {});
  }

 private:
  const predict::Model& model_;
};

class TimeMethod : public Method {
 public:
  [[nodiscard]] std::unique_ptr<Fitted> fit(const Training& training) const override {
    return std::make_unique<FittedTime>(training);
  }
  [[nodiscard]] std::unique_ptr<Fitted> as_is(const predict::Model& model) const override {
    return std::make_unique<ModelTime>(model);
  }
};

}  // namespace

std::unique_ptr<Method> time_method() { return std::make_unique<TimeMethod>(); }

}  // namespace horus::lab
