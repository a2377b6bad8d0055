// SPDX-License-Identifier: Apache-2.0
#pragma once
// The seam between ways to predict and ways to judge them: a Method is fitted on samples, and what
// it returns predicts samples that it has not seen.

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/domain/interval.hpp"
#include "horus/lab/row.hpp"
#include "horus/predict/kernel.hpp"
#include "horus/predict/peak_memory.hpp"
#include "horus/predict/predictor_model.hpp"

namespace horus::lab {

/// A row with all that methods need of its graph, computed once.
struct Sample {
  const Row* row{};
  predict::Step step;             ///< Kernels and dispatched operators, no constants applied.
  predict::MemoryParts parts;     ///< Bytes by cause, no constants applied.
  double batch{};                 ///< Samples per step.
  std::vector<double> for_trees;  ///< Inputs of learned residuals, as tree_inputs names them.
};

/// What a method says of one sample; absent: it does not predict this.
struct Guess {
  std::optional<Interval> utilization;            ///< 0 to 1.
  std::optional<Interval> bandwidth_utilization;  ///< 0 to 1.
  std::optional<Interval> sm_active;              ///< 0 to 1.
  std::optional<Interval> step_s;
  std::optional<MemoryPrediction> memory;
};

/// Immutable result of a fit.
class Fitted {
 public:
  virtual ~Fitted() = default;
  [[nodiscard]] virtual Guess guess(const Sample& sample) const = 0;
};

/// What a fit is given. `pool` are all training samples of the fold, of any data set; `target` are
/// those of them that belong to the data set, GPU and host that will be predicted (may be empty:
/// nothing of the target was measured; five: calibration).
struct Training {
  /// What the result is asked for.
  enum class Wanted {
    Intervals,
    Expected,  ///< Only expected values are looked at: what intervals cost may be spared.
  };

  std::span<const Sample* const> pool;
  std::span<const Sample* const> target;
  Wanted wanted{Wanted::Intervals};
  /// A fit by the same method of nearly the same samples, where a search may begin; or null. It
  /// spares time and must not move the optimum.
  const Fitted* nearby{};
};

class Method {
 public:
  virtual ~Method() = default;
  /// Cost: seconds at most for thousands of samples. Deterministic: no chance but fixed seeds.
  [[nodiscard]] virtual std::unique_ptr<Fitted> fit(const Training& training) const = 0;
  /// Predicts by `model` as it is: nothing is fitted. `model` must outlive the result.
  [[nodiscard]] virtual std::unique_ptr<Fitted> as_is(const predict::Model& model) const = 0;
};

// ---- Sharing ------------------------------------------------------------------------------------

/// Two jobs that shared a GPU, with what is predicted of each alone.
struct SharedSample {
  const Pair* pair{};
  std::array<const Sample*, 2> members{};  ///< The pair's first and second.
  std::array<Guess, 2> solo;               ///< Of fits that have not seen the member's model.
};

/// What a method says of a pair.
struct SharedGuess {
  std::array<Interval, 2> slowdowns;  ///< Shared step time over step time alone, at least 1.
  /// What the law alone says, where `slowdowns` also tell what other pairs say of the same jobs.
  std::optional<std::array<double, 2>> by_law;
  std::array<bool, 2> is_known{};  ///< The method has seen this configuration in other pairs.
  /// Probability that neither job is slowed beyond kGoodSlowdown (error_figures.hpp). Absent: not
  /// said.
  std::optional<double> good;
  std::optional<Interval> utilization;
  std::optional<MemoryPrediction> memory;
};

/// Immutable result of a fit.
class FittedSharing {
 public:
  virtual ~FittedSharing() = default;
  [[nodiscard]] virtual SharedGuess guess(const SharedSample& sample) const = 0;
};

class SharingMethod {
 public:
  virtual ~SharingMethod() = default;
  /// `pool`: training pairs of the fold; those that did not run (a slowdown of 0) are not in it.
  [[nodiscard]] virtual std::unique_ptr<FittedSharing> fit(
      std::span<const SharedSample* const> pool) const = 0;
  /// Predicts by `model` as it is: nothing is fitted. `model` must outlive the result.
  [[nodiscard]] virtual std::unique_ptr<FittedSharing> as_is(const predict::Model& model) const = 0;
};

}  // namespace horus::lab
