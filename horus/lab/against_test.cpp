// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/against.hpp"

#include <deque>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace horus::lab {
namespace {

TEST(ReadPredictions, TakesColumnsInAnyOrderAndEmptyCells) {
  const auto read = read_predictions("memory_mib,id,utilization\n100,a,0.5\n,b,\n", "x.csv");
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ(read->at("a").memory_mib, 100.0);
  EXPECT_EQ(read->at("a").utilization, 0.5);
  EXPECT_FALSE(read->at("a").step_s);
  EXPECT_FALSE(read->at("b").utilization);
}

TEST(ReadPredictions, RefusesWhatCannotBeMeant) {
  EXPECT_EQ(read_predictions("utilization\n0.5\n", "x.csv").error().code, Errc::NotFound);
  EXPECT_EQ(read_predictions("id\na\n", "x.csv").error().code, Errc::NotFound);
  const auto percent = read_predictions("id,utilization\na,50\n", "x.csv");
  ASSERT_FALSE(percent);
  EXPECT_EQ(percent.error().where, "x.csv:2");
  const auto twice = read_predictions("id,step_s\na,1\na,2\n", "x.csv");
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().where, "x.csv:3");
}

/// Rows 0 to 39, four a model, all used to 50 %: ours are 5 points off, theirs 10.
struct Contest {
  Contest() {
    for (std::size_t i = 0; i < 40; ++i) {
      Row row;
      row.id = fmt::format("r{}", i);
      row.measured.utilization = 0.5;
      rows.push_back(std::move(row));
      Guess guess;
      guess.utilization = Interval{.expected = 0.55, .low = 0.5, .high = 0.6};
      scores.rows.push_back({.model = i / 4, .row = &rows.back(), .guess = guess});
      OtherPrediction other;
      other.utilization = 0.6;
      theirs.emplace(rows.back().id, other);
    }
  }
  std::deque<Row> rows;
  Scores scores;
  OtherPredictions theirs;
};

const Difference* find(const std::vector<Difference>& all, std::string_view key) {
  for (const Difference& difference : all) {
    if (difference.metric->key == key) return &difference;
  }
  return nullptr;
}

TEST(DifferencesOf, ComparesOnTheRowsThatBothPredict) {
  Contest contest;
  contest.theirs.erase("r0");
  contest.theirs.at("r1").utilization.reset();
  contest.theirs.emplace("nobody", OtherPrediction{});
  const auto differences = differences_of(contest.scores, contest.theirs, 10, {});
  const Difference* error = find(differences, "mae_utilization_points");
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->count, 38U);
  EXPECT_NEAR(error->ours, 5.0, 1e-9);
  EXPECT_NEAR(error->theirs, 10.0, 1e-9);
  ASSERT_TRUE(error->confidence);
  // The same in every model: no draw of models changes it.
  EXPECT_NEAR(error->confidence->low, -5.0, 1e-9);
  EXPECT_NEAR(error->confidence->high, -5.0, 1e-9);
  EXPECT_EQ(find(differences, "mape_step_percent"), nullptr);
}

TEST(DifferencesOf, FindsNothingBetweenEqualPredictions) {
  Contest contest;
  for (auto& [id, other] : contest.theirs) other.utilization = 0.55;
  const auto differences = differences_of(contest.scores, contest.theirs, 10, {});
  const Difference* error = find(differences, "rmsle_utilization_percent");
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->ours, error->theirs);
  EXPECT_EQ(error->confidence->low, 0.0);
}

TEST(DifferencesOf, PairsTheDraws) {
  // Models differ widely in how hard they are, ours beats theirs by 2 points in each: the interval
  // of the difference is narrow although those of both figures are wide.
  Contest contest;
  for (std::size_t i = 0; i < contest.rows.size(); ++i) {
    const double error = 0.04 * static_cast<double>(i / 4);
    contest.scores.rows[i].guess.utilization->expected = 0.5 - error;
    contest.theirs.at(contest.rows[i].id).utilization = 0.5 - error - 0.02;
  }
  const auto differences = differences_of(contest.scores, contest.theirs, 10, {});
  const Difference* error = find(differences, "mae_utilization_points");
  ASSERT_NE(error, nullptr);
  EXPECT_NEAR(error->confidence->low, -2.0, 1e-6);
  EXPECT_NEAR(error->confidence->high, -2.0, 1e-6);
}

}  // namespace
}  // namespace horus::lab
