// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/residual.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace horus::predict {
namespace {

using testing::HasSubstr;

/// x0 < 0.5 ? -0.1 : (x1 < 2 ? 0.2 : 5)
Tree forked() {
  return {{0, 0.5F, 1, 2}, {-1, -0.1F, 0, 0}, {1, 2.0F, 3, 4}, {-1, 0.2F, 0, 0}, {-1, 5.0F, 0, 0}};
}

ResidualTable table() {
  return {.target = "utilization",
          .inputs = {{"a", "s"}, {"b", "s"}},
          .base = 0.01,
          .trees = {forked()},
          .limit = 0.7,
          .scales = {1, 0},
          .known = {{0, 0}, {10, 0}},
          .near = 1,
          .far = 3,
          .evidence = {}};
}

std::string refusal(ResidualTable bad) {
  const auto residual = Residual::make(std::move(bad));
  return residual ? "accepted" : residual.error().text();
}

double correction(const ResidualTable& of, std::vector<double> inputs) {
  const auto residual = Residual::make(of);
  return residual ? residual->correction(inputs) : std::nan("");
}

TEST(Residual, AddsTheLeavesThatInputsLeadTo) {
  EXPECT_NEAR(correction(table(), {0, 0}), 0.01 - 0.1, 1e-7);
  EXPECT_NEAR(correction(table(), {0.5, 1}), 0.01 + 0.2, 1e-7);
}

TEST(Residual, IsClippedAtItsLimit) { EXPECT_DOUBLE_EQ(correction(table(), {0.5, 3}), 0.7); }

TEST(Residual, ShrinksWithTheDistanceToWhatIsKnown) {
  EXPECT_NEAR(correction(table(), {1, 0}), 0.21, 1e-7);
  EXPECT_NEAR(correction(table(), {2, 0}), 0.21 / 2, 1e-7);
  EXPECT_EQ(correction(table(), {3, 0}), 0);
  EXPECT_EQ(correction(table(), {5, 0}), 0);
  EXPECT_NEAR(correction(table(), {9.5, 0}), 0.21, 1e-7);
}

TEST(Residual, DoesNotCountInputsWithoutScale) {
  EXPECT_NEAR(correction(table(), {0, 1e6}), 0.01 - 0.1, 1e-7);
}

TEST(Residual, IsSilentWithoutAnythingKnown) {
  ResidualTable unknown = table();
  unknown.known.clear();
  EXPECT_EQ(correction(unknown, {0, 0}), 0);
}

TEST(Residual, IsSilentForInputsThatAreNoNumbers) {
  EXPECT_EQ(correction(table(), {std::nan(""), 0}), 0);
  EXPECT_EQ(correction(table(), {0, std::numeric_limits<double>::infinity()}), 0);
  EXPECT_EQ(correction(table(), {0, 1e300}), 0);
}

TEST(Residual, ComparesInSinglePrecisionAsTrainingDid) {
  // 0.5 less one double's worth of dust is 0.5F.
  EXPECT_NEAR(correction(table(), {0.5 - 1e-12, 1}), 0.21, 1e-7);
}

TEST(Residual, ItsNoveltyIsARootMeanSquareOfScaledDistances) {
  const std::vector<std::vector<double>> known{{0, 0, 0}, {100, 100, 100}};
  EXPECT_DOUBLE_EQ(novelty(std::vector<double>{6, 5, 8}, known, std::vector<double>{2, 0, 2}),
                   std::sqrt((9.0 + 16.0) / 2));
}

TEST(Residual, RefusesTreesThatLeadNowhere) {
  ResidualTable bad = table();
  bad.trees[0][0].above = 5;
  EXPECT_THAT(refusal(bad), HasSubstr("trees[0].node[0]: leads to nodes 1 and 5"));
  bad = table();
  bad.trees[0][2].below = 0;  // a circle
  EXPECT_THAT(refusal(bad), HasSubstr("trees[0].node[2]: leads to nodes 0 and 4"));
  bad = table();
  bad.trees[0][2].below = -7;
  EXPECT_THAT(refusal(bad), HasSubstr("leads to nodes -7 and 4"));
  bad = table();
  bad.trees[0][0].input = 2;
  EXPECT_THAT(refusal(bad), HasSubstr("reads input 2 of 2"));
  bad = table();
  bad.trees[0][1].value = std::numeric_limits<float>::infinity();
  EXPECT_THAT(refusal(bad), HasSubstr("not finite"));
  bad = table();
  bad.trees.emplace_back();
  EXPECT_THAT(refusal(bad), HasSubstr("trees[1].node[0]: has no nodes"));
}

TEST(Residual, RefusesWhatDoesNotFitTogether) {
  ResidualTable bad = table();
  bad.target = "memory";
  EXPECT_THAT(refusal(bad), HasSubstr("target: found 'memory'"));
  bad = table();
  bad.limit = 0.71;
  EXPECT_THAT(refusal(bad), HasSubstr("limit: found 0.71"));
  bad.target = "step_time";
  bad.limit = 0.25;  // e^0.25 is more than a quarter
  EXPECT_THAT(refusal(bad), HasSubstr("at most 0.2231"));
  bad = table();
  bad.scales.pop_back();
  EXPECT_THAT(refusal(bad), HasSubstr("scales: found 1 numbers"));
  bad = table();
  bad.known[1].push_back(0);
  EXPECT_THAT(refusal(bad), HasSubstr("known[1]: found 3 numbers"));
  bad = table();
  bad.far = 0.5;
  EXPECT_THAT(refusal(bad), HasSubstr("far: found 0.5"));
}

TEST(Residual, WhatIsInUseFollowsTheUtilization) {
  const Interval used = followed({0.2, 0.1, 0.3}, {0.4, 0.2, 0.6}, {0.6, 0.4, 0.8});
  EXPECT_DOUBLE_EQ(used.expected, 0.3);
  EXPECT_DOUBLE_EQ(used.low, 0.2);
  EXPECT_DOUBLE_EQ(used.high, 0.4);
  EXPECT_EQ(followed({0, 0, 0}, {0, 0, 0.1}, {0, 0, 0.2}).expected, 0);
}

}  // namespace
}  // namespace horus::predict
