// SPDX-License-Identifier: Apache-2.0
#pragma once
// Somebody else's predictions of the same rows, and whether ours differ from them by more than
// chance.

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/lab/bootstrap.hpp"
#include "horus/lab/error_figures.hpp"

namespace horus::lab {

/// What somebody else predicts of rows, by row id.
struct OtherPrediction {
  std::optional<double> utilization;  ///< 0 to 1.
  std::optional<double> step_s;
  std::optional<double> memory_mib;
};
using OtherPredictions = std::map<std::string, OtherPrediction, std::less<>>;

/// Reads CSV with the columns id, utilization, step_s and memory_mib (of the last three, two may be
/// missing, and cells empty). `source` names it in errors.
[[nodiscard]] Result<OtherPredictions> read_predictions(std::string_view text, std::string source);

/// The same figure of ours and theirs, over the rows that both predict.
struct Difference {
  const Metric* metric{};
  double ours{};
  double theirs{};
  std::optional<Confidence> confidence;  ///< Of ours - theirs, on the same draws of models.
  std::size_t count{};
};

/// Figures that both predict something for; for CalibratedFive in the rows of its first draw.
[[nodiscard]] std::vector<Difference> differences_of(const Scores& ours,
                                                     const OtherPredictions& theirs,
                                                     std::size_t models,
                                                     const BootstrapOptions& options);

}  // namespace horus::lab
