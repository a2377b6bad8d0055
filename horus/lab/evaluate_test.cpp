// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/evaluate.hpp"

#include <algorithm>
#include <deque>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace horus::lab {
namespace {

/// Rows of `models` models; model m is predicted m points too high.
struct Judged {
  explicit Judged(std::size_t count) {
    for (std::size_t m = 0; m < count; ++m) models.push_back(fmt::format("model {}", m));
    Scores scores;
    for (std::size_t i = 0; i < 3 * count; ++i) {
      const std::size_t m = i % count;
      Row row;
      row.id = fmt::format("r{}", i);
      row.model = models[m];
      row.family = m < 2 ? "first" : "others";
      row.measured.utilization = 0.4;
      rows.push_back(std::move(row));
      Guess guess;
      const double expected = 0.4 + 0.01 * static_cast<double>(m);
      guess.utilization = Interval{.expected = expected, .low = 0.3, .high = 0.9};
      scores.rows.push_back({.model = m, .row = &rows.back(), .guess = guess});
    }
    draws.push_back(std::move(scores));
  }
  std::vector<std::string> models;
  std::deque<Row> rows;
  std::vector<Scores> draws;
};

const Figure* figure_of(const Judgement& judgement, std::string_view key) {
  for (const Figure& figure : judgement.figures) {
    if (figure.metric->key == key) return &figure;
  }
  return nullptr;
}

TEST(Judge, GivesOnlyFiguresThatHaveSomethingToJudge) {
  const Judged judged{9};
  const Judgement judgement = judge(judged.draws, judged.models);
  EXPECT_EQ(judgement.rows, 27U);
  EXPECT_EQ(judgement.models, 9U);
  EXPECT_EQ(judgement.families, 2U);
  EXPECT_EQ(judgement.pairs, 0U);
  const Figure* error = figure_of(judgement, "mae_utilization_points");
  ASSERT_NE(error, nullptr);
  EXPECT_NEAR(error->value, 4.0, 1e-9);
  EXPECT_EQ(error->count, 27U);
  ASSERT_TRUE(error->confidence);
  EXPECT_LT(error->confidence->low, 4.0);
  EXPECT_GT(error->confidence->high, 4.0);
  EXPECT_EQ(figure_of(judgement, "mape_step_percent"), nullptr);
  EXPECT_EQ(figure_of(judgement, "good_pair_auc"), nullptr);
}

TEST(Judge, NamesTheModelsThatArePredictedWorst) {
  const Judged judged{9};
  const Judgement judgement = judge(judged.draws, judged.models, {.worst_models = 3});
  ASSERT_EQ(judgement.worst.size(), 3U);
  EXPECT_EQ(judgement.worst[0].model, "model 8");
  EXPECT_NEAR(judgement.worst[0].value, 8.0, 1e-9);
  EXPECT_EQ(judgement.worst[0].count, 3U);
  EXPECT_EQ(judgement.worst[2].model, "model 6");
}

TEST(Judge, IsTheSameEveryTime) {
  const Judged judged{9};
  const Judgement first = judge(judged.draws, judged.models);
  const Judgement second = judge(judged.draws, judged.models);
  ASSERT_EQ(first.figures.size(), second.figures.size());
  for (std::size_t i = 0; i < first.figures.size(); ++i) {
    EXPECT_EQ(first.figures[i].value, second.figures[i].value);
    EXPECT_EQ(first.figures[i].confidence->low, second.figures[i].confidence->low);
  }
}

}  // namespace
}  // namespace horus::lab
