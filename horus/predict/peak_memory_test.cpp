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

/// Everything of a size that does not depend on the moment.
double lasting(const MemoryParts& parts) { return parts.parameters + parts.states; }

double moment(const MemoryParts& parts) {
  return parts.gradients + parts.copies + parts.activations + parts.transient + parts.workspace +
         parts.temporaries;
}

constexpr double kProducts = 8.125 * 1024 * 1024;  // cuBLAS: 2 x 4 MiB and 8 x 16 KiB.

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
  }
}

TEST(PeakMemory, OfManyActivationsIsAtTheLossOrBehindIt) {
  // Two layers of 4096 x 64: products and activations keep 1 MiB each. Behind the forward pass
  // stand these 4, the outputs and what the loss keeps of them, and two gradients of that size.
  const MemoryParts parts = parts_of(sample::perceptron(4096, 2, 64), {});
  constexpr double kMib = 1024.0 * 1024.0;
  EXPECT_EQ(parts.activations, (4 + 1 + 1) * kMib);
  EXPECT_EQ(parts.transient, 2 * kMib);
  EXPECT_EQ(parts.gradients, 0) << "dropped before the forward pass, not made yet";
  EXPECT_EQ(parts.temporaries, 0);
  EXPECT_EQ(parts.workspace, kProducts);
}

TEST(PeakMemory, OfManyParametersIsAtTheUpdate) {
  const GraphFeatures features = sample::perceptron(1, 2, 1024);
  const double stored = 4.0 * 2 * 1024 * 1024;
  const MemoryParts adam = parts_of(features, {.optimizer = Optimizer::Adam});
  EXPECT_EQ(adam.gradients, stored);
  EXPECT_EQ(adam.temporaries, stored) << "roots of all second moments at once";
  EXPECT_EQ(adam.transient, 0);
  const MemoryParts plain = parts_of(features, {.optimizer = Optimizer::Sgd});
  EXPECT_EQ(plain.temporaries, 0);
}

TEST(PeakMemory, FallsBehindWideLayersAsGradientsMeetWhatIsStillKept) {
  // The first layer is wide: going back to it, 1 MiB is kept of it while its gradients take 2.
  GraphFeatures features;
  features.ops = {sample::pointwise(256 * 1024), sample::pointwise(64 * 1024)};
  const MemoryParts parts = parts_of(features, {.optimizer = Optimizer::None});
  EXPECT_EQ(parts.activations, 4.0 * 256 * 1024);
  EXPECT_EQ(parts.transient, 4.0 * 2 * 256 * 1024);
}

TEST(PeakMemory, HoldsTheMostOfEachKindWheneverItStood) {
  // At the peak, going back to the wide layer, what the narrow one kept is free: its block is too
  // small for gradients of the wide one.
  GraphFeatures features;
  features.ops = {sample::pointwise(256 * 1024), sample::pointwise(64 * 1024)};
  const TrainingSetup setup{.optimizer = Optimizer::None};
  EXPECT_EQ(parts_of(features, setup).held, 4.0 * 64 * 1024);
  features.ops.pop_back();  // One moment needs the most of everything.
  EXPECT_EQ(parts_of(features, setup).held, 0);
}

TEST(PeakMemory, HoldsNothingBesideAnUpdateThatNeedsMoreThanThePasses) {
  const GraphFeatures features = sample::perceptron(1, 2, 1024);
  EXPECT_EQ(parts_of(features, {.optimizer = Optimizer::Adam}).held, 0);
}

TEST(PeakMemory, PassesThatAddUpKeepGradientsThroughout) {
  const GraphFeatures features = sample::perceptron(4096, 2, 64);
  const double stored = 4.0 * 2 * 64 * 64;
  EXPECT_EQ(parts_of(features, {.accumulation_steps = 4}).gradients, stored);
  EXPECT_EQ(parts_of(features, {.passes_per_step = 2}).gradients, stored);
}

TEST(PeakMemory, MixedPrecisionHalvesActivationsAndCopiesWeights) {
  const GraphFeatures features = sample::perceptron(4096, 4, 256);
  const MemoryParts full = parts_of(features, {});
  const MemoryParts mixed = parts_of(features, {.precision = Precision::Amp});
  EXPECT_LT(mixed.activations, 0.72 * full.activations) << "inputs, outputs and loss stay";
  EXPECT_GT(mixed.activations, 0.5 * full.activations);
  EXPECT_EQ(mixed.parameters, full.parameters);
  EXPECT_EQ(mixed.copies, full.parameters / 2);
}

TEST(PeakMemory, MixedPrecisionKeepsSoftmaxInBothPrecisions) {
  GraphFeatures features;
  OpWork softmax = sample::pointwise(1 << 20);
  softmax.kind = OpKind::Softmax;
  features.ops = {softmax};
  const MemoryParts mixed = parts_of(features, {.precision = Precision::Amp});
  EXPECT_EQ(mixed.activations, (4.0 + 2.0) * (1 << 20));
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
  EXPECT_LT(moment(lean), moment(eager) - 4.0 * 64 * 512 * 512);
  EXPECT_LT(lean.transient, eager.transient);
}

TEST(PeakMemory, CheckpointingKeepsWhatEntersBlocksAndOneBlock) {
  // Eight blocks of nine operators that keep 1 MiB each, the last of which ends the block.
  GraphFeatures features;
  constexpr double kMib = 1024.0 * 1024.0;
  for (int i = 0; i < 8 * 9; ++i) {
    features.ops.push_back(sample::pointwise(256 * 1024));
    if (i % 9 == 8) features.ops.back().cut_elements = 256 * 1024;
  }
  const TrainingSetup plain{.optimizer = Optimizer::None};
  TrainingSetup again = plain;
  again.checkpointing = Checkpointing::Blocks;
  EXPECT_EQ(parts_of(features, plain).activations, 72 * kMib);
  const MemoryParts parts = parts_of(features, again);
  // In the last block: the inputs of blocks 2 to 8, and the nine of the block.
  EXPECT_EQ(parts.activations, (7 + 9) * kMib);
  EXPECT_EQ(parts.transient, 2 * kMib);
}

TEST(PeakMemory, CheckpointingOfWhatHasNoBlocksChangesNothing) {
  const GraphFeatures features = sample::perceptron(4096, 2, 64);
  EXPECT_EQ(moment(parts_of(features, {.checkpointing = Checkpointing::Blocks})),
            moment(parts_of(features, {})));
}

TEST(PeakMemory, WorkspaceOfConvolutionsIsLimitedWithoutTensorCores) {
  GraphFeatures small;
  sample::add(small, sample::convolution(1, 8, 16, 16, 3));
  EXPECT_EQ(parts_of(small, {.optimizer = Optimizer::None}).workspace,
            kProducts + 64.0 * 16 * 9 * 4);
  GraphFeatures large;
  sample::add(large, sample::convolution(64, 224, 64, 64, 3));
  EXPECT_EQ(parts_of(large, {}).workspace, kProducts + 256.0 * 1024 * 1024);
}

TEST(PeakMemory, TensorCoresTransposeInputAndOutputOfConvolutions) {
  GraphFeatures features;
  sample::add(features, sample::convolution(16, 56, 64, 128, 3));
  const double pixels = 16.0 * 56 * 56;
  const MemoryParts parts = memory_parts(features, features.ops, {}, sample::gpu("A100-40GB"));
  EXPECT_EQ(parts.workspace, kProducts + 4 * pixels * (64 + 128)) << "TF32 by default";
}

TEST(PeakMemory, OperatorsWithoutUsableCostAreLeftOut) {
  GraphFeatures features = sample::perceptron(64, 1, 64);
  const double before = lasting(parts_of(features, {})) + moment(parts_of(features, {}));
  OpWork broken = sample::pointwise(1e6);
  broken.saved_elements = -1;
  features.ops.push_back(broken);
  EXPECT_EQ(lasting(parts_of(features, {})) + moment(parts_of(features, {})), before);
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

TEST(MemoryInterval, ExpectsTensorsTimesTheirFactorsAndContext) {
  MemoryConstants constants;
  constants.lasting = 1;
  constants.activations = 1.25;
  constants.transient = 0.5;
  constants.workspace = 0;
  const MemoryParts parts{.context = 7e8,
                          .parameters = 1e8,
                          .activations = 2e9,
                          .transient = 4e8,
                          .workspace = 9e9,
                          .temporaries = 1e8};
  EXPECT_EQ(expected_bytes(parts, constants), 7e8 + 2e8 + 2.5e9 + 2e8);
  const MemoryPrediction m = memory_interval(parts, 0, constants);
  EXPECT_NEAR(as_double(m.expected), 3.6e9, 2.0 * 1024 * 1024);
}

TEST(MemoryInterval, AKnownContextTakesThePlaceOfTheTable) {
  MemoryConstants constants;
  constants.context_bytes = 1e9;
  EXPECT_EQ(expected_bytes({.context = 7e8}, constants), 1e9);
}

TEST(MemoryInterval, MeasuredFactorsTakeThePlaceOfSigmas) {
  MemoryConstants constants;
  constants.low_factor = 0.9;
  constants.high_factor = 1.1;
  constants.bound_factor = 1.2;
  const MemoryParts parts{.context = 1e9, .activations = 1e9};
  const MemoryPrediction m = memory_interval(parts, 0, constants);
  const double expected = expected_bytes(parts, constants);
  EXPECT_NEAR(as_double(m.low), 0.9 * expected, 1);
  EXPECT_NEAR(as_double(m.high), 1.1 * expected, 1);
  EXPECT_NEAR(as_double(m.bound), 1.2 * expected, 1);
  EXPECT_GT(memory_interval(parts, 0.5, constants).bound, m.bound);
}

TEST(MemoryInterval, WidensWithTheShareOfWorkspaces) {
  MemoryConstants constants;
  constants.activations = constants.workspace = 1;
  constants.low_factor = 0.9;
  constants.high_factor = 1.1;
  constants.bound_factor = 1.2;
  // A fifth of it is a workspace or held beside one.
  const MemoryParts parts{.context = 1e9, .activations = 0.6e9, .workspace = 1e8, .held = 3e8};
  EXPECT_NEAR(memory_doubt(parts, constants), 2, 1e-12);
  const MemoryPrediction m = memory_interval(parts, 0, constants);
  EXPECT_NEAR(as_double(m.bound), 1.2 * 1.2 * 2e9, 10);
  EXPECT_NEAR(as_double(m.low), 0.9 * 0.9 * 2e9, 10);
}

TEST(ToBytes, SaturatesInsteadOfOverflowing) {
  EXPECT_EQ(to_bytes(1e300), Bytes{std::int64_t{1} << 62});
  EXPECT_EQ(to_bytes(-5), Bytes{0});
  EXPECT_EQ(to_bytes(std::numeric_limits<double>::quiet_NaN()), Bytes{0});
}

}  // namespace
}  // namespace horus::predict
