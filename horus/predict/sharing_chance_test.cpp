// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/sharing_chance.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "horus/predict/sample_features.hpp"

namespace horus::predict {
namespace {

/// A job that is certainly busy for this share of its time.
DemandRange sure(double busy) { return {{busy, busy, 0}, {busy, busy, 0}}; }

DemandRange up_to(double busy, double high) { return {{busy, busy, 0}, {high, high, 0}}; }

double chance(double limit, const std::vector<DemandRange>& jobs,
              Interference law = Interference::Default) {
  return chance_within(limit, jobs, law_for(sample::gpu("T4"), SharingMode::TimeSlice, law));
}

TEST(ChanceWithin, IsEvenWhereTheLawExpectsTheLimit) {
  // 1 + (0.5 x 0.5)^1.5
  EXPECT_NEAR(chance(1.125, {sure(0.5), sure(0.5)}), 0.5, 1e-9);
}

TEST(ChanceWithin, FollowsTheSpreadOfTheLaw) {
  // One standard deviation of the excess above what is expected.
  const double limit = 1 + 0.125 * std::exp(kSigmaExcess);
  EXPECT_NEAR(chance(limit, {sure(0.5), sure(0.5)}), 0.8413447, 1e-6);
}

TEST(ChanceWithin, IsCertainForAJobAlone) { EXPECT_EQ(chance(1.25, {up_to(0.9, 1)}), 1); }

TEST(ChanceWithin, FallsWithEveryDemandAndRisesWithTheLimit) {
  for (const Interference law :
       {Interference::Default, Interference::Paper, Interference::Conservation}) {
    double last = 1;
    for (double busy = 0; busy <= 1; busy += 0.05) {
      const double now = chance(1.25, {sure(busy), up_to(0.4, 0.6)}, law);
      EXPECT_LE(now, last + 1e-12) << busy;
      EXPECT_LE(now, chance(1.5, {sure(busy), up_to(0.4, 0.6)}, law) + 1e-12) << busy;
      last = now;
    }
  }
}

TEST(ChanceWithin, IsLessForWhatMayBeMoreThanExpected) {
  EXPECT_LT(chance(1.25, {sure(0.4), up_to(0.4, 0.8)}), chance(1.25, {sure(0.4), sure(0.4)}));
}

TEST(ChanceWithin, DoesNotCareForTheOrderOfJobs) {
  EXPECT_DOUBLE_EQ(chance(1.25, {up_to(0.3, 0.5), sure(0.7)}),
                   chance(1.25, {sure(0.7), up_to(0.3, 0.5)}));
}

TEST(ChanceWithin, TrustsLessBeyondPairs) {
  // The third job never runs: the same excess, less surely.
  const double two = chance(1.25, {sure(0.5), sure(0.5)});
  const double three = chance(1.25, {sure(0.5), sure(0.5), sure(0)});
  EXPECT_GT(two, 0.5);
  EXPECT_LT(three, two);
  EXPECT_GT(three, 0.5);
}

}  // namespace
}  // namespace horus::predict
