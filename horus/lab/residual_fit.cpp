// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/residual_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "horus/base/check.hpp"
#include "horus/base/rng.hpp"
#include "horus/predict/tree_inputs.hpp"
#include "horus/predict/tree_training.hpp"

namespace horus::lab {
namespace {

using predict::Monotone;
using predict::ResidualTarget;

/// Rows that novelty compares a job with. More would cost more than the prediction itself.
constexpr std::size_t kKnownMax = 1000;

/// What an input means to a correction.
struct InputUse {
  std::string_view name;
  Monotone utilization{Monotone::Free};
  Monotone step_time{Monotone::Free};
  /// Below this difference jobs are alike, whatever the spread of the training data; 0: the input
  /// says nothing of novelty, because it differs between jobs of one model.
  double alike{};
};

/// Inputs with a rule of their own. More waiting for host or loader cannot raise the share of time
/// in which the GPU is busy, nor shorten a step.
constexpr std::array<InputUse, 9> kUses{{
    {"batch"},
    {"short_kernels"},
    {"gpu"},
    {"host", Monotone::Falling, Monotone::Rising},
    {"loader", Monotone::Falling, Monotone::Rising},
    {"launches", Monotone::Free, Monotone::Free, 0.1},
    {"intensity"},
    {"analytic_utilization"},
    {"analytic_step"},
}};
constexpr InputUse kOtherwise{.name = "", .alike = 0.1};

InputUse use_of(const TreeInput& input) {
  const auto found = std::ranges::find(kUses, input.name, &InputUse::name);
  return found == kUses.end() ? kOtherwise : *found;
}

/// A quantity on the scale on which errors are judged.
double judged(ResidualTarget target, double value) {
  return target == ResidualTarget::Utilization ? std::log1p(100 * value) : std::log(value);
}

/// What a perfect correction would be.
double label_of(ResidualTarget target, const ResidualJob& job) {
  const double exact = target == ResidualTarget::Utilization
                           ? predict::logit(job.measured) - predict::logit(job.predicted)
                           : std::log(job.measured / job.predicted);
  // One gross error must not bend the trees.
  const double most = 2 * limit_of(target);
  return std::clamp(exact, -most, most);
}

/// Squared errors of the logit, weighted so that they are those of the logarithm: near 1 the same
/// step of the logit is a smaller step of the share.
double weight_of(ResidualTarget target, const ResidualJob& job) {
  if (target == ResidualTarget::StepTime) return 1;
  const double idle = 1 - std::clamp((job.measured + job.predicted) / 2, 0.0, 1.0);
  return std::max(idle * idle, 0.01);
}

double corrected(ResidualTarget target, double predicted, double correction) {
  const Interval interval{predicted, predicted, predicted};
  return target == ResidualTarget::Utilization
             ? predict::corrected_utilization(interval, correction).expected
             : predict::corrected_seconds(interval, correction).expected;
}

/// The value below which `share` of `values` lie. Empty: 0.
double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const double place = share * static_cast<double>(values.size() - 1);
  return values[static_cast<std::size_t>(place + 0.5)];
}

double spread_of(std::span<const ResidualJob> jobs, std::size_t input) {
  double mean = 0;
  for (const ResidualJob& job : jobs) mean += job.inputs[input];
  mean /= static_cast<double>(jobs.size());
  double variance = 0;
  for (const ResidualJob& job : jobs) {
    variance += (job.inputs[input] - mean) * (job.inputs[input] - mean);
  }
  return std::sqrt(variance / static_cast<double>(jobs.size()));
}

std::vector<double> scales_of(std::span<const ResidualJob> jobs) {
  std::vector<double> scales;
  for (const TreeInput& input : predict::tree_inputs()) {
    const double alike = use_of(input).alike;
    scales.push_back(alike > 0 ? std::max(alike, spread_of(jobs, scales.size())) : 0);
  }
  return scales;
}

/// Jobs of one model, GPU and precision, on average.
struct Place {
  std::string group;
  std::vector<double> mean;
  std::vector<const ResidualJob*> jobs;
};

std::vector<Place> places_of(std::span<const ResidualJob> jobs) {
  std::map<std::string, Place> by_name;
  for (const ResidualJob& job : jobs) {
    Place& place = by_name[job.place];
    place.group = job.group;
    place.jobs.push_back(&job);
  }
  std::vector<Place> places;
  for (auto& [name, place] : by_name) {
    place.mean.assign(place.jobs.front()->inputs.size(), 0.0);
    for (const ResidualJob* job : place.jobs) {
      for (std::size_t i = 0; i < place.mean.size(); ++i) place.mean[i] += job->inputs[i];
    }
    for (double& sum : place.mean) sum /= static_cast<double>(place.jobs.size());
    places.push_back(std::move(place));
  }
  return places;
}

/// Every n-th place, so that at most kKnownMax are left.
std::vector<Place> thinned(std::vector<Place> places) {
  const std::size_t every = (places.size() + kKnownMax - 1) / kKnownMax;
  if (every <= 1) return places;
  std::vector<Place> kept;
  for (std::size_t i = 0; i < places.size(); i += every) kept.push_back(std::move(places[i]));
  return kept;
}

/// Distances of each job to the nearest place of another group.
std::vector<double> distances_between(const std::vector<Place>& places,
                                      std::span<const double> scales) {
  std::map<std::string, std::vector<std::vector<double>>> others;  // by group
  for (const Place& place : places) others[place.group] = {};
  for (auto& [group, means] : others) {
    for (const Place& place : places) {
      if (place.group != group) means.push_back(place.mean);
    }
  }
  std::vector<double> distances;
  for (const Place& place : places) {
    const auto& means = others[place.group];
    for (const ResidualJob* job : place.jobs) {
      if (!means.empty()) distances.push_back(predict::novelty(job->inputs, means, scales));
    }
  }
  return distances;
}

/// Distances of each job to the mean of its place.
std::vector<double> distances_within(const std::vector<Place>& places,
                                     std::span<const double> scales) {
  std::vector<double> distances;
  for (const Place& place : places) {
    const std::vector<std::vector<double>> own{place.mean};
    for (const ResidualJob* job : place.jobs) {
      distances.push_back(predict::novelty(job->inputs, own, scales));
    }
  }
  return distances;
}

struct Reach {
  double near{};
  double far{};
};

/// How far a correction reaches. Held-out groups: as far as nine of ten jobs lie from the next
/// other model, fading out at twice that. Held-out jobs: jobs of known models, and hardly any model
/// that is not.
Reach reach_of(const std::vector<Place>& places, std::span<const double> scales, HeldOut held_out) {
  const std::vector<double> between = distances_between(places, scales);
  if (held_out == HeldOut::Groups) {
    const double near = quantile(between, 0.9);
    return {near, 2 * near};
  }
  const double far = quantile(between, 0.1) / 2;
  return {std::min(quantile(distances_within(places, scales), 0.95), far / 2), far};
}

/// What `jobs` bear: hundreds tell effects of single inputs and of pairs, thousands those of more.
predict::TreeOptions tree_options(ResidualTarget target, std::size_t jobs,
                                  const ResidualOptions& options) {
  constexpr std::size_t kMany = 1000;
  constexpr std::size_t kVeryMany = 3000;
  const int more = (jobs >= kMany ? 1 : 0) + (jobs >= kVeryMany ? 1 : 0);
  predict::TreeOptions trees{.trees = (1 + more) * options.trees, .depth = options.depth + more};
  trees.seed = static_cast<std::uint32_t>(options.seed);
  for (const TreeInput& input : predict::tree_inputs()) {
    const InputUse use = use_of(input);
    trees.monotone.push_back(target == ResidualTarget::Utilization ? use.utilization
                                                                   : use.step_time);
  }
  return trees;
}

predict::TreeData tree_data(ResidualTarget target, std::span<const ResidualJob> jobs) {
  predict::TreeData data;
  double sum = 0;
  for (const ResidualJob& job : jobs) {
    data.inputs.push_back(job.inputs);
    data.labels.push_back(label_of(target, job));
    data.weights.push_back(weight_of(target, job));
    sum += data.weights.back();
  }
  // Of mean 1, so that the least weight of a leaf counts jobs.
  for (double& weight : data.weights) weight *= static_cast<double>(jobs.size()) / sum;
  return data;
}

std::size_t groups_in(std::span<const ResidualJob> jobs) {
  std::map<std::string_view, int> groups;
  for (const ResidualJob& job : jobs) ++groups[job.group];
  return groups.size();
}

std::vector<ResidualJob> pick(std::span<const ResidualJob> jobs, std::span<const std::size_t> folds,
                              std::size_t fold, bool (*take)(std::size_t, std::size_t)) {
  std::vector<ResidualJob> picked;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (take(folds[i], fold)) picked.push_back(jobs[i]);
  }
  return picked;
}

/// Squared errors without and with a correction, by group.
class Ledger {
 public:
  void add(const std::string& group, double without, double with) {
    Sum& sum = groups_[group];
    sum.without += without;
    sum.with += with;
    sum.jobs += 1;
  }

  [[nodiscard]] GateEvidence evidence() const {
    GateEvidence evidence;
    Sum all;
    std::vector<double> gains;
    for (const auto& [group, sum] : groups_) {
      all.without += sum.without;
      all.with += sum.with;
      all.jobs += sum.jobs;
      gains.push_back((sum.without - sum.with) / sum.jobs);
    }
    evidence.jobs = static_cast<std::int64_t>(all.jobs);
    evidence.groups = static_cast<std::int64_t>(gains.size());
    if (gains.size() < 2) return evidence;
    evidence.error_without = std::sqrt(all.without / all.jobs);
    evidence.error_with = std::sqrt(all.with / all.jobs);
    const auto count = static_cast<double>(gains.size());
    for (const double gain : gains) evidence.gain += gain / count;
    double variance = 0;
    for (const double gain : gains) {
      variance += (gain - evidence.gain) * (gain - evidence.gain) / (count - 1);
    }
    evidence.gain_error = std::sqrt(variance / count);
    return evidence;
  }

 private:
  struct Sum {
    double without{};
    double with{};
    double jobs{};
  };
  std::map<std::string, Sum> groups_;
};

}  // namespace

std::vector<std::size_t> deal(std::span<const ResidualJob> jobs, HeldOut held_out,
                              std::size_t folds, std::uint64_t seed) {
  HORUS_CHECK(folds > 0, "jobs are dealt into folds");
  // Shuffled by a key of their own, so that the fold of a group does not depend on the others.
  std::map<std::string, std::size_t> groups;
  for (const ResidualJob& job : jobs) groups.emplace(job.group, 0);
  std::size_t units = held_out == HeldOut::Groups ? groups.size() : jobs.size();
  std::vector<std::size_t> order(units);
  for (std::size_t i = 0; i < units; ++i) order[i] = i;
  Rng rng{seed};
  for (std::size_t i = units; i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  std::size_t next = 0;
  for (auto& [name, place] : groups) place = next++;
  std::vector<std::size_t> fold_of(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::size_t unit = held_out == HeldOut::Groups ? groups[jobs[i].group] : i;
    fold_of[i] = order[unit] % folds;
  }
  return fold_of;
}

std::optional<ResidualTable> learn_correction(ResidualTarget target,
                                              std::span<const ResidualJob> jobs, HeldOut held_out,
                                              const ResidualOptions& options) {
  if (groups_in(jobs) < 2) return std::nullopt;
  ResidualTable table{.target = std::string{predict::name_of(target)}, .limit = limit_of(target)};
  const auto inputs = predict::tree_inputs();
  table.inputs.assign(inputs.begin(), inputs.end());
  table.scales = scales_of(jobs);
  const std::vector<Place> places = thinned(places_of(jobs));
  for (const Place& place : places) table.known.push_back(place.mean);
  const Reach reach = reach_of(places, table.scales, held_out);
  if (reach.far <= 0) return std::nullopt;
  table.near = reach.near;
  table.far = reach.far;
  auto trained =
      predict::train_trees(tree_data(target, jobs), tree_options(target, jobs.size(), options));
  if (!trained) return std::nullopt;
  table.base = trained->base;
  table.trees = std::move(trained->trees);
  return table;
}

GateEvidence judge_correction(ResidualTarget target, std::span<const ResidualJob> jobs,
                              HeldOut held_out, const ResidualOptions& options) {
  // Not the folds in which labels were made: an own seed.
  constexpr std::uint64_t kGateSalt = 0x6761'7465;
  const auto folds = deal(jobs, held_out, options.folds, Rng{options.seed}.fork(kGateSalt).next());
  Ledger ledger;
  for (std::size_t fold = 0; fold < options.folds; ++fold) {
    const auto seen = pick(jobs, folds, fold, [](std::size_t a, std::size_t b) { return a != b; });
    const auto held = pick(jobs, folds, fold, [](std::size_t a, std::size_t b) { return a == b; });
    const auto table = learn_correction(target, seen, held_out, options);
    std::optional<predict::Residual> residual;
    if (table) {
      auto made = predict::Residual::make(*table);
      HORUS_CHECK(made.has_value(), "what is learned here can be used");
      residual = *std::move(made);
    }
    for (const ResidualJob& job : held) {
      const double truth = judged(target, job.measured);
      const double correction = residual ? residual->correction(job.inputs) : 0;
      const double without = judged(target, job.predicted) - truth;
      const double with = judged(target, corrected(target, job.predicted, correction)) - truth;
      ledger.add(job.group, without * without, with * with);
    }
  }
  return ledger.evidence();
}

bool passes_gate(const GateEvidence& evidence) {
  const bool all_gain = evidence.error_with < evidence.error_without;  // Jobs, not models, count.
  return evidence.groups >= 2 && evidence.gain > evidence.gain_error && all_gain;
}

std::optional<ResidualTable> learn_residual(ResidualTarget target,
                                            std::span<const ResidualJob> jobs, HeldOut held_out,
                                            const ResidualOptions& options) {
  const std::size_t least = held_out == HeldOut::Groups ? options.jobs_min : options.jobs_seen_min;
  if (jobs.size() < least) return std::nullopt;
  const GateEvidence evidence = judge_correction(target, jobs, held_out, options);
  if (!passes_gate(evidence)) return std::nullopt;
  auto table = learn_correction(target, jobs, held_out, options);
  if (table) table->evidence = evidence;
  return table;
}

}  // namespace horus::lab
