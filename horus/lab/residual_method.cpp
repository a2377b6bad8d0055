// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/residual_method.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "horus/base/check.hpp"
#include "horus/lab/folds.hpp"
#include "horus/predict/tree_inputs.hpp"

namespace horus::lab {
namespace {

using predict::Residual;
using predict::ResidualTarget;
using Pointers = std::vector<const Sample*>;

constexpr std::array kTargets{ResidualTarget::Utilization, ResidualTarget::StepTime};

const std::optional<double>& measured(const Sample& sample, ResidualTarget target) {
  const Measured& m = sample.row->measured;
  return target == ResidualTarget::Utilization ? m.utilization : m.step_s;
}

const std::optional<Interval>& predicted(const Guess& guess, ResidualTarget target) {
  return target == ResidualTarget::Utilization ? guess.utilization : guess.step_s;
}

std::string group_of(const Sample& sample) { return group_key(sample.row->model); }

/// A sample with what a fit without it said.
struct Held {
  const Sample* sample{};
  Guess guess;
};

/// Inputs of trees with what the analytical model says, or nothing where it says neither.
std::optional<std::vector<double>> inputs_of(const Sample& sample, const Guess& guess) {
  if (!guess.utilization && !guess.step_s) return std::nullopt;
  std::vector<double> inputs = sample.for_trees;
  predict::set_analytic_inputs(inputs, guess.utilization ? guess.utilization->expected : 0.5,
                               guess.step_s ? guess.step_s->expected : 1.0);
  return inputs;
}

ResidualJob job_of(const Sample& sample, const Guess& guess, ResidualTarget target) {
  const Row& row = *sample.row;
  const std::string group = group_of(sample);
  return {.inputs = *inputs_of(sample, guess),
          .group = group,
          .place = fmt::format("{}\n{}\n{}", group, row.gpu, name_of(row.setup.precision)),
          .predicted = predicted(guess, target)->expected,
          .measured = *measured(sample, target)};
}

std::vector<ResidualJob> jobs_of(std::span<const Held> held, ResidualTarget target) {
  std::vector<ResidualJob> jobs;
  for (const Held& one : held) {
    const auto& truth = measured(*one.sample, target);
    const auto& said = predicted(one.guess, target);
    if (truth && said && *truth > 0 && said->expected > 0) {
      jobs.push_back(job_of(*one.sample, one.guess, target));
    }
  }
  return jobs;
}

/// Samples whose labels a correction could learn from.
std::size_t labelled(const Training& training) {
  std::size_t most = 0;
  for (const ResidualTarget target : kTargets) {
    most = std::max(most, static_cast<std::size_t>(
                              std::ranges::count_if(training.pool, [target](const Sample* sample) {
                                return measured(*sample, target).has_value();
                              })));
  }
  return most;
}

/// A training with a fit of its whole pool, in which fits of its parts may begin.
class WholeFit {
 public:
  WholeFit(const Method& base, const Training& training) : training_{training} {
    if (training.nearby != nullptr) return;
    training_.wanted = Training::Wanted::Expected;
    fitted_ = base.fit(training_);
    training_.nearby = fitted_.get();
  }
  [[nodiscard]] const Training& training() const { return training_; }

 private:
  Training training_;
  std::unique_ptr<Fitted> fitted_;
};

/// Every sample of the pool as predicted by a fit that did not see its fold.
std::vector<Held> predict_held_out(const Method& base, const Training& training, HeldOut held_out,
                                   const ResidualOptions& options) {
  HORUS_CHECK(training.nearby != nullptr, "a fit of the whole pool is where parts of it begin");
  std::vector<ResidualJob> names;
  for (const Sample* sample : training.pool) names.push_back({.group = group_of(*sample)});
  const auto folds = deal(names, held_out, options.folds, options.seed);
  const std::set<const Sample*> target(training.target.begin(), training.target.end());
  std::vector<Held> held;
  for (std::size_t fold = 0; fold < options.folds; ++fold) {
    Pointers pool;
    Pointers known;
    Pointers out;
    for (std::size_t i = 0; i < training.pool.size(); ++i) {
      const Sample* sample = training.pool[i];
      if (folds[i] == fold) {
        out.push_back(sample);
        continue;
      }
      pool.push_back(sample);
      if (target.contains(sample)) known.push_back(sample);
    }
    if (pool.empty() || out.empty()) continue;
    const auto fitted = base.fit({.pool = pool,
                                  .target = known,
                                  .wanted = Training::Wanted::Expected,
                                  .nearby = training.nearby});
    for (const Sample* sample : out) held.push_back({sample, fitted->guess(*sample)});
  }
  return held;
}

/// A base's guesses, corrected.
class Corrected final : public Fitted {
 public:
  Corrected(std::unique_ptr<Fitted> base, std::vector<Residual> residuals)
      : base_{std::move(base)}, residuals_{std::move(residuals)} {}

  [[nodiscard]] Guess guess(const Sample& sample) const override {
    Guess guess = base_->guess(sample);
    const auto inputs = inputs_of(sample, guess);
    if (!inputs) return guess;
    for (const Residual& residual : residuals_) {
      const double correction = residual.correction(*inputs);
      if (residual.target() == ResidualTarget::Utilization && guess.utilization) {
        const Interval before = *guess.utilization;
        guess.utilization = predict::corrected_utilization(before, correction);
        for (std::optional<Interval>* used : {&guess.bandwidth_utilization, &guess.sm_active}) {
          if (*used) *used = predict::followed(**used, before, *guess.utilization);
        }
      }
      if (residual.target() == ResidualTarget::StepTime && guess.step_s) {
        guess.step_s = predict::corrected_seconds(*guess.step_s, correction);
      }
    }
    return guess;
  }

 private:
  std::unique_ptr<Fitted> base_;
  std::vector<Residual> residuals_;
};

std::vector<Residual> ready(const std::vector<ResidualTable>& tables) {
  std::vector<Residual> residuals;
  for (const ResidualTable& table : tables) {
    auto residual = Residual::make(table);
    HORUS_CHECK(residual.has_value(), "what is learned here can be used");
    residuals.push_back(*std::move(residual));
  }
  return residuals;
}

class WithResidual final : public Method {
 public:
  WithResidual(std::unique_ptr<Method> base, const ResidualOptions& options)
      : base_{std::move(base)}, options_{options} {}

  [[nodiscard]] std::unique_ptr<Fitted> fit(const Training& training) const override {
    auto base = base_->fit(training);
    Training known = training;
    known.nearby = base.get();
    auto residuals = ready(learn_residuals(*base_, known, options_));
    return std::make_unique<Corrected>(std::move(base), std::move(residuals));
  }

  [[nodiscard]] std::unique_ptr<Fitted> as_is(const predict::Model& model) const override {
    return std::make_unique<Corrected>(base_->as_is(model), model.residuals);
  }

 private:
  std::unique_ptr<Method> base_;
  ResidualOptions options_;
};

bool has(const std::vector<ResidualTable>& tables, ResidualTarget target) {
  return std::ranges::find(tables, predict::name_of(target), &ResidualTable::target) !=
         tables.end();
}

}  // namespace

std::vector<ResidualTable> learn_residuals(const Method& base, const Training& training,
                                           const ResidualOptions& options) {
  std::vector<ResidualTable> tables;
  const std::size_t labels = labelled(training);
  if (labels < std::min(options.jobs_min, options.jobs_seen_min)) return tables;
  const WholeFit whole{base, training};
  const auto learn = [&](HeldOut held_out, std::size_t jobs_min) {
    if (labels < jobs_min || tables.size() == kTargets.size()) return;
    const auto held = predict_held_out(base, whole.training(), held_out, options);
    for (const ResidualTarget target : kTargets) {
      if (has(tables, target)) continue;
      auto table = learn_residual(target, jobs_of(held, target), held_out, options);
      if (table) tables.push_back(*std::move(table));
    }
  };
  learn(HeldOut::Groups, options.jobs_min);
  learn(HeldOut::Jobs, options.jobs_seen_min);
  std::ranges::sort(tables, {}, &ResidualTable::target);
  return tables;
}

std::vector<Guess> guesses_unseen(const Method& base, std::span<const Sample* const> pool,
                                  std::size_t folds, std::uint64_t seed) {
  ResidualOptions options;
  options.folds = folds;
  options.seed = seed;
  const WholeFit whole{base, {.pool = pool, .target = pool}};
  const auto held = predict_held_out(base, whole.training(), HeldOut::Groups, options);
  std::map<const Sample*, const Guess*> by_sample;
  for (const Held& one : held) by_sample.emplace(one.sample, &one.guess);
  std::vector<Guess> guesses;
  for (const Sample* sample : pool) {
    const auto found = by_sample.find(sample);
    guesses.push_back(found == by_sample.end() ? Guess{} : *found->second);
  }
  return guesses;
}

std::unique_ptr<Method> with_residual(std::unique_ptr<Method> base,
                                      const ResidualOptions& options) {
  return std::make_unique<WithResidual>(std::move(base), options);
}

}  // namespace horus::lab
