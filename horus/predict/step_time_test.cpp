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
  EXPECT_EQ(host_seconds(step), 0);
  step.host_ops_forward = 2;
  step.host_ops_backward = 3;
  step.host_ops_update = 4;
  step.host_launches = 5;
  step.library_calls = 6;
  EXPECT_DOUBLE_EQ(host_seconds(step), 2 * kHostForwardSeconds + 3 * kHostBackwardSeconds +
                                           4 * kHostUpdateSeconds + 5 * kHostLaunchSeconds +
                                           6 * kHostLibrarySeconds);
}

TEST(StepTime, LoaderDeliversSamplesAtItsRate) {
  EXPECT_DOUBLE_EQ(loader_seconds(32, 64.0), 0.5);
  EXPECT_EQ(loader_seconds(32, std::nullopt), 0);
  EXPECT_EQ(loader_seconds(32, 0.0), 0);
  EXPECT_EQ(loader_seconds(32, std::nan("")), 0);
  EXPECT_EQ(loader_seconds(32, std::numeric_limits<double>::infinity()), 0);
  EXPECT_TRUE(std::isfinite(loader_seconds(32, std::numeric_limits<double>::denorm_min())));
}

StepParts parts_with(const TrainingSetup& setup, const TimeConstants& constants = {}) {
  Step step;
  step.samples = 64;
  step.input_elements = 1000;
  return parts_of(step, {.busy_s = 0.01, .resident_s = 0.008}, 1e12, setup, constants);
}

TEST(StepParts, LoaderProcessesRunBesideTheStep) {
  TrainingSetup setup{.samples_per_second = 640, .loader_workers = 2};
  setup.input_place = InputPlace::Gpu;
  setup.step_end = StepEnd::Waits;
  const StepParts parts = parts_with(setup);
  EXPECT_DOUBLE_EQ(parts.loader_s, 0.1);
  // Only the loop itself stands between two steps.
  EXPECT_DOUBLE_EQ(parts.serial_s, kHostStepSeconds);
  EXPECT_EQ(parts.host_s, 0);
}

TEST(StepParts, LoadingInTheTrainingProcessAddsToItsStep) {
  TrainingSetup setup{.samples_per_second = 640, .loader_workers = 0};
  setup.input_place = InputPlace::Gpu;
  EXPECT_DOUBLE_EQ(parts_with(setup).host_s, kHostStepSeconds + 0.1);
  setup.step_end = StepEnd::Waits;  // Then the GPU has nothing left to do meanwhile.
  EXPECT_DOUBLE_EQ(parts_with(setup).serial_s, kHostStepSeconds + 0.1);
  EXPECT_EQ(parts_with(setup).host_s, 0);
}

TEST(StepParts, SerialLoaderIsNeverFasterThanOneBesideTheStep) {
  for (const double rate : {10.0, 640.0, 6400.0, 1e6}) {
    TrainingSetup setup{.samples_per_second = rate, .loader_workers = 2};
    const double beside = step_seconds(parts_with(setup));
    setup.loader_workers = 0;
    const double serial = step_seconds(parts_with(setup));
    setup.step_end = StepEnd::Waits;
    EXPECT_GE(serial, beside) << rate;
    EXPECT_GE(step_seconds(parts_with(setup)), serial) << rate;
  }
}

TEST(StepParts, InputsOnTheGpuAreNotCopied) {
  TrainingSetup setup;
  const double copied = parts_with(setup).host_s;
  setup.input_place = InputPlace::Gpu;
  EXPECT_NEAR(copied - parts_with(setup).host_s, 4000 * kCopySecondsPerByte, 1e-12);
}

TEST(StepParts, MeasuredLoaderOfASiteStandsInForAMissingRate) {
  TimeConstants site;
  site.loader_sample_s = 1e-3;
  site.loader_element_s = 1e-5;
  EXPECT_DOUBLE_EQ(parts_with({}, site).loader_s, 64e-3 + 1000e-5);
  EXPECT_DOUBLE_EQ(parts_with({.samples_per_second = 64}, site).loader_s, 1);
  EXPECT_EQ(parts_with({}).loader_s, 0);
}

TEST(StepTime, SlowHostOfASiteTakesItsFactorForOperatorsNotForTheLoop) {
  Step step;
  step.host_ops_forward = 10;
  TimeConstants site;
  site.host_factor = 3;
  EXPECT_DOUBLE_EQ(host_seconds(step, site), 30 * kHostForwardSeconds);
  const StepParts usual = parts_of(step, {}, 1e12, {});
  const StepParts slow = parts_of(step, {}, 1e12, {}, site);
  EXPECT_DOUBLE_EQ(slow.host_s - usual.host_s, 20 * kHostForwardSeconds);
}

TEST(Utilization, GapsBetweenKernelsCountOnlyWhereTheGpuWaits) {
  const StepParts full{.gpu_s = 1, .host_s = 1e-3, .gap_s = 0.5};
  EXPECT_NEAR(utilization(full), 1, 1e-6);
  const StepParts waiting{.gpu_s = 1, .host_s = 100, .gap_s = 0.5};
  EXPECT_NEAR(utilization(waiting), 0.005, 1e-4);
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

TEST(StepTime, EpochsEndBetweenSteps) {
  TimeConstants constants;
  constants.epoch_s = 0.2;
  Step step;
  const double without = parts_of(step, {}, 1e12, {}, constants).serial_s;
  step.epochs = 0.25;  // four steps an epoch
  EXPECT_DOUBLE_EQ(parts_of(step, {}, 1e12, {}, constants).serial_s, without + 0.05);
}

TEST(Utilization, TimeOutsideOfStepsIsIdle) {
  const StepParts parts{.gpu_s = 1, .host_s = 2};
  TimeConstants constants;
  constants.outside_steps = 0.25;
  EXPECT_DOUBLE_EQ(utilization(parts, constants), utilization(parts) / 1.25);
  EXPECT_EQ(step_seconds(parts, constants), step_seconds(parts));
}

TEST(Utilization, CopiesCountAsFarAsMonitorsSeeThem) {
  const StepParts parts{.gpu_s = 0.2, .host_s = 1, .copy_s = 0.1};
  TimeConstants constants;
  constants.copy_share_seen = 0.5;
  const double more = utilization(parts, constants) - utilization(parts);
  EXPECT_NEAR(more, 0.05 / step_seconds(parts), 1e-12);
}

TEST(ShareInUse, IsOfTheWholeTimeAndNeverBeyondTheUtilization) {
  const StepParts parts{.gpu_s = 0.2, .host_s = 1};
  const double step_s = step_seconds(parts);
  const Interval utilization{0.2, 0.1, 0.4};
  const Interval half = share_in_use(0.1, parts, utilization);
  EXPECT_NEAR(half.expected, 0.1 / step_s, 1e-12);
  EXPECT_NEAR(half.high, 2 * half.expected, 1e-12);
  EXPECT_NEAR(half.low, half.expected / 2, 1e-12);
  EXPECT_EQ(share_in_use(5, parts, utilization).expected, 0.2);
  EXPECT_EQ(share_in_use(0.1, parts, {0, 0, 0}).expected, 0);
}

}  // namespace
}  // namespace horus::predict
