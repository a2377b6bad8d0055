// SPDX-License-Identifier: Apache-2.0
#pragma once
// How wrong predictions are: one table of figures, each with its unit and what it means.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horus/lab/bootstrap.hpp"
#include "horus/lab/method.hpp"
#include "horus/lab/row.hpp"

namespace horus::lab {

/// A row with what was predicted of it.
struct RowScore {
  std::size_t model{};  ///< Index of its model among the judged ones: what a bootstrap draws.
  const Row* row{};
  Guess guess;
  bool model_met{};  ///< CalibratedFive: jobs of its model were among the five of its target.
};

/// A pair with what was predicted of it; it ran. A pair is scored once for each of its models, as
/// the one that was held out.
struct PairScore {
  std::size_t model{};  ///< Of the member that was held out.
  const Pair* pair{};
  std::string gpu;  ///< Row::gpu of its members.
  SharedGuess guess;
  bool packed{};  ///< The rule would let the two share.
};

/// Everything that one run of a protocol predicted.
struct Scores {
  std::vector<RowScore> rows;
  std::vector<PairScore> pairs;
};

/// Two jobs are a good pair where neither takes longer than this by sharing.
inline constexpr double kGoodSlowdown = 1.25;

/// Device memory that training can use, MiB. 40,300 MiB on an A100 of 40 GB: the rest of its 40,960
/// is reserved by the driver. Elsewhere what the catalogue says.
[[nodiscard]] double usable_memory_mib(std::string_view gpu);

/// A figure: the mean of a value over all rows or pairs that have it, passed through `finish`.
struct Metric {
  std::string_view key;   ///< Its name in JSON.
  std::string_view unit;  ///< "%", "points", ...
  std::string_view summary;
  std::optional<double> (*of_row)(const RowScore&);
  std::optional<double> (*of_pair)(const PairScore&);
  double (*finish)(double mean);
};

/// The one figure that is no mean: its Metric has neither `of_row` nor `of_pair`.
inline constexpr std::string_view kGoodPairAuc = "good_pair_auc";

/// All figures in the order of reports.
[[nodiscard]] std::span<const Metric> metrics();

/// The metric called `key`, which must exist.
[[nodiscard]] const Metric& metric_of(std::string_view key);

/// Rows or pairs of one draw that `metric` judges.
[[nodiscard]] std::size_t count_of(const Metric& metric, const Scores& scores);

/// `metric` as a function of the weights of models: computed for each draw, then averaged. Nothing
/// where no draw has a row of positive weight.
/// Cost: what can be is computed here, once.
[[nodiscard]] Statistic statistic_of(const Metric& metric, std::span<const Scores> draws);

}  // namespace horus::lab
