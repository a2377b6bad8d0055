// SPDX-License-Identifier: Apache-2.0
#include "horus/record/measurement.hpp"

#include <gtest/gtest.h>

namespace horus::record {
namespace {

using namespace literals;

constexpr TimePoint at(double seconds) {
  return TimePoint{Duration{static_cast<std::int64_t>(seconds * 1e6)}};
}

constexpr Duration kNoWarmup{0};

GpuSample busy(unsigned percent) {
  return {.util_percent = percent, .process_memory = 100_MiB, .job_is_there = true, .strangers = 0};
}

GpuSample idle() { return {.util_percent = 0, .job_is_there = false, .strangers = 0}; }

TEST(Measurement, HasNothingOfNothing) {
  const Summary summary = Measurement{1, kNoWarmup}.summary();
  EXPECT_FALSE(summary.steps);
  const GpuSummary& gpu = summary.gpus.at(0);
  EXPECT_FALSE(gpu.util_mean || gpu.mem_peak || gpu.power_w || gpu.energy_j || gpu.strangers);
  EXPECT_EQ(gpu.samples, 0);
}

TEST(Measurement, CountsFromTheFirstUseAndTheWarmup) {
  Measurement measurement{1, from_seconds(2)};
  measurement.sample(at(0), 0, idle());
  measurement.sample(at(10), 0, busy(1));    // loading
  measurement.sample(at(11.9), 0, busy(2));  // still warming up
  measurement.sample(at(12), 0, busy(80));
  measurement.sample(at(13), 0, busy(90));
  const Summary summary = measurement.summary();
  EXPECT_EQ(summary.window, Window::GpuUse);
  EXPECT_EQ(summary.dropped, from_seconds(12));
  EXPECT_DOUBLE_EQ(summary.gpus[0].util_mean.value(), 85.0);
  EXPECT_DOUBLE_EQ(summary.gpus[0].util_p50.value(), 80.0);
  EXPECT_DOUBLE_EQ(summary.gpus[0].util_p95.value(), 90.0);
  EXPECT_EQ(summary.gpus[0].samples, 2);
}

TEST(Measurement, CountsFromTheStartWhereNobodyNamesProcesses) {
  Measurement measurement{1, from_seconds(1)};
  measurement.sample(at(0.5), 0, {.util_percent = 10});
  measurement.sample(at(1.5), 0, {.util_percent = 50});
  const Summary summary = measurement.summary();
  EXPECT_EQ(summary.window, Window::Run);
  EXPECT_EQ(summary.dropped, from_seconds(1));
  EXPECT_DOUBLE_EQ(summary.gpus[0].util_mean.value(), 50.0);
}

TEST(Measurement, GivesNoMeanOfARunWithinTheWarmup) {
  Measurement measurement{1, from_seconds(60)};
  measurement.sample(at(1), 0, busy(50));
  const Summary summary = measurement.summary();
  EXPECT_FALSE(summary.gpus[0].util_mean);
  EXPECT_EQ(summary.gpus[0].samples, 0);
  EXPECT_EQ(summary.gpus[0].mem_peak, 100_MiB) << "the peak is that of the whole run";
}

TEST(Measurement, CountsBetweenStepsOnly) {
  Measurement measurement{1, kNoWarmup};
  measurement.sample(at(0.5), 0, busy(5));  // before the first mark
  measurement.steps(at(1.0), 0);
  measurement.sample(at(1.5), 0, busy(80));
  measurement.steps(at(2.0), 1);
  measurement.sample(at(2.5), 0, busy(20));  // an evaluation
  measurement.steps(at(9.0), 0);
  measurement.sample(at(9.5), 0, busy(90));
  measurement.steps(at(10.0), 1);
  measurement.sample(at(11.0), 0, busy(7));  // behind the last step
  const Summary summary = measurement.summary();
  EXPECT_EQ(summary.window, Window::Steps);
  EXPECT_EQ(summary.dropped, from_seconds(1));
  EXPECT_DOUBLE_EQ(summary.gpus[0].util_mean.value(), 85.0);
  ASSERT_TRUE(summary.steps);
  EXPECT_EQ(summary.steps->steps, 2);
  EXPECT_DOUBLE_EQ(summary.steps->mean_ms, 1000.0);
}

TEST(Measurement, DropsTheStepsOfTheWarmup) {
  Measurement measurement{0, from_seconds(1)};
  measurement.steps(at(1.0), 0);
  measurement.steps(at(1.9), 1);  // slow: the first kernels are being chosen
  measurement.steps(at(2.1), 1);  // the first mark behind the warm-up
  measurement.steps(at(2.2), 1);
  measurement.steps(at(2.4), 2);
  const Summary summary = measurement.summary();
  ASSERT_TRUE(summary.steps);
  EXPECT_EQ(summary.steps->steps, 3);
  EXPECT_EQ(summary.steps_seen, 5);
  EXPECT_NEAR(summary.steps->mean_ms, 100.0, 1e-9);
  EXPECT_NEAR(summary.steps->p95_ms, 100.0, 1e-9);
}

TEST(Measurement, HasNoStepTimeWhereAllStepsAreWarmup) {
  Measurement measurement{0, from_seconds(60)};
  measurement.steps(at(1), 0);
  measurement.steps(at(2), 1);
  EXPECT_FALSE(measurement.summary().steps);
  EXPECT_EQ(measurement.summary().steps_seen, 1);
}

TEST(Measurement, WeighsStepsAndNotMarksInTheMean) {
  Measurement measurement{0, kNoWarmup};
  measurement.steps(at(0), 0);
  measurement.steps(at(1), 1);
  measurement.steps(at(10), 99);
  const Summary summary = measurement.summary();
  ASSERT_TRUE(summary.steps);
  EXPECT_DOUBLE_EQ(summary.steps->mean_ms, 100.0);
  EXPECT_DOUBLE_EQ(summary.steps->p95_ms, 1000.0);
}

TEST(Measurement, TakesTheDevicesUtilizationOfAJobAlone) {
  Measurement measurement{1, kNoWarmup};
  GpuSample sample = busy(90);
  sample.process_util_percent = 70;
  measurement.sample(at(0), 0, sample);
  const GpuSummary gpu = measurement.summary().gpus[0];
  EXPECT_EQ(gpu.util_scope, Scope::Device);
  EXPECT_DOUBLE_EQ(gpu.util_mean.value(), 90.0);
  EXPECT_DOUBLE_EQ(gpu.process_util_mean.value(), 70.0);
}

TEST(Measurement, TakesTheProcessesUtilizationWhereOthersAreOnTheGpu) {
  Measurement measurement{1, kNoWarmup};
  GpuSample sample = busy(90);
  sample.process_util_percent = 40;
  sample.strangers = 2;
  measurement.sample(at(0), 0, sample);
  measurement.sample(at(1), 0, busy(90));
  const GpuSummary gpu = measurement.summary().gpus[0];
  EXPECT_EQ(gpu.strangers, 2) << "the most at any time";
  EXPECT_EQ(gpu.util_scope, Scope::Process);
  EXPECT_DOUBLE_EQ(gpu.util_mean.value(), 40.0);
  EXPECT_DOUBLE_EQ(gpu.device_util_mean.value(), 90.0);
}

TEST(Measurement, TakesMemoryOfTheDeviceOnlyWhereNobodyElseIsThere) {
  for (const std::int64_t strangers : {0, 1}) {
    Measurement measurement{1, kNoWarmup};
    measurement.baseline(0, {.device_memory = 300_MiB, .strangers = strangers});
    measurement.sample(at(0), 0, {.device_memory = 2300_MiB});
    measurement.sample(at(1), 0, {.device_memory = 1300_MiB});
    const GpuSummary gpu = measurement.summary().gpus[0];
    if (strangers == 0) {
      EXPECT_EQ(gpu.mem_peak, 2000_MiB);
      EXPECT_EQ(gpu.mem_scope, Scope::Device);
    } else {
      EXPECT_FALSE(gpu.mem_peak) << "others may have taken it";
    }
  }
}

TEST(Measurement, DoesNotCallAJobAloneWhereNobodyKnows) {
  Measurement measurement{1, kNoWarmup};
  measurement.baseline(0, {.strangers = 0});
  measurement.sample(at(0), 0, {.util_percent = 50, .may_have_strangers = true});
  EXPECT_FALSE(measurement.summary().gpus[0].strangers);
  measurement.sample(at(1), 0, {.strangers = 2, .may_have_strangers = true});
  EXPECT_EQ(measurement.summary().gpus[0].strangers, 2) << "these are known";
}

TEST(Measurement, GivesNoMemoryWhereNoneWasTaken) {
  Measurement measurement{1, kNoWarmup};
  measurement.baseline(0, {.device_memory = 300_MiB, .strangers = 0});
  measurement.sample(at(0), 0, {.device_memory = 300_MiB});
  EXPECT_FALSE(measurement.summary().gpus[0].mem_peak);
}

TEST(Measurement, TakesEnergyOfTheWholeRun) {
  Measurement measurement{1, from_seconds(100)};
  measurement.baseline(0, {.energy_j = 1000.0});
  measurement.sample(at(1), 0, {.energy_j = 1100.0});
  measurement.sample(at(2), 0, {.energy_j = 1250.0});
  EXPECT_DOUBLE_EQ(measurement.summary().gpus[0].energy_j.value(), 250.0);
  measurement.sample(at(3), 0, {.energy_j = 5.0});
  EXPECT_FALSE(measurement.summary().gpus[0].energy_j) << "the counter began anew";
}

TEST(Measurement, KeepsGpusApart) {
  Measurement measurement{2, kNoWarmup};
  measurement.sample(at(0), 0, busy(10));
  measurement.sample(at(0), 1, idle());
  const Summary summary = measurement.summary();
  EXPECT_TRUE(summary.gpus[0].job_was_there);
  EXPECT_FALSE(summary.gpus[1].job_was_there);
  EXPECT_DOUBLE_EQ(summary.gpus[1].util_mean.value(), 0.0) << "measured, and idle";
}

}  // namespace
}  // namespace horus::record
