// SPDX-License-Identifier: Apache-2.0
// Sharing one GPU: intervals, memory, and how far to believe them.
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/predict/predict.hpp"
#include "horus/predict/sample_features.hpp"

namespace horus::predict {
namespace {

using literals::operator""_GiB;
using literals::operator""_MiB;

Prediction job(double utilization, Bytes bound = Bytes{1}) {
  Prediction p;
  p.gpu_utilization = {utilization, utilization, utilization};
  p.memory = {bound, bound, bound, bound};
  p.origin = Origin::Analytic;
  return p;
}

const GpuSpec& v100() { return sample::gpu("V100-16GB"); }

SharedPrediction shared(const std::vector<Prediction>& jobs,
                        SharingMode mode = SharingMode::TimeSlice) {
  return predict_shared(jobs, v100(), Model{}, {.mode = mode});
}

TEST(SharedSlowdown, OfOneJobIsOneWithCertainty) {
  for (const SharingMode mode :
       {SharingMode::Exclusive, SharingMode::TimeSlice, SharingMode::Mps}) {
    EXPECT_EQ(shared({job(0.9)}, mode).slowdowns.at(0), (Interval{1, 1, 1}));
  }
}

TEST(SharedSlowdown, IntervalsAreOrderedAndWidenBeyondPairs) {
  const auto two = shared({job(0.4), job(0.5)}).slowdowns[0];
  const auto three = shared({job(0.4), job(0.25), job(1.0 / 3)}).slowdowns[0];  // others: 0.5 again
  EXPECT_LE(1, two.low);
  EXPECT_LT(two.low, two.expected);
  EXPECT_LT(two.expected, two.high);
  EXPECT_NEAR(three.expected, two.expected, 1e-12);
  EXPECT_GT(three.high, two.high);
  EXPECT_LT(three.low, two.low);
}

TEST(SharedSlowdown, IsWiderForUncertainUtilization) {
  Prediction vague = job(0.5);
  vague.gpu_utilization = {0.5, 0.1, 0.9};
  const auto sure = shared({job(0.5), job(0.5)});
  const auto unsure = shared({job(0.5), vague});
  EXPECT_LT(unsure.slowdowns[0].low, sure.slowdowns[0].low);
  EXPECT_GT(unsure.slowdowns[0].high, sure.slowdowns[0].high);
}

TEST(SharedSlowdown, SaysHowLikelyItIsTolerated) {
  // 1 + (0.5 x 0.5)^1.5 is expected.
  const std::vector<Prediction> jobs{job(0.5), job(0.5)};
  const auto chance = [&](double tolerance) {
    return predict_shared(jobs, v100(), Model{}, {.tolerance = tolerance}).chance_tolerated;
  };
  ASSERT_TRUE(chance(1.125).has_value());
  EXPECT_NEAR(*chance(1.125), 0.5, 1e-9);
  EXPECT_GT(*chance(1.25), 0.9);
  EXPECT_FALSE(chance(1).has_value());
  EXPECT_FALSE(shared({job(0.9)}).chance_tolerated.has_value());
  EXPECT_FALSE(shared(jobs, SharingMode::Exclusive).chance_tolerated.has_value());
}

TEST(SharedSlowdown, UsesTheActivityOfMultiprocessorsUnderMps) {
  Prediction small = job(0.9);
  small.sm_active = Interval{0.2, 0.2, 0.2};
  EXPECT_LT(shared({small, small}, SharingMode::Mps).slowdowns[0].expected,
            shared({job(0.9), job(0.9)}, SharingMode::Mps).slowdowns[0].expected);
}

TEST(SharedSlowdown, OfACalibratedLawIsAsUncertainAsItsMeasurements) {
  Model model;
  model.constants.sharing.calibrated = {
      {.gpu = "V100-16GB", .law = {1, 1, 1}, .sigma_slowdown = 0.1, .pairs = 99}};
  const auto pair = predict_shared(std::vector{job(0.5), job(0.5)}, v100(), model);
  EXPECT_EQ(pair.calibration, Calibration::Calibrated);
  EXPECT_DOUBLE_EQ(pair.slowdowns[0].expected, 1.25);
  EXPECT_NEAR(pair.slowdowns[0].high, 1.25 * 1.137, 0.001);  // exp(1.2816 x 0.1)
  EXPECT_NEAR(pair.slowdowns[0].low, 1.25 / 1.137, 0.001);
}

TEST(SharedPrediction, SaysWhatNoMeasurementCovers) {
  EXPECT_EQ(shared({job(0.1), job(0.1)}).calibration, Calibration::Uncalibrated);
  EXPECT_FALSE(shared({job(0.1), job(0.1)}).extrapolated);
  EXPECT_TRUE(shared({job(0.1), job(0.1), job(0.1)}).extrapolated);
}

TEST(SharedMemory, IsTheSumOfTheBoundsAndDecidesWhatFits) {
  EXPECT_EQ(shared({job(0.1, 8_GiB), job(0.1, 8_GiB)}).memory.bound, 16_GiB);
  EXPECT_TRUE(shared({job(0.1, 8_GiB), job(0.1, 8_GiB)}).fits);
  EXPECT_FALSE(shared({job(0.1, 8_GiB), job(0.1, 9_GiB)}).fits);
}

TEST(SharedMemory, OfMpsIncludesItsServer) {
  const auto slices = shared({job(0.1, 8_GiB), job(0.1, 8_GiB)});
  const auto service = shared({job(0.1, 8_GiB), job(0.1, 8_GiB)}, SharingMode::Mps);
  EXPECT_EQ(service.memory.bound, slices.memory.bound + 32_MiB);
  EXPECT_FALSE(service.fits);
}

TEST(SharedMemory, OfJobsInTurnIsThatOfTheLargest) {
  const auto turns = shared({job(0.9, 8_GiB), job(0.9, 9_GiB)}, SharingMode::Exclusive);
  EXPECT_EQ(turns.memory.bound, 9_GiB);
  EXPECT_TRUE(turns.fits);
  EXPECT_DOUBLE_EQ(turns.throughput(), 1);
}

TEST(SharedOrigin, IsThatOfTheLeastKnownJobAndAnalyticAtBest) {
  Prediction measured = job(0.5);
  measured.origin = Origin::Measured;
  Prediction unknown = job(0.5);
  unknown.origin = Origin::Unknown;
  EXPECT_EQ(shared({measured, measured}).origin, Origin::Analytic);
  EXPECT_EQ(shared({measured, unknown}).origin, Origin::Unknown);
}

TEST(SharedPredictionDeathTest, LeavesInstancesToThePartition) {
  EXPECT_DEATH((void)shared({job(0.1)}, SharingMode::Mig), "instances");
}

}  // namespace
}  // namespace horus::predict
