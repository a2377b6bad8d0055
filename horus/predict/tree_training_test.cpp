// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/tree_training.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xgboost/c_api.h>

#include "horus/base/rng.hpp"
#include "horus/predict/residual.hpp"

namespace horus::predict {
namespace {

using testing::HasSubstr;

/// Jobs with three inputs in 0 to 1: the label rises with the first, falls with the second, and
/// does not know the third.
TreeData noisy_plane(std::size_t rows) {
  Rng rng{7};
  TreeData data;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::vector<double> row{rng.uniform(), rng.uniform(), rng.uniform()};
    data.labels.push_back(2 * row[0] - row[1] + 0.1 * rng.normal());
    data.inputs.push_back(row);
  }
  return data;
}

double answer(const TrainedTrees& trained, const std::vector<double>& row) {
  const std::vector<float> single(row.begin(), row.end());
  return trained.base + sum_of_trees(trained.trees, single);
}

double root_mean_square_error(const TrainedTrees& trained, const TreeData& data) {
  double sum = 0;
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    const double error = answer(trained, data.inputs[i]) - data.labels[i];
    sum += error * error;
  }
  return std::sqrt(sum / static_cast<double>(data.labels.size()));
}

TEST(TreeTraining, LearnsAPlane) {
  const auto trained = train_trees(noisy_plane(500), {.trees = 200, .depth = 3});
  ASSERT_TRUE(trained);
  EXPECT_EQ(trained->trees.size(), 200U);
  // Labels spread by 0.65; what remains should be little more than the noise of 0.1.
  EXPECT_LT(root_mean_square_error(*trained, noisy_plane(300)), 0.15);
}

TEST(TreeTraining, GivesTheSameTreesTwice) {
  const TreeData data = noisy_plane(200);
  const auto once = train_trees(data, {});
  const auto twice = train_trees(data, {});
  ASSERT_TRUE(once && twice);
  EXPECT_EQ(once->trees, twice->trees);
  EXPECT_EQ(once->base, twice->base);
}

TEST(TreeTraining, GivesOtherTreesForAnotherSeed) {
  const TreeData data = noisy_plane(200);
  const auto once = train_trees(data, {.seed = 1});
  const auto other = train_trees(data, {.seed = 2});
  ASSERT_TRUE(once && other);
  EXPECT_NE(once->trees, other->trees);
}

TEST(TreeTraining, StartsFromTheWeightedMean) {
  TreeData data = noisy_plane(4);
  data.labels = {1, 1, 5, 5};
  data.weights = {3, 3, 1, 1};
  const auto trained = train_trees(data, {.trees = 0});
  ASSERT_TRUE(trained);
  EXPECT_DOUBLE_EQ(trained->base, 2.0);
  EXPECT_TRUE(trained->trees.empty());
}

TEST(TreeTraining, KeepsAnswersMonotoneWhereToldTo) {
  TreeData data = noisy_plane(300);
  const auto trained =
      train_trees(data, {.trees = 100,
                         .depth = 4,
                         .monotone = {Monotone::Rising, Monotone::Falling, Monotone::Free}});
  ASSERT_TRUE(trained);
  for (int line = 0; line < 20; ++line) {
    const double fixed = line / 20.0;
    double rising = -1e9;
    double falling = 1e9;
    for (double x = 0; x <= 1; x += 0.01) {
      const double up = answer(*trained, {x, fixed, fixed});
      const double down = answer(*trained, {fixed, x, fixed});
      EXPECT_GE(up, rising - 1e-6);
      EXPECT_LE(down, falling + 1e-6);
      rising = up;
      falling = down;
    }
  }
}

TEST(TreeTraining, AHistogramOfManyRowsLearnsToo) {
  const auto trained =
      train_trees(noisy_plane(5000), {.trees = 60, .depth = 4, .learning_rate = 0.1});
  ASSERT_TRUE(trained);
  EXPECT_LT(root_mean_square_error(*trained, noisy_plane(300)), 0.2);
}

/// What the library itself answers, trained with the settings of `options`.
std::vector<float> answers_of_library(const TreeData& data, double base,
                                      const std::vector<std::pair<const char*, const char*>>& set,
                                      int trees) {
  std::vector<float> cells;
  for (const auto& row : data.inputs) cells.insert(cells.end(), row.begin(), row.end());
  std::vector<float> labels;
  for (const double label : data.labels) labels.push_back(static_cast<float>(label - base));
  DMatrixHandle matrix = nullptr;
  XGDMatrixCreateFromMat(cells.data(), data.inputs.size(), 3, std::nanf(""), &matrix);
  XGDMatrixSetFloatInfo(matrix, "label", labels.data(), labels.size());
  BoosterHandle booster = nullptr;
  XGBoosterCreate(&matrix, 1, &booster);
  for (const auto& [name, value] : set) XGBoosterSetParam(booster, name, value);
  for (int i = 0; i < trees; ++i) XGBoosterUpdateOneIter(booster, i, matrix);
  bst_ulong count = 0;
  const float* answers = nullptr;
  XGBoosterPredict(booster, matrix, 0, 0, 0, &count, &answers);
  std::vector<float> copy(answers, answers + count);
  XGBoosterFree(booster);
  XGDMatrixFree(matrix);
  return copy;
}

TEST(TreeTraining, CopiedTreesAnswerAsTheLibraryDoes) {
  const TreeData data = noisy_plane(300);
  const TreeOptions options{
      .trees = 80, .depth = 5, .learning_rate = 0.25, .rows_share = 1, .inputs_share = 1};
  const auto trained = train_trees(data, options);
  ASSERT_TRUE(trained);
  const std::vector<float> answers = answers_of_library(data, trained->base,
                                                        {{"base_score", "0"},
                                                         {"nthread", "1"},
                                                         {"tree_method", "exact"},
                                                         {"max_depth", "5"},
                                                         {"eta", "0.25"},
                                                         {"min_child_weight", "4"},
                                                         {"lambda", "3"},
                                                         {"seed", "1"}},
                                                        options.trees);
  ASSERT_EQ(answers.size(), data.inputs.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_NEAR(answer(*trained, data.inputs[i]), trained->base + static_cast<double>(answers[i]),
                1e-5);
  }
}

TEST(TreeTraining, RefusesDataThatAreNotWhole) {
  const auto message = [](const TreeData& data, const TreeOptions& options = {}) {
    const auto trained = train_trees(data, options);
    return trained ? std::string{"accepted"} : trained.error().text();
  };
  EXPECT_THAT(message({}), HasSubstr("no rows"));
  TreeData data = noisy_plane(10);
  data.labels.pop_back();
  EXPECT_THAT(message(data), HasSubstr("10 rows, 9 labels"));
  data = noisy_plane(10);
  data.inputs[3].pop_back();
  EXPECT_THAT(message(data), HasSubstr("different widths"));
  data = noisy_plane(10);
  data.labels[2] = std::nan("");
  EXPECT_THAT(message(data), HasSubstr("label that is not finite"));
  data = noisy_plane(10);
  data.inputs[2][1] = std::numeric_limits<double>::infinity();
  EXPECT_THAT(message(data), HasSubstr("input that is not finite"));
  data = noisy_plane(10);
  data.weights.assign(10, -1);
  EXPECT_THAT(message(data), HasSubstr("weight that is negative"));
  EXPECT_THAT(message(noisy_plane(10), {.monotone = {Monotone::Rising}}),
              HasSubstr("3 inputs and 1 monotone"));
}

TEST(TreeTraining, TellsWhatTheLibraryCannotDo) {
  const auto trained = train_trees(noisy_plane(10), {.depth = -3});
  ASSERT_FALSE(trained);
  EXPECT_EQ(trained.error().code, Errc::Unsupported);
  EXPECT_THAT(trained.error().message, HasSubstr("XGBoost: "));
}

}  // namespace
}  // namespace horus::predict
