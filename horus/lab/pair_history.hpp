// SPDX-License-Identifier: Apache-2.0
#pragma once
// What measured pairs say beyond their law: which jobs are always off, and how far the others lie
// from it.

#include <array>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "horus/lab/method.hpp"
#include "horus/predict/interference.hpp"

namespace horus::lab {

/// ln(measured / predicted) of both members of a pair.
[[nodiscard]] std::array<double, 2> log_errors_of(const predict::LawInUse& law,
                                                  const SharedSample& sample);

/// By how much the slowdowns of each job (a row) differ from the law, on average over its pairs.
class Offsets {
 public:
  Offsets() = default;
  Offsets(const predict::LawInUse& law, std::span<const SharedSample* const> pool);

  [[nodiscard]] bool knows(const Row& row) const { return met_.contains(row.id); }
  /// Logarithm of a factor, shrunk towards 0 where the job was met in few pairs; 0 where in none.
  [[nodiscard]] double of(const Row& row) const;

 private:
  struct Met {
    double sum{};
    double pairs{};
  };
  std::map<std::string, Met, std::less<>> met_;  ///< By Row::id.
};

/// The 10th and the 90th percentile of errors, as logarithms of factors.
struct ErrorRange {
  double low{};
  double high{};
};

/// How far slowdowns of jobs lie from what is said of them.
struct Spread {
  ErrorRange known;    ///< Of jobs whose offset is known.
  ErrorRange unknown;  ///< Of jobs of models that no pair had.
};

/// Errors of models held out of `pool` one at a time: each is predicted by a law fitted to the
/// other pairs. `remembers_offsets` as the method does. All of `pool` are of one GPU and mode.
/// Cost: one fit per model.
enum class Remembering { Nothing, OffsetsOfJobs };
[[nodiscard]] Spread held_out_spread(std::span<const SharedSample* const> pool,
                                     Remembering remembering);

}  // namespace horus::lab
