// SPDX-License-Identifier: Apache-2.0
// Sharing one GPU: laws that any sensible prediction of slowdowns obeys.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "horus/predict/predict.hpp"
#include "horus/predict/sample_features.hpp"

namespace horus::predict {
namespace {

using literals::operator""_GiB;

Prediction job(double utilization, double bandwidth = 0, Bytes bound = Bytes{1}) {
  Prediction p;
  p.gpu_utilization = {utilization, utilization, utilization};
  p.memory_bandwidth_utilization = {bandwidth, bandwidth, bandwidth};
  p.memory = {bound, bound, bound, bound};
  p.origin = Origin::Analytic;
  return p;
}

std::vector<double> expected(const std::vector<Prediction>& jobs, std::string_view gpu) {
  std::vector<double> out;
  for (const Interval& s : predict_shared(jobs, sample::gpu(gpu)).slowdowns) {
    out.push_back(s.expected);
  }
  return out;
}

TEST(Interference, OneJobAloneIsNotSlowed) {
  for (const char* gpu : {"K80", "V100-16GB", "H200"}) {
    const auto shared = predict_shared(std::vector{job(0.9, 0.8)}, sample::gpu(gpu));
    EXPECT_EQ(shared.slowdowns.at(0), (Interval{1, 1, 1})) << gpu;
  }
}

TEST(Interference, TwoJobsThatFillTheGpuRunAtHalfSpeed) {
  for (const char* gpu : {"K80", "P100-16GB", "V100-16GB", "A100-40GB"}) {
    EXPECT_EQ(expected({job(1), job(1)}, gpu), (std::vector{2.0, 2.0})) << gpu;
  }
}

TEST(Interference, ThreeJobsThatFillTheGpuCannotSpendItTwice) {
  for (const char* gpu : {"K80", "V100-16GB"}) {
    for (const double s : expected({job(1), job(1), job(1)}, gpu)) {
      EXPECT_NEAR(s, 3, 1e-9) << gpu;
    }
  }
}

TEST(Interference, IdleNeighbourCostsNothing) {
  EXPECT_EQ(expected({job(0.7), job(0)}, "V100-16GB").front(), 1);
  EXPECT_EQ(expected({job(0.7), job(0)}, "P100-16GB").front(), 1);
}

TEST(Interference, OverlapFollowsTheSharingLaw) {
  // 1 + 0.36^1.5 x 0.5
  EXPECT_NEAR(expected({job(0.36), job(0.5)}, "V100-16GB").front(), 1.108, 1e-12);
}

TEST(Interference, BeforeVoltaGapsHideNothing) {
  EXPECT_NEAR(expected({job(0.2), job(0.5)}, "P100-16GB").front(), 1.5, 1e-12);
}

TEST(Interference, GrowsWithOwnAndOthersUtilization) {
  for (const char* gpu : {"K80", "A100-40GB"}) {
    double last = 0;
    for (double u = 0; u <= 1; u += 0.05) {
      const double now = expected({job(0.6), job(u)}, gpu).front();
      EXPECT_GE(now, last) << gpu << u;
      last = now;
    }
    last = 0;
    for (double u = 0; u <= 1; u += 0.05) {
      const double now = expected({job(u), job(0.6)}, gpu).front();
      EXPECT_GE(now, last) << gpu << u;
      last = now;
    }
  }
}

TEST(Interference, AnotherJobNeverSpeedsUpTheRest) {
  const auto two = expected({job(0.5, 0.4), job(0.3, 0.3)}, "V100-16GB");
  const auto three = expected({job(0.5, 0.4), job(0.3, 0.3), job(0.4, 0.2)}, "V100-16GB");
  EXPECT_GE(three[0], two[0]);
  EXPECT_GE(three[1], two[1]);
}

TEST(Interference, BandwidthCannotBeSpentTwice) {
  // Two jobs that need 0.9 of the bandwidth each get half of it each.
  EXPECT_DOUBLE_EQ(expected({job(0.5, 0.9), job(0.5, 0.9)}, "V100-16GB").front(), 1.8);
  EXPECT_LT(expected({job(0.5, 0.4), job(0.5, 0.4)}, "V100-16GB").front(), 1.3);
}

TEST(Interference, IntervalsAreOrderedAndWidenBeyondPairs) {
  const std::vector<Prediction> pair{job(0.4), job(0.5)};
  const std::vector<Prediction> trio{job(0.4), job(0.25), job(1.0 / 3)};  // others: 0.5 again
  const auto two = predict_shared(pair, sample::gpu("V100-16GB")).slowdowns[0];
  const auto three = predict_shared(trio, sample::gpu("V100-16GB")).slowdowns[0];
  EXPECT_LE(1, two.low);
  EXPECT_LT(two.low, two.expected);
  EXPECT_LT(two.expected, two.high);
  EXPECT_NEAR(three.expected, two.expected, 1e-12);
  EXPECT_GT(three.high, two.high);
  EXPECT_LT(three.low, two.low);
}

TEST(Interference, UncertainUtilizationWidensTheSlowdown) {
  Prediction vague = job(0.5);
  vague.gpu_utilization = {0.5, 0.1, 0.9};
  const auto sure = predict_shared(std::vector{job(0.5), job(0.5)}, sample::gpu("V100-16GB"));
  const auto unsure = predict_shared(std::vector{job(0.5), vague}, sample::gpu("V100-16GB"));
  EXPECT_LT(unsure.slowdowns[0].low, sure.slowdowns[0].low);
  EXPECT_GT(unsure.slowdowns[0].high, sure.slowdowns[0].high);
}

TEST(Interference, CrowdsStayFinite) {
  const std::vector<Prediction> crowd(2000, job(1, 1));
  for (const Interval& s : predict_shared(crowd, sample::gpu("V100-16GB")).slowdowns) {
    EXPECT_TRUE(std::isfinite(s.high));
    EXPECT_NEAR(s.expected, 2000, 1e-6);
  }
}

TEST(SharedMemory, IsTheSumOfTheBoundsAndDecidesWhatFits) {
  const auto fits =
      predict_shared(std::vector{job(0.1, 0, 8_GiB), job(0.1, 0, 8_GiB)}, sample::gpu("V100-16GB"));
  EXPECT_EQ(fits.memory.bound, 16_GiB);
  EXPECT_TRUE(fits.fits);
  const auto over =
      predict_shared(std::vector{job(0.1, 0, 8_GiB), job(0.1, 0, 9_GiB)}, sample::gpu("V100-16GB"));
  EXPECT_FALSE(over.fits);
}

TEST(SharedOrigin, IsThatOfTheLeastKnownJobAndAnalyticAtBest) {
  Prediction measured = job(0.5);
  measured.origin = Origin::Measured;
  Prediction unknown = job(0.5);
  unknown.origin = Origin::Unknown;
  const GpuSpec& gpu = sample::gpu("V100-16GB");
  EXPECT_EQ(predict_shared(std::vector{measured, measured}, gpu).origin, Origin::Analytic);
  EXPECT_EQ(predict_shared(std::vector{measured, unknown}, gpu).origin, Origin::Unknown);
}

}  // namespace
}  // namespace horus::predict
