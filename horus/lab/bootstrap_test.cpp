// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/bootstrap.hpp"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "horus/base/rng.hpp"

namespace horus::lab {
namespace {

/// The weighted mean of one value per model.
Statistic mean_of(std::vector<double> values) {
  return [values = std::move(values)](std::span<const double> weights) -> std::optional<double> {
    double sum = 0;
    double weight = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      sum += weights[i] * values[i];
      weight += weights[i];
    }
    return weight > 0 ? std::optional{sum / weight} : std::nullopt;
  };
}

TEST(Bootstrap, SpreadsAMeanByItsStandardError) {
  // 400 models of a standard normal quantity: the mean's standard error is about 1 / 20.
  Rng rng{3};
  std::vector<double> values(400);
  for (double& value : values) value = rng.normal();
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / 400.0;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double error = std::sqrt(squares) / 400.0;
  const std::vector<Statistic> statistics{mean_of(values)};
  const auto interval = bootstrap(statistics, values.size(), {.resamples = 2000, .seed = 5});
  ASSERT_TRUE(interval[0]);
  EXPECT_NEAR(interval[0]->low, mean - 1.96 * error, 0.15 * error);
  EXPECT_NEAR(interval[0]->high, mean + 1.96 * error, 0.15 * error);
}

TEST(Bootstrap, DrawsAsManyModelsAsThereAreEachTime) {
  const std::vector<Statistic> statistics{
      [](std::span<const double> weights) -> std::optional<double> {
        return std::accumulate(weights.begin(), weights.end(), 0.0);
      }};
  const auto interval = bootstrap(statistics, 7);
  ASSERT_TRUE(interval[0]);
  EXPECT_EQ(interval[0]->low, 7.0);
  EXPECT_EQ(interval[0]->high, 7.0);
}

TEST(Bootstrap, DependsOnTheSeedAlone) {
  const std::vector<Statistic> statistics{mean_of({1, 2, 3, 5, 8}), mean_of({1, 1, 2, 3, 5})};
  const auto first = bootstrap(statistics, 5, {.resamples = 200, .seed = 1});
  const auto again = bootstrap(statistics, 5, {.resamples = 200, .seed = 1});
  const auto alone = bootstrap(std::span{statistics}.last(1), 5, {.resamples = 200, .seed = 1});
  const auto other = bootstrap(statistics, 5, {.resamples = 200, .seed = 2});
  ASSERT_TRUE(first[0] && first[1] && again[0] && alone[0] && other[0]);
  EXPECT_EQ(first[0]->low, again[0]->low);
  EXPECT_EQ(first[0]->high, again[0]->high);
  EXPECT_EQ(first[1]->low, alone[0]->low);
  EXPECT_NE(first[0]->low + first[0]->high, other[0]->low + other[0]->high);
}

TEST(Bootstrap, SaysNothingOfOneModelOrOfWhatIsMostlyUndefined) {
  const std::vector<Statistic> always{mean_of({1.0})};
  EXPECT_FALSE(bootstrap(always, 1)[0]);
  // Defined only where the first of two models is drawn twice: a quarter of the draws.
  const std::vector<Statistic> rarely{[](std::span<const double> weights) {
    return weights[0] == 2.0 ? std::optional{1.0} : std::nullopt;
  }};
  EXPECT_FALSE(bootstrap(rarely, 2)[0]);
}

}  // namespace
}  // namespace horus::lab
