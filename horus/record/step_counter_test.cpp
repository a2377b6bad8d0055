// SPDX-License-Identifier: Apache-2.0
#include "horus/record/step_counter.hpp"

#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace horus::record {
namespace {

using ::testing::ElementsAre;

std::vector<std::int64_t> counts(const std::vector<std::optional<std::int64_t>>& numbers) {
  StepCounter counter;
  std::vector<std::int64_t> steps;
  for (const auto& number : numbers) steps.push_back(counter.count({.number = number}).steps);
  return steps;
}

TEST(StepCounter, TakesAMarkForAStepButTheFirst) {
  EXPECT_THAT(counts({{}, {}, {}}), ElementsAre(0, 1, 1));
}

TEST(StepCounter, TakesTheGrowthOfNumbers) {
  EXPECT_THAT(counts({100, 200, 250}), ElementsAre(0, 100, 50));
}

TEST(StepCounter, TakesASmallerNumberForANewEpoch) {
  EXPECT_THAT(counts({90, 100, 10, 20, 20}), ElementsAre(0, 10, 0, 10, 0));
}

TEST(StepCounter, SurvivesTheLargestNumbers) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(counts({0, kMost, 0, kMost}), ElementsAre(0, kMost, 0, kMost));
}

}  // namespace
}  // namespace horus::record
