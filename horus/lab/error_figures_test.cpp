// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/error_figures.hpp"

#include <cmath>
#include <deque>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "horus/base/rng.hpp"

namespace horus::lab {
namespace {

constexpr double kMib = 1024.0 * 1024.0;

MemoryPrediction memory(double expected_mib, double bound_mib) {
  const Bytes expected{static_cast<std::int64_t>(expected_mib * kMib)};
  return {expected, expected, expected, Bytes{static_cast<std::int64_t>(bound_mib * kMib)}};
}

Interval exactly(double value) { return {value, value, value}; }

/// Scores over rows and pairs that it owns.
class Board {
 public:
  Row& row(std::size_t model) {
    rows_.push_back(Row{});
    rows_.back().gpu = "A100-40GB";
    scores_.rows.push_back({.model = model, .row = &rows_.back(), .guess = {}});
    return rows_.back();
  }
  Guess& guess() { return scores_.rows.back().guess; }

  PairScore& pair(std::size_t model, double first, double second) {
    Pair pair;
    pair.slowdown_first = first;
    pair.slowdown_second = second;
    pairs_.push_back(std::move(pair));
    scores_.pairs.push_back({.model = model, .pair = &pairs_.back(), .guess = {}});
    return scores_.pairs.back();
  }

  [[nodiscard]] const Scores& scores() const { return scores_; }
  [[nodiscard]] std::optional<double> value(std::string_view key,
                                            const std::vector<double>& weights) const {
    return statistic_of(metric_of(key), std::span{&scores_, 1})(weights);
  }

 private:
  std::deque<Row> rows_;
  std::deque<Pair> pairs_;
  Scores scores_;
};

/// Two rows of utilization: 20 % for true 10 %, 50 % for true 50 %.
Board utilization_board() {
  Board board;
  board.row(0).measured.utilization = 0.10;
  board.guess().utilization = Interval{.expected = 0.20, .low = 0.15, .high = 0.30};
  board.row(1).measured.utilization = 0.50;
  board.guess().utilization = Interval{.expected = 0.50, .low = 0.40, .high = 0.60};
  return board;
}

TEST(Metrics, TakeUtilizationOnThePercentScale) {
  const Board board = utilization_board();
  // ln(21 / 11) for one row, 0 for the other.
  EXPECT_NEAR(*board.value("rmsle_utilization_percent", {1, 1}),
              std::log(21.0 / 11.0) / std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(*board.value("mae_utilization_points", {1, 1}), 5.0, 1e-12);
  EXPECT_NEAR(*board.value("coverage_utilization_percent", {1, 1}), 50.0, 1e-12);
}

TEST(Metrics, WeighRowsByTheirModel) {
  const Board board = utilization_board();
  EXPECT_NEAR(*board.value("mae_utilization_points", {3, 1}), 7.5, 1e-12);
  EXPECT_NEAR(*board.value("mae_utilization_points", {0, 2}), 0.0, 1e-12);
  EXPECT_FALSE(board.value("mae_utilization_points", {0, 0}));
}

TEST(Metrics, LeaveOutWhatWasNotMeasuredOrNotPredicted) {
  Board board = utilization_board();
  board.row(0).measured.step_s = 0.1;  // not predicted
  board.row(0);                        // predicted, not measured
  board.guess().step_s = exactly(0.1);
  board.row(1).measured.step_s = 0.1;
  board.guess().step_s = exactly(0.12);
  EXPECT_EQ(count_of(metric_of("mape_step_percent"), board.scores()), 1U);
  EXPECT_NEAR(*board.value("mape_step_percent", {1, 1}), 20.0, 1e-9);
  EXPECT_EQ(count_of(metric_of("mae_utilization_points"), board.scores()), 2U);
  EXPECT_EQ(count_of(metric_of("mape_memory_percent"), board.scores()), 0U);
}

/// Measured 1000 MiB each: bounds 1200 (20 % in vain), 950 (exceeded) and 800 (by far).
Board memory_board() {
  Board board;
  for (const double bound : {1200.0, 950.0, 800.0}) {
    board.row(0).measured.memory_mib = 1000.0;
    board.guess().memory = memory(bound - 100.0, bound);
  }
  return board;
}

TEST(Metrics, JudgeMemoryAndItsBound) {
  const Board board = memory_board();
  const std::vector<double> once{1.0};
  EXPECT_NEAR(*board.value("mape_memory_percent", once), (10.0 + 15.0 + 30.0) / 3.0, 1e-6);
  EXPECT_NEAR(*board.value("bound_violations", once), 200.0 / 3.0, 1e-9);
  EXPECT_NEAR(*board.value("bound_violations_10pct", once), 100.0 / 3.0, 1e-9);
  EXPECT_NEAR(*board.value("bound_excess_mean_percent", once), 20.0 / 3.0, 1e-6);
}

TEST(Metrics, CallABoundOfExactlyTheNeedKept) {
  Board board;
  board.row(0).measured.memory_mib = 1000.0;
  board.guess().memory = memory(900.0, 1000.0);
  EXPECT_EQ(*board.value("bound_violations", {1}), 0.0);
}

TEST(Metrics, TellRunsOutOfMemoryFromGoodOnes) {
  Board board;
  // Usable on an A100 of 40 GB: 40,300 MiB.
  for (const double expected : {41000.0, 40200.0}) {
    board.row(0).measured.out_of_memory = true;
    board.guess().memory = memory(expected, expected + 500.0);
  }
  for (const double expected : {40250.0, 40500.0, 30000.0, 39700.0}) {
    board.row(0).measured.memory_mib = 38000.0;
    board.guess().memory = memory(expected, expected + 500.0);
  }
  const std::vector<double> once{1.0};
  EXPECT_NEAR(*board.value("oom_recall", once), 50.0, 1e-9);
  EXPECT_NEAR(*board.value("oom_recall_bound", once), 100.0, 1e-9);
  EXPECT_NEAR(*board.value("oom_refused_good", once), 25.0, 1e-9);
  EXPECT_NEAR(*board.value("oom_refused_good_bound", once), 50.0, 1e-9);
  // The peak of a run that died says nothing of what it needed.
  EXPECT_EQ(count_of(metric_of("mape_memory_percent"), board.scores()), 4U);
}

TEST(Metrics, SayNothingOfRefusalsWhereNothingRanOutOfMemory) {
  EXPECT_EQ(count_of(metric_of("oom_refused_good"), memory_board().scores()), 0U);
}

/// A pair whose members are both predicted to take `predicted` times as long.
void add_pair(Board& board, double predicted, double measured) {
  board.pair(0, measured, 1.0).guess.slowdowns = {exactly(predicted), exactly(1.0)};
}

TEST(GoodPairAuc, CountsTheOrderedPairsOfGoodAndBad) {
  Board board;
  add_pair(board, 1.1, 1.0);  // good
  add_pair(board, 1.3, 1.2);  // good
  add_pair(board, 1.2, 1.5);  // bad, predicted better than one good
  add_pair(board, 1.9, 2.0);  // bad
  EXPECT_NEAR(*board.value("good_pair_auc", {1}), 3.0 / 4.0, 1e-12);
}

TEST(GoodPairAuc, CountsTiesAsHalf) {
  Board board;
  add_pair(board, 1.2, 1.0);
  add_pair(board, 1.2, 1.5);
  EXPECT_NEAR(*board.value("good_pair_auc", {1}), 0.5, 1e-12);
  add_pair(board, 1.2, 1.6);
  add_pair(board, 1.4, 1.7);
  EXPECT_NEAR(*board.value("good_pair_auc", {1}), (0.5 + 0.5 + 1.0) / 3.0, 1e-12);
}

TEST(GoodPairAuc, NeedsBothKinds) {
  Board board;
  add_pair(board, 1.2, 1.0);
  EXPECT_FALSE(board.value("good_pair_auc", {1}));
}

TEST(GoodPairAuc, AgreesWithCountingAllCouples) {
  Rng rng{11};
  Board board;
  std::vector<std::pair<double, double>> pairs;
  for (int i = 0; i < 60; ++i) {
    const double predicted = 1.0 + 0.1 * static_cast<double>(rng.below(8));
    const double measured = 1.0 + rng.uniform();
    add_pair(board, predicted, measured);
    pairs.emplace_back(predicted, measured);
  }
  double ordered = 0;
  double couples = 0;
  for (const auto& [good_predicted, good_measured] : pairs) {
    for (const auto& [bad_predicted, bad_measured] : pairs) {
      if (good_measured >= kGoodSlowdown || bad_measured < kGoodSlowdown) continue;
      couples += 1;
      if (good_predicted < bad_predicted) ordered += 1;
      if (good_predicted == bad_predicted) ordered += 0.5;
    }
  }
  EXPECT_NEAR(*board.value("good_pair_auc", {1}), ordered / couples, 1e-12);
}

TEST(GoodPairAuc, RanksByTheChanceWhereAMethodStatesIt) {
  Board board;
  board.pair(0, 1.0, 1.0).guess = {.slowdowns = {exactly(9.0), exactly(9.0)}, .good = 0.9};
  board.pair(0, 1.5, 1.0).guess = {.slowdowns = {exactly(1.0), exactly(1.0)}, .good = 0.2};
  EXPECT_NEAR(*board.value("good_pair_auc", {1}), 1.0, 1e-12);
}

TEST(Metrics, JudgeThePackRuleByOneThreshold) {
  Board board;
  board.pair(0, 1.1, 1.2).packed = true;
  board.pair(0, 1.1, 1.3).packed = true;
  board.pair(0, 1.0, 1.0).packed = false;
  board.pair(0, 2.0, 1.0).packed = false;
  EXPECT_NEAR(*board.value("pack_rule_share", {1}), 50.0, 1e-12);
  EXPECT_NEAR(*board.value("pack_rule_good", {1}), 50.0, 1e-12);
}

TEST(Metrics, TakeSlowdownsOfBothMembers) {
  Board board;
  board.pair(0, 2.0, 1.0).guess.slowdowns = {exactly(1.5), exactly(1.1)};
  EXPECT_NEAR(*board.value("slowdown_mape_percent", {1}), 0.5 * (25.0 + 10.0), 1e-9);
}

TEST(Metrics, TellWhatIsRememberedFromWhatTheLawSays) {
  Board board;
  SharedGuess& guess = board.pair(0, 2.0, 1.0).guess;
  guess.slowdowns = {exactly(1.8), exactly(1.1)};
  EXPECT_FALSE(board.value("slowdown_mape_law_percent", {1}));
  guess.by_law = {1.5, 1.1};
  guess.is_known = {true, false};
  EXPECT_NEAR(*board.value("slowdown_mape_percent", {1}), 0.5 * (10.0 + 10.0), 1e-9);
  EXPECT_NEAR(*board.value("slowdown_mape_law_percent", {1}), 0.5 * (25.0 + 10.0), 1e-9);
  EXPECT_NEAR(*board.value("slowdown_mape_known_percent", {1}), 10.0, 1e-9);
  EXPECT_NEAR(*board.value("slowdown_mape_new_percent", {1}), 10.0, 1e-9);
}

TEST(Metrics, CountTheWorkThatPairsGetDone) {
  Board board;
  board.pair(0, 2.0, 1.25).guess.slowdowns = {exactly(2.0), exactly(2.0)};
  EXPECT_NEAR(*board.value("pair_work_measured", {1}), 0.5 + 0.8, 1e-12);
  EXPECT_NEAR(*board.value("pair_work_expected", {1}), 1.0, 1e-12);
}

TEST(Metrics, AverageTheFiguresOfDraws) {
  // Root mean squares of 0 and of ln(21 / 11): their mean, not that of their squares.
  Board right;
  right.row(0).measured.utilization = 0.5;
  right.guess().utilization = exactly(0.5);
  Board wrong;
  wrong.row(0).measured.utilization = 0.1;
  wrong.guess().utilization = exactly(0.2);
  const std::vector<Scores> draws{right.scores(), wrong.scores()};
  const Statistic statistic = statistic_of(metric_of("rmsle_utilization_percent"), draws);
  EXPECT_NEAR(*statistic(std::vector<double>{1}), 0.5 * std::log(21.0 / 11.0), 1e-12);
}

TEST(Metrics, HaveNamesOfTheirOwnAndSayWhatTheyMean) {
  std::set<std::string_view> keys;
  for (const Metric& metric : metrics()) {
    EXPECT_TRUE(keys.insert(metric.key).second) << metric.key;
    EXPECT_FALSE(metric.summary.empty()) << metric.key;
  }
  for (const std::string_view key :
       {"rmsle_utilization_percent", "mae_utilization_points", "mape_memory_percent",
        "bound_violations", "bound_violations_10pct", "bound_excess_mean_percent", "oom_recall",
        "oom_refused_good", "mape_step_percent", "slowdown_mape_percent", "good_pair_auc",
        "pack_rule_good", "pack_rule_share"}) {
    EXPECT_TRUE(keys.contains(key)) << key;
  }
}

TEST(UsableMemory, IsLessThanTheCatalogueSaysOnlyWhereThatWasMeasured) {
  EXPECT_EQ(usable_memory_mib("A100-40GB"), 40300.0);
  EXPECT_EQ(usable_memory_mib("T4"), 16384.0);
}

}  // namespace
}  // namespace horus::lab
