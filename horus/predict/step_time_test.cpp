// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/step_time.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "horus/predict/constants.hpp"

namespace horus::predict {
namespace {

constexpr StepSpread kSpread{0.3, 0.5, 0.2};

TEST(StepTime, OneDominantPartIsTheStep) {
  EXPECT_NEAR(step_seconds({1.0, 0.1, 0.0}), 1.0, 1e-4);
  EXPECT_DOUBLE_EQ(step_seconds({0, 0.5, 0}), 0.5);
}

TEST(StepTime, TwoEqualPartsCostNineteenPercent) {
  EXPECT_NEAR(step_seconds({1, 1, 0}), std::pow(2.0, 0.25), 1e-12);
}

TEST(StepTime, HugeAndTinyPartsStayFinite) {
  EXPECT_TRUE(std::isfinite(step_seconds({1e30, 1e-30, 1e12})));
  EXPECT_EQ(step_seconds({0, 0, 0}), 0);
}

TEST(StepTime, HostDispatchesOperatorsOfAllPasses) {
  Step step;
  EXPECT_DOUBLE_EQ(host_seconds(step), kHostStepSeconds);
  step.host_ops_forward = 2;
  step.host_ops_backward = 3;
  step.host_ops_update = 4;
  EXPECT_DOUBLE_EQ(host_seconds(step), kHostStepSeconds + 2 * kHostForwardSeconds +
                                           3 * kHostBackwardSeconds + 4 * kHostUpdateSeconds);
}

TEST(StepTime, LoaderDeliversSamplesAtItsRate) {
  EXPECT_DOUBLE_EQ(loader_seconds(32, 64.0), 0.5);
  EXPECT_EQ(loader_seconds(32, std::nullopt), 0);
  EXPECT_EQ(loader_seconds(32, 0.0), 0);
  EXPECT_EQ(loader_seconds(32, std::nan("")), 0);
  EXPECT_EQ(loader_seconds(32, std::numeric_limits<double>::infinity()), 0);
  EXPECT_TRUE(std::isfinite(loader_seconds(32, std::numeric_limits<double>::denorm_min())));
}

TEST(Utilization, FallsWhereTheLoaderIsTheBottleneck) {
  const Interval bound = utilization_interval({0.01, 0.01, 1.0}, kSpread);
  EXPECT_NEAR(bound.expected, 0.01, 1e-4);
  EXPECT_LT(bound.high, 0.05);
}

TEST(Utilization, IntervalIsOrderedWithinZeroAndOne) {
  for (const StepParts& parts :
       {StepParts{1, 0, 0}, StepParts{0.1, 0.1, 0.1}, StepParts{1e-6, 1, 0}, StepParts{5, 1, 2}}) {
    const Interval u = utilization_interval(parts, kSpread);
    EXPECT_LE(0, u.low);
    EXPECT_LE(u.low, u.expected);
    EXPECT_LE(u.expected, u.high);
    EXPECT_LE(u.high, 1);
  }
}

TEST(StepInterval, CoversEightyPercentOfALogNormal) {
  const Interval step = step_interval({1, 0, 0}, kSpread);
  EXPECT_NEAR(std::log(step.high / step.expected), 1.2816 * 0.3, 1e-9);
  EXPECT_NEAR(std::log(step.expected / step.low), 1.2816 * 0.3, 1e-9);
}

}  // namespace
}  // namespace horus::predict
