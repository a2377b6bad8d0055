// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/time_method.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "horus/lab/time_fit.hpp"
#include "horus/predict/site.hpp"
#include "horus/predict/step_time.hpp"

namespace horus::lab {
namespace {

using predict::StepParts;
using predict::TimeConstants;

/// Fits that each leave out a part of the models, for honest errors.
constexpr std::size_t kParts = 4;
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

void add_errors(const Sample& sample, const TimeFit& fit, Errors& errors) {
  const TimeConstants constants = fit.at(sample.row->gpu, sample.row->host);
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

std::vector<std::string> models_of(std::span<const Sample* const> samples) {
  std::vector<std::string> models;
  for (const Sample* sample : samples) models.push_back(sample->row->model);
  std::ranges::sort(models);
  models.erase(std::unique(models.begin(), models.end()), models.end());
  return models;
}

/// Errors on the models that `fit`, made anew without them, has not seen.
Errors unseen_errors(std::span<const Sample* const> samples, const TimeFit& fit) {
  const std::vector<std::string> models = models_of(samples);
  Errors errors;
  if (models.size() < kParts) return errors;
  for (std::size_t part = 0; part < kParts; ++part) {
    std::vector<const Sample*> seen;
    std::vector<const Sample*> unseen;
    for (const Sample* sample : samples) {
      const auto at = std::ranges::lower_bound(models, sample->row->model) - models.begin();
      (static_cast<std::size_t>(at) % kParts == part ? unseen : seen).push_back(sample);
    }
    const TimeFit without = fit_time(seen, {}, Moves::Everything, &fit);
    for (const Sample* sample : unseen) add_errors(*sample, without, errors);
  }
  return errors;
}

/// `seconds` of the GPU's time in use, as far as the GPU is busy at all.
Interval share_while_busy(double seconds, const StepParts& parts, const Interval& utilization) {
  const double while_busy = parts.gpu_s > 0 ? std::min(1.0, seconds / parts.gpu_s) : 0.0;
  return {while_busy * utilization.expected, while_busy * utilization.low,
          while_busy * utilization.high};
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

Guess guess_at(const Sample& sample, const TimeConstants& constants, const Band& step,
               const Band& utilization) {
  const StepParts parts = parts_at(sample, constants);
  Guess guess;
  guess.step_s = step_of(parts, constants, step);
  guess.utilization = utilization_of(parts, constants, utilization);
  if (has_unknown_loader(sample.row->setup, constants)) guess.utilization->low = 0;
  guess.bandwidth_utilization = share_while_busy(parts.bandwidth_s, parts, *guess.utilization);
  guess.sm_active = share_while_busy(parts.sm_s, parts, *guess.utilization);
  return guess;
}

class FittedTime : public Fitted {
 public:
  explicit FittedTime(const Training& training)
      : fit_{fit_time(training.pool, {}, Moves::Everything, fit_of(training.nearby))} {
    if (training.wanted == Training::Wanted::Expected) return;
    const Errors errors = unseen_errors(training.pool, fit_);
    step_ = band_of(errors.step);
    utilization_ = band_of(errors.utilization);
  }

  [[nodiscard]] Guess guess(const Sample& sample) const override {
    return guess_at(sample, fit_.at(sample.row->gpu, sample.row->host), step_, utilization_);
  }

 private:
  static const TimeFit* fit_of(const Fitted* nearby) {
    const auto* fitted = dynamic_cast<const FittedTime*>(nearby);
    return fitted == nullptr ? nullptr : &fitted->fit_;
  }

  TimeFit fit_;
  Band step_;
  Band utilization_;
};

class ModelTime : public Fitted {
 public:
  explicit ModelTime(const predict::Model& model) : model_{model} {}

  [[nodiscard]] Guess guess(const Sample& sample) const override {
    const predict::SiteFactors factors = predict::factors_on(model_.sites, sample.row->gpu);
    return guess_at(sample, predict::at_site(model_.constants.time, factors), {}, {});
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
