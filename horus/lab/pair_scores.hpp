// SPDX-License-Identifier: Apache-2.0
#pragma once
// Judging what is said of jobs that share a GPU. What is known of each job alone is predicted too,
// by fits that have not seen it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "horus/lab/error_figures.hpp"
#include "horus/lab/method.hpp"

namespace horus::lab {

/// The rule that packs two jobs: the chance that the pair turns out good (SharedGuess::good) is at
/// least this. Nothing is fitted: it is the share of good pairs that is asked for.
inline constexpr double kPackChance = 0.97;

/// Which pairs a fit may see.
struct PairSplit {
  enum class Kind {
    AsIs,     ///< Nothing is fitted: the given model.
    Nothing,  ///< A fit without pairs: the priors.
    HoldOut,  ///< All pairs touching a group are held out together, group by group.
    Random,   ///< Pairs are dealt into ten folds.
  };
  Kind kind{Kind::AsIs};
  std::string (*key)(const Row&){nullptr};  ///< Of HoldOut: the group of a member.
  std::uint64_t seed{1};                    ///< Of Random.
};

/// All shapes: by sample of `samples`, but `pairs`.
struct PairInputs {
  std::span<const Sample> samples;
  std::span<const Pair> pairs;
  std::span<const Guess> guesses;       ///< Of each sample alone.
  std::span<const std::size_t> models;  ///< Index of each sample's model.
  const SharingMethod* method{};
  const predict::Model* model{};  ///< Of AsIs.
};

/// Scores every pair that ran, once for each of its models that was held out (for each of its
/// models where none was). Nothing without pairs.
[[nodiscard]] std::vector<PairScore> score_pairs(const PairInputs& inputs, const PairSplit& split);

}  // namespace horus::lab
