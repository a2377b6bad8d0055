// SPDX-License-Identifier: Apache-2.0
// Laws of whole predictions: what must hold whatever the constants are.
#include "horus/predict/predict.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "horus/predict/sample_features.hpp"

namespace horus::predict {
namespace {

const GpuSpec& v100() { return sample::gpu("V100-16GB"); }

void expect_sane(const Prediction& p) {
  for (const Interval& i : {p.gpu_utilization, p.memory_bandwidth_utilization, p.step_time_s}) {
    EXPECT_TRUE(std::isfinite(i.low) && std::isfinite(i.expected) && std::isfinite(i.high));
    EXPECT_LE(0, i.low);
    EXPECT_LE(i.low, i.expected);
    EXPECT_LE(i.expected, i.high);
  }
  EXPECT_LE(p.gpu_utilization.high, 1);
  EXPECT_LE(p.memory_bandwidth_utilization.high, 1);
  EXPECT_GT(p.step_time_s.expected, 0);
  EXPECT_LE(Bytes{0}, p.memory.low);
  EXPECT_LE(p.memory.low, p.memory.expected);
  EXPECT_LE(p.memory.expected, p.memory.high);
  EXPECT_LE(p.memory.high, p.memory.bound);
}

TEST(Predict, EveryGpuAndPrecisionGivesOrderedFiniteIntervals) {
  const GraphFeatures features = sample::perceptron(64, 4, 1024);
  for (const GpuSpec& gpu : gpu_catalogue()) {
    for (const Precision precision :
         {Precision::Fp32, Precision::Tf32, Precision::Fp16, Precision::Amp, Precision::Bf16}) {
      const Prediction p = predict(features, {.precision = precision}, gpu);
      expect_sane(p);
      EXPECT_EQ(p.gpu, gpu.name);
      EXPECT_EQ(p.origin, Origin::Analytic);
    }
  }
}

TEST(Predict, LargerBatchesTakeMoreTimeAndMemory) {
  Prediction last = predict(sample::perceptron(1, 8, 1024), {}, v100());
  for (std::int64_t batch = 2; batch <= 65536; batch *= 2) {
    const Prediction now = predict(sample::perceptron(batch, 8, 1024), {}, v100());
    EXPECT_GE(now.memory.expected, last.memory.expected) << batch;
    EXPECT_GE(now.step_time_s.expected, last.step_time_s.expected) << batch;
    last = now;
  }
}

TEST(Predict, FasterGpuIsNeverSlower) {
  const GraphFeatures features = sample::perceptron(512, 8, 1024);
  const Prediction base = predict(features, {}, v100());
  GpuSpec computes = v100();
  computes.fp32_flops *= 2;
  GpuSpec moves = v100();
  moves.bandwidth_bytes_per_s *= 2;
  EXPECT_LT(predict(features, {}, computes).step_time_s.expected, base.step_time_s.expected);
  EXPECT_LT(predict(features, {}, moves).step_time_s.expected, base.step_time_s.expected);
}

TEST(Predict, FewerLargerKernelsOfEqualFlopsGiveHigherUtilization) {
  // One product of 4096 x 2048 x 2048, or 512 of 128 x 256 x 1024: the same FLOPs.
  GraphFeatures large;
  sample::add(large, sample::linear(4096, 2048, 2048));
  GraphFeatures small;
  for (int i = 0; i < 512; ++i) sample::add(small, sample::linear(128, 256, 1024));
  const TrainingSetup setup{.optimizer = Optimizer::None};
  const Prediction few = predict(large, setup, v100());
  const Prediction many = predict(small, setup, v100());
  EXPECT_GT(few.gpu_utilization.expected, many.gpu_utilization.expected + 0.01);
  EXPECT_LT(few.step_time_s.expected, many.step_time_s.expected);
}

TEST(Predict, SlowInputPipelineLeavesTheGpuIdle) {
  const GraphFeatures features = sample::perceptron(512, 8, 1024);
  TrainingSetup starved;
  starved.samples_per_second = 512;  // one step a second
  const Prediction p = predict(features, starved, v100());
  EXPECT_NEAR(p.step_time_s.expected, 1.0, 0.01);
  EXPECT_LT(p.gpu_utilization.expected, 0.1);
  EXPECT_GT(predict(features, {}, v100()).gpu_utilization.expected, 0.5);
}

TEST(Predict, FusedAttentionIsLeanerAndNotSlower) {
  const GraphFeatures features = sample::attention(96, 1024, 64);
  const Prediction eager = predict(features, {}, v100());
  const Prediction fused = predict(features, {.attention = Attention::Fused}, v100());
  EXPECT_LT(fused.memory.expected, eager.memory.expected);
  EXPECT_LT(fused.step_time_s.expected, eager.step_time_s.expected);
}

TEST(Predict, UncostedOperatorsWidenTheIntervals) {
  GraphFeatures features = sample::perceptron(512, 8, 1024);
  const Prediction whole = predict(features, {}, v100());
  features.ops_without_cost = 8;
  const Prediction partial = predict(features, {}, v100());
  expect_sane(partial);
  EXPECT_EQ(partial.origin, Origin::Analytic);
  EXPECT_LT(partial.step_time_s.low, whole.step_time_s.low);
  EXPECT_GT(partial.step_time_s.high, whole.step_time_s.high);
  EXPECT_GT(partial.memory.bound, whole.memory.bound);
  EXPECT_LE(partial.gpu_utilization.low, whole.gpu_utilization.low);
}

TEST(Predict, EmulatedPrecisionWidensTheStep) {
  const GraphFeatures features = sample::perceptron(4096, 8, 1024);
  const auto width = [&](Precision precision) {
    const Interval step = predict(features, {.precision = precision}, v100()).step_time_s;
    return step.high / step.low;
  };
  EXPECT_GT(width(Precision::Bf16), 1.5 * width(Precision::Fp32));
}

TEST(Predict, NothingKnownClaimsTheWholeGpu) {
  GraphFeatures blank;
  blank.ops_without_cost = 12;
  for (const GraphFeatures& features : {GraphFeatures{}, blank}) {
    const Prediction p = predict(features, {}, v100());
    expect_sane(p);
    EXPECT_EQ(p.origin, Origin::Unknown);
    EXPECT_EQ(p.gpu_utilization.low, 0);
    EXPECT_EQ(p.gpu_utilization.high, 1);
    EXPECT_EQ(p.memory.bound, v100().memory);
    EXPECT_TRUE(p.fits);
  }
}

TEST(Predict, TotalsThatAreNoNumbersAreUnknown) {
  GraphFeatures features = sample::perceptron(8, 2, 64);
  features.parameters = std::nan("");
  EXPECT_EQ(predict(features, {}, v100()).origin, Origin::Unknown);
}

TEST(Predict, ModelWithoutParametersIsPredicted) {
  GraphFeatures features;
  sample::add(features, sample::pointwise(1e6));
  const Prediction p = predict(features, {.optimizer = Optimizer::Adam}, v100());
  expect_sane(p);
  EXPECT_EQ(p.origin, Origin::Analytic);
}

TEST(Predict, AbsurdSizesStayFiniteAndDoNotFit) {
  for (const double elements : {1e18, 1e30, 1e39}) {
    GraphFeatures features;
    sample::add(features, sample::pointwise(elements));
    features.parameters = elements;
    const Prediction p = predict(features, {}, v100());
    expect_sane(p);
    EXPECT_FALSE(p.fits);
    const std::vector<Prediction> jobs(3, p);
    EXPECT_FALSE(predict_shared(jobs, v100()).fits);
  }
}

TEST(Predict, FitsComparesTheBoundWithTheMemory) {
  GraphFeatures features = sample::perceptron(8, 2, 64);
  GpuSpec small = v100();
  const Prediction p = predict(features, {}, small);
  small.memory = p.memory.bound;
  EXPECT_TRUE(predict(features, {}, small).fits);
  small.memory = p.memory.bound - Bytes{1};
  EXPECT_FALSE(predict(features, {}, small).fits);
}

}  // namespace
}  // namespace horus::predict
