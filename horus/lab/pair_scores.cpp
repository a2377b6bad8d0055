// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/pair_scores.hpp"

#include <algorithm>
#include <memory>
#include <set>

#include "horus/lab/folds.hpp"

namespace horus::lab {
namespace {

constexpr std::size_t kRandomFolds = 10;

/// Pairs with what is predicted of their members, and the groups that they touch.
class Scorer {
 public:
  explicit Scorer(const PairInputs& inputs) : inputs_{inputs} {
    for (const Pair& pair : inputs.pairs) {
      const bool ran = pair.slowdown_first > 0 && pair.slowdown_second > 0;
      if (ran) samples_.push_back(sample_of(pair));
    }
  }

  [[nodiscard]] bool empty() const { return samples_.empty(); }
  [[nodiscard]] std::size_t size() const { return samples_.size(); }

  void score_all(const FittedSharing& fitted) {
    for (const SharedSample& sample : samples_) {
      score(sample, fitted,
            {inputs_.models[sample.pair->first], inputs_.models[sample.pair->second]});
    }
  }

  /// Holds out the pairs that touch each group in turn.
  void score_groups(std::string (*key)(const Row&)) {
    std::set<std::string> groups;
    for (const SharedSample& sample : samples_) {
      for (const Sample* member : sample.members) groups.insert(key(*member->row));
    }
    for (const std::string& group : groups) score_group(group, key);
  }

  void score_folds(std::uint64_t seed) {
    const std::size_t folds = std::min(kRandomFolds, std::max<std::size_t>(size(), 2));
    for (const Fold& fold : random_folds(size(), size(), folds, seed)) {
      std::vector<const SharedSample*> pool;
      for (const std::size_t i : fold.train) pool.push_back(&samples_[i]);
      const auto fitted = inputs_.method->fit(pool);
      for (const std::size_t i : fold.test) {
        const Pair& pair = *samples_[i].pair;
        score(samples_[i], *fitted, {inputs_.models[pair.first], inputs_.models[pair.second]});
      }
    }
  }

  [[nodiscard]] std::vector<PairScore> finish() && { return std::move(scores_); }

 private:
  [[nodiscard]] SharedSample sample_of(const Pair& pair) const {
    return {.pair = &pair,
            .members = {&inputs_.samples[pair.first], &inputs_.samples[pair.second]},
            .solo = {inputs_.guesses[pair.first], inputs_.guesses[pair.second]}};
  }

  void score_group(const std::string& group, std::string (*key)(const Row&)) {
    std::vector<const SharedSample*> pool;
    std::vector<const SharedSample*> held_out;
    for (const SharedSample& sample : samples_) {
      const bool touches = std::ranges::any_of(
          sample.members, [&](const Sample* member) { return key(*member->row) == group; });
      (touches ? held_out : pool).push_back(&sample);
    }
    const auto fitted = inputs_.method->fit(pool);
    for (const SharedSample* sample : held_out) {
      std::set<std::size_t> models;
      for (const std::size_t member : {sample->pair->first, sample->pair->second}) {
        if (key(*inputs_.samples[member].row) == group) models.insert(inputs_.models[member]);
      }
      score(*sample, *fitted, models);
    }
  }

  void score(const SharedSample& sample, const FittedSharing& fitted,
             const std::set<std::size_t>& models) {
    const SharedGuess guess = fitted.guess(sample);
    for (const std::size_t model : models) {
      scores_.push_back({.model = model,
                         .pair = sample.pair,
                         .gpu = sample.members[0]->row->gpu,
                         .guess = guess,
                         .packed = packs(sample, guess)});
    }
  }

  /// A job of unknown utilization is packed with nothing.
  [[nodiscard]] static bool packs(const SharedSample& sample, const SharedGuess& guess) {
    const bool is_known = std::ranges::all_of(
        sample.solo, [](const Guess& solo) { return solo.utilization.has_value(); });
    return is_known && guess.good.value_or(0) >= kPackChance;
  }

  const PairInputs& inputs_;
  std::vector<SharedSample> samples_;
  std::vector<PairScore> scores_;
};

}  // namespace

std::vector<PairScore> score_pairs(const PairInputs& inputs, const PairSplit& split) {
  Scorer scorer{inputs};
  if (scorer.empty()) return {};
  switch (split.kind) {
    case PairSplit::Kind::AsIs:
      scorer.score_all(*inputs.method->as_is(*inputs.model));
      break;
    case PairSplit::Kind::Nothing:
      scorer.score_all(*inputs.method->fit({}));
      break;
    case PairSplit::Kind::HoldOut:
      scorer.score_groups(split.key);
      break;
    case PairSplit::Kind::Random:
      scorer.score_folds(split.seed);
      break;
  }
  return std::move(scorer).finish();
}

}  // namespace horus::lab
