// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/sharing_choice.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace horus::predict {
namespace {

using testing::HasSubstr;

SharedPrediction pair_in(SharingMode mode, double slowdown) {
  SharedPrediction shared;
  shared.mode = mode;
  shared.slowdowns.assign(2, Interval{slowdown, 1, 2 * slowdown});
  shared.fits = true;
  shared.origin = Origin::Analytic;
  return shared;
}

SharedPrediction impossible(SharingMode mode, const char* why) {
  SharedPrediction shared;
  shared.mode = mode;
  shared.obstacle = why;
  return shared;
}

TEST(Recommend, TakesTheModeThatDoesMostWork) {
  const auto best =
      recommend(std::vector{pair_in(SharingMode::Exclusive, 1),
                            pair_in(SharingMode::TimeSlice, 1.2), pair_in(SharingMode::Mps, 1.1)},
                1.25);
  EXPECT_EQ(best.mode, SharingMode::Mps);
  EXPECT_THAT(best.reason, HasSubstr("1.10x"));
  EXPECT_THAT(best.reason, HasSubstr("1.82 jobs"));
  EXPECT_THAT(best.reason, HasSubstr("not calibrated"));
}

TEST(Recommend, SaysHowLikelyTheToleranceIsKept) {
  SharedPrediction slices = pair_in(SharingMode::TimeSlice, 1.1);
  EXPECT_THAT(recommend(std::vector{slices}, 1.25).reason, testing::Not(HasSubstr("likely")));
  slices.chance_tolerated = 0.934;
  EXPECT_THAT(recommend(std::vector{slices}, 1.25).reason,
              HasSubstr("93 % likely that none is slowed beyond 1.25x"));
}

TEST(Recommend, DoesNotAskForADaemonForAFewPercent) {
  const auto best = recommend(
      std::vector{pair_in(SharingMode::TimeSlice, 1.14), pair_in(SharingMode::Mps, 1.12)}, 1.25);
  EXPECT_EQ(best.mode, SharingMode::TimeSlice);
}

TEST(Recommend, LeavesJobsAloneWhereSharingHurtsAndSaysWhatItWouldHaveCost) {
  const auto best = recommend(std::vector{pair_in(SharingMode::TimeSlice, 1.9),
                                          impossible(SharingMode::Mig, "T4 cannot be partitioned")},
                              1.25);
  EXPECT_EQ(best.mode, SharingMode::Exclusive);
  EXPECT_THAT(best.reason, HasSubstr("timeslice: slows a job 1.90x"));
  EXPECT_THAT(best.reason, HasSubstr("mig: T4 cannot be partitioned"));
}

TEST(Recommend, NeverPacksWhatMayNotFit) {
  SharedPrediction tight = pair_in(SharingMode::TimeSlice, 1.01);
  tight.fits = false;
  const auto best = recommend(std::vector{tight}, 1.25);
  EXPECT_EQ(best.mode, SharingMode::Exclusive);
  EXPECT_THAT(best.reason, HasSubstr("may not fit"));
}

TEST(Recommend, FollowsTheToleranceThatIsAsked) {
  const std::vector modes{pair_in(SharingMode::TimeSlice, 1.6)};
  EXPECT_EQ(recommend(modes, 1.25).mode, SharingMode::Exclusive);
  EXPECT_EQ(recommend(modes, 1.75).mode, SharingMode::TimeSlice);
}

TEST(Recommend, GivesOneJobTheSmallestInstance) {
  SharedPrediction small = pair_in(SharingMode::Mig, 1.2);
  small.slowdowns.resize(1);
  small.instances = {"2g.10gb"};
  const auto best = recommend(std::vector{small}, 1.25);
  EXPECT_EQ(best.mode, SharingMode::Mig);
  EXPECT_THAT(best.reason, HasSubstr("2g.10gb is the smallest instance"));
  SharedPrediction alone = pair_in(SharingMode::TimeSlice, 1);
  alone.slowdowns.resize(1);
  EXPECT_EQ(recommend(std::vector{alone}, 1.25).mode, SharingMode::Exclusive);
}

TEST(Recommend, SaysThatNothingIsKnown) {
  SharedPrediction blind = pair_in(SharingMode::TimeSlice, 1.1);
  blind.origin = Origin::Unknown;
  EXPECT_THAT(recommend(std::vector{blind}, 1.25).reason, HasSubstr("nothing is known"));
}

}  // namespace
}  // namespace horus::predict
