// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/peak_memory.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "horus/predict/fused_attention.hpp"
#include "horus/predict/sample_features.hpp"

namespace horus::predict {
namespace {

MemoryParts parts_of(const GraphFeatures& features, const TrainingSetup& setup) {
  return memory_parts(features, features.ops, setup, sample::gpu("V100-16GB"));
}

TEST(PeakMemory, OptimizersKeepWholeNumbersOfStates) {
  const GraphFeatures features = sample::perceptron(8, 2, 256);
  const double parameters = 2 * 256 * 256;
  struct Case {
    Optimizer optimizer;
    double bytes_per_parameter;
  };
  for (const Case& c :
       {Case{Optimizer::None, 0}, Case{Optimizer::Sgd, 0}, Case{Optimizer::Momentum, 4},
        Case{Optimizer::Adam, 8}, Case{Optimizer::AdamW, 8}}) {
    const MemoryParts parts = parts_of(features, {.optimizer = c.optimizer});
    EXPECT_EQ(parts.states, c.bytes_per_parameter * parameters) << name_of(c.optimizer);
    EXPECT_EQ(parts.parameters, 4 * parameters);
    EXPECT_EQ(parts.gradients, 4 * parameters);
  }
}

TEST(PeakMemory, ActivationsAreWhatIsSavedPlusInputsAndOutputs) {
  // Per layer 8 x 256 outputs of the product and of the activation; inputs once, outputs twice.
  const MemoryParts parts = parts_of(sample::perceptron(8, 2, 256), {});
  EXPECT_EQ(parts.activations, 4 * (8 * 256) * (2 * 2 + 1 + 2));
}

TEST(PeakMemory, MixedPrecisionHalvesActivationsAndCopiesWeights) {
  const GraphFeatures features = sample::perceptron(4096, 4, 256);
  const MemoryParts full = parts_of(features, {});
  const MemoryParts mixed = parts_of(features, {.precision = Precision::Amp});
  EXPECT_LT(mixed.activations, 0.7 * full.activations);
  EXPECT_GT(mixed.activations, 0.5 * full.activations);
  EXPECT_EQ(mixed.parameters, full.parameters);
  EXPECT_EQ(mixed.copies, full.parameters / 2);
}

TEST(PeakMemory, WholeModelInHalfPrecisionTakesHalfOfEverythingStored) {
  const GraphFeatures features = sample::perceptron(4096, 4, 256);
  const MemoryParts full = parts_of(features, {});
  const MemoryParts half = parts_of(features, {.precision = Precision::Fp16});
  EXPECT_EQ(half.parameters, full.parameters / 2);
  EXPECT_EQ(half.states, full.states / 2);
  EXPECT_EQ(half.copies, 0);
}

TEST(PeakMemory, FusedAttentionDropsTheScores) {
  // 64 heads of 512 tokens: the scores alone are 64 x 512 x 512 numbers.
  const GraphFeatures features = sample::attention(64, 512, 64);
  const auto fused = fuse_attention(features.ops);
  const MemoryParts eager = parts_of(features, {});
  const MemoryParts lean =
      memory_parts(features, fused, {.attention = Attention::Fused}, sample::gpu("V100-16GB"));
  EXPECT_LT(lean.activations, eager.activations - 4.0 * 64 * 512 * 512);
  EXPECT_LT(lean.transient, eager.transient);
}

TEST(PeakMemory, LargestOperatorHoldsGradientsOfOutputAndInput) {
  GraphFeatures features;
  sample::add(features, sample::linear(64, 1000, 10));
  sample::add(features, sample::linear(64, 10, 3000));
  EXPECT_EQ(parts_of(features, {}).transient, 4.0 * 64 * (10 + 3000));
}

TEST(PeakMemory, WorkspaceOfConvolutionsIsLimited) {
  GraphFeatures small;
  sample::add(small, sample::convolution(1, 8, 16, 16, 3));
  EXPECT_EQ(parts_of(small, {}).workspace, 64.0 * 16 * 9 * 4);
  GraphFeatures large;
  sample::add(large, sample::convolution(64, 224, 64, 64, 3));
  EXPECT_EQ(parts_of(large, {}).workspace, 256.0 * 1024 * 1024);
}

TEST(PeakMemory, NewerGenerationsHaveLargerContexts) {
  const GraphFeatures none;
  double last = 0;
  for (const char* name : {"K80", "P100-16GB", "V100-16GB", "A100-40GB", "H200", "B200"}) {
    const double context = memory_parts(none, {}, {}, sample::gpu(name)).context;
    EXPECT_GE(context, last) << name;
    EXPECT_GT(context, 0) << name;
    last = context;
  }
}

TEST(MemoryInterval, IsOrderedAndWidensWithWhatIsUnknown) {
  const MemoryParts parts{.context = 7e8, .parameters = 1e8, .activations = 2e9};
  const MemoryPrediction known = memory_interval(parts, 0);
  const MemoryPrediction half = memory_interval(parts, 0.5);
  for (const MemoryPrediction& m : {known, half}) {
    EXPECT_LT(m.low, m.expected);
    EXPECT_LT(m.expected, m.high);
    EXPECT_LT(m.high, m.bound);
  }
  EXPECT_LT(half.low, known.low);
  EXPECT_GT(half.high, known.high);
  EXPECT_GT(half.bound, known.bound);
}

TEST(MemoryInterval, ExpectsTensorsAndContext) {
  const MemoryPrediction m = memory_interval({.context = 7e8, .activations = 2e9}, 0);
  EXPECT_NEAR(as_double(m.expected), 7e8 + 2.1e9, 2.0 * 1024 * 1024);
}

TEST(ToBytes, SaturatesInsteadOfOverflowing) {
  EXPECT_EQ(to_bytes(1e300), Bytes{std::int64_t{1} << 62});
  EXPECT_EQ(to_bytes(-5), Bytes{0});
  EXPECT_EQ(to_bytes(std::numeric_limits<double>::quiet_NaN()), Bytes{0});
}

}  // namespace
}  // namespace horus::predict
