// SPDX-License-Identifier: Apache-2.0
#pragma once
// The seam between ways to predict and ways to judge them: a Method is fitted on samples, and what
// it returns predicts samples that it has not seen.

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

/// What a fit is given. `pool` are samples of any data set; `target` those of the GPU and host that
/// will be predicted (a subset of the same fold's training samples; may be empty).
struct Training {
  std::span<const Sample* const> pool;
  std::span<const Sample* const> target;
};

class Method {
 public:
  virtual ~Method() = default;
  /// Cost: seconds at most for thousands of samples. Deterministic: no chance but fixed seeds.
  [[nodiscard]] virtual std::unique_ptr<Fitted> fit(const Training& training) const = 0;
};

}  // namespace horus::lab
