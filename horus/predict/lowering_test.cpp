// SPDX-License-Identifier: Apache-2.0
// The kernels of small steps, counted by hand.
#include "horus/predict/lowering.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/predict/element_bytes.hpp"
#include "horus/predict/fused_attention.hpp"
#include "horus/predict/sample_features.hpp"

namespace horus::predict {
namespace {

using testing::Contains;
using testing::ElementsAre;

GraphFeatures graph_of(const OpWork& op) {
  GraphFeatures features;
  sample::add(features, op);
  return features;
}

Step lowered(const GraphFeatures& features, const TrainingSetup& setup) {
  return lower(features, features.ops, setup);
}

TrainingSetup without_update(Precision precision = Precision::Fp32) {
  return {.precision = precision, .optimizer = Optimizer::None};
}

double launches(const Step& step, KernelClass kind) {
  return std::accumulate(
      step.kernels.begin(), step.kernels.end(), 0.0,
      [kind](double sum, const Kernel& k) { return sum + (k.kind == kind ? k.launches : 0); });
}

double flops(const Step& step) {
  return std::accumulate(step.kernels.begin(), step.kernels.end(), 0.0,
                         [](double sum, const Kernel& k) { return sum + k.launches * k.flops; });
}

TEST(Lowering, LinearLayerIsOneProductForwardAndTwoBackward) {
  // 16 x 3 by 3 x 32: 1536 multiply-accumulates. Forward reads 48 + 96 and writes 512 numbers;
  // backward moves 1120 activations and the weight twice, shared by two products.
  const Step step = lowered(graph_of(sample::linear(16, 3, 32)), without_update());
  const Kernel product{KernelClass::MatrixProduct, 1, 3072, 2624, 1};
  const Kernel loss{KernelClass::Pointwise, 2, 0, 0, 0};
  EXPECT_THAT(step.kernels, ElementsAre(product, product, product, loss, loss));
}

TEST(Lowering, MergedStepKeepsLaunchesAndTotals) {
  GraphFeatures features;
  for (int i = 0; i < 5; ++i) sample::add(features, sample::linear(16, 3, 32));
  const Step whole = lowered(features, without_update());
  const Step fewer = merged(whole);
  const Kernel products{KernelClass::MatrixProduct, 15, 3072, 2624, 1};
  const Kernel losses{KernelClass::Pointwise, 4, 0, 0, 0};
  EXPECT_THAT(fewer.kernels, ElementsAre(products, losses));
  EXPECT_DOUBLE_EQ(flops(fewer), flops(whole));
  EXPECT_EQ(fewer.host_ops_forward, whole.host_ops_forward);
}

TEST(Lowering, LayerFedByDataNeedsNoInputGradient) {
  OpWork first = sample::linear(16, 3, 32);
  first.needs_input_gradient = false;
  first.kernels_backward = 1;
  first.flops_backward = 3072;
  first.elements_read_backward = 560;
  first.elements_written_backward = 0;
  const Step step = lowered(graph_of(first), without_update());
  const Kernel forward{KernelClass::MatrixProduct, 1, 3072, 2624, 1};
  const Kernel weight{KernelClass::MatrixProduct, 1, 3072, 560 * 4 + 96 * 4, 1};
  EXPECT_EQ(step.kernels[0], forward);
  EXPECT_EQ(step.kernels[1], weight);
  EXPECT_EQ(launches(step, KernelClass::MatrixProduct), 2);
}

TEST(Lowering, BiasGradientIsASumOverTheResultsBesideTheProducts) {
  OpWork biased = sample::linear(16, 3, 32);
  biased.kernels_backward = 3;
  biased.elements_read_backward += 512;
  const Step step = lowered(graph_of(biased), without_update());
  EXPECT_EQ(launches(step, KernelClass::MatrixProduct), 3);
  EXPECT_EQ(launches(step, KernelClass::Pointwise), 1 + 4);
  EXPECT_DOUBLE_EQ(flops(step), 3 * 3072);
  EXPECT_THAT(step.kernels, Contains(Kernel{KernelClass::Pointwise, 1, 0, 512 * 4, 0}));
}

TEST(Lowering, NarrowOperandsComputeWholeTiles) {
  // 4 rows and 2 columns take the time of 16 each.
  const Step step = lowered(graph_of(sample::linear(4, 3, 2)), without_update());
  EXPECT_DOUBLE_EQ(step.kernels[0].flops, 2.0 * 16 * 3 * 16);
}

TEST(Lowering, HalfPrecisionHalvesBytesNotFlops) {
  const GraphFeatures features = graph_of(sample::linear(64, 64, 64));
  const Step full = lowered(features, without_update());
  const Step half = lowered(features, without_update(Precision::Fp16));
  EXPECT_DOUBLE_EQ(half.kernels[0].bytes, full.kernels[0].bytes / 2);
  EXPECT_DOUBLE_EQ(half.kernels[0].flops, full.kernels[0].flops);
}

/// 600 parameters in 10 tensors, nothing else.
GraphFeatures ten_tensors() {
  GraphFeatures features;
  features.parameters = 600;
  features.parameter_tensors = 10;
  return features;
}

struct UpdateCase {
  Optimizer optimizer;
  double launches;
};

TEST(Lowering, UpdateLoopsOverParameterTensors) {
  // Zeroing and accumulating gradients are two launches per tensor, with or without an update.
  for (const UpdateCase& c : {UpdateCase{Optimizer::None, 20}, UpdateCase{Optimizer::Sgd, 30},
                              UpdateCase{Optimizer::Momentum, 60}, UpdateCase{Optimizer::Adam, 100},
                              UpdateCase{Optimizer::AdamW, 110}}) {
    const Step step =
        lowered(ten_tensors(), {.optimizer = c.optimizer, .update = UpdateKernels::PerTensor});
    EXPECT_EQ(launches(step, KernelClass::Update), c.launches) << name_of(c.optimizer);
    EXPECT_EQ(step.host_ops_update, c.launches) << name_of(c.optimizer);
  }
}

TEST(Lowering, MultiTensorUpdateLaunchesOncePerOperationAndDropsGradients) {
  for (const UpdateCase& c : {UpdateCase{Optimizer::None, 0}, UpdateCase{Optimizer::Sgd, 1},
                              UpdateCase{Optimizer::Adam, 8}}) {
    const Step step = lowered(ten_tensors(), {.optimizer = c.optimizer});
    EXPECT_EQ(launches(step, KernelClass::Update), c.launches) << name_of(c.optimizer);
  }
}

TEST(Lowering, BothWaysToUpdateMoveTheSameBytes) {
  const auto update_bytes = [](UpdateKernels update) {
    const Step step = lowered(ten_tensors(), {.optimizer = Optimizer::Adam, .update = update});
    double bytes = 0;
    for (const Kernel& k : step.kernels) {
      if (k.kind == KernelClass::Update) bytes += k.launches * k.bytes;
    }
    return bytes;
  };
  // The loop also zeroes (1 access) and accumulates (3 accesses) gradients.
  EXPECT_DOUBLE_EQ(update_bytes(UpdateKernels::MultiTensor), 20 * 4 * 600);
  EXPECT_DOUBLE_EQ(update_bytes(UpdateKernels::PerTensor), 24 * 4 * 600);
}

TEST(Lowering, LargeModelsNeedSeveralLaunchesForOneListOfTensors) {
  GraphFeatures features = ten_tensors();
  features.parameters = 3 * kParametersPerLaunch;
  EXPECT_EQ(launches(lowered(features, {.optimizer = Optimizer::Sgd}), KernelClass::Update), 3);
  features = ten_tensors();
  features.parameter_tensors = static_cast<int>(2 * kTensorsPerLaunch);
  EXPECT_EQ(launches(lowered(features, {.optimizer = Optimizer::Sgd}), KernelClass::Update), 2);
}

TEST(Lowering, SgdReadsTwoAndWritesOneNumberPerParameter) {
  const Step step =
      lowered(ten_tensors(), {.optimizer = Optimizer::Sgd, .update = UpdateKernels::PerTensor});
  EXPECT_EQ(step.kernels.back(), (Kernel{KernelClass::Update, 10, 60, 3 * 4 * 60, 0}));
}

TEST(Lowering, AccumulationRepeatsThePassesAndUpdatesOnce) {
  const GraphFeatures features = graph_of(sample::linear(4, 3, 2));
  TrainingSetup setup{.optimizer = Optimizer::Sgd};
  const Step once = lowered(features, setup);
  setup.accumulation_steps = 4;
  const Step four = lowered(features, setup);
  EXPECT_EQ(launches(four, KernelClass::MatrixProduct),
            4 * launches(once, KernelClass::MatrixProduct));
  // One update, and three passes that add to the gradients of the first.
  EXPECT_EQ(launches(once, KernelClass::Update), 1);
  EXPECT_EQ(launches(four, KernelClass::Update), 1 + 3);
  EXPECT_EQ(four.host_ops_forward, 4 * once.host_ops_forward);
  EXPECT_EQ(four.samples, 4 * once.samples);
}

TEST(Lowering, PassesOverOneBatchFetchNoMoreSamples) {
  const GraphFeatures features = graph_of(sample::linear(4, 3, 2));
  TrainingSetup setup{.passes_per_step = 2};
  const Step two = lowered(features, setup);
  EXPECT_EQ(launches(two, KernelClass::MatrixProduct), 2 * 3);
  EXPECT_EQ(two.samples, 1);
}

TEST(Lowering, CheckpointingCostsOneMoreForwardPass) {
  const GraphFeatures features = graph_of(sample::linear(64, 64, 64));
  TrainingSetup setup = without_update();
  const Step plain = lowered(features, setup);
  setup.checkpointing = Checkpointing::Blocks;
  const Step checkpointed = lowered(features, setup);
  EXPECT_DOUBLE_EQ(flops(checkpointed) - flops(plain), features.ops[0].flops_forward);
  EXPECT_EQ(checkpointed.host_ops_forward - plain.host_ops_forward, 1);
  EXPECT_EQ(checkpointed.host_ops_backward, plain.host_ops_backward);
}

TEST(Lowering, MixedPrecisionCastsEveryWeightForwardAndItsGradientBack) {
  const Step step = lowered(graph_of(sample::linear(4, 3, 2)), without_update(Precision::Amp));
  EXPECT_EQ(launches(step, KernelClass::Update), 2);
  EXPECT_EQ(step.host_ops_forward, 1 + 1 + 2);  // operator, cast, loss
}

TEST(Lowering, StrideOneThreeByThreeIsWinogradExceptForItsWeightGradient) {
  const Step step = lowered(graph_of(sample::convolution(8, 56, 64, 64, 3)), without_update());
  EXPECT_EQ(launches(step, KernelClass::Winograd), 2);
  EXPECT_EQ(launches(step, KernelClass::Convolution), 1);
}

TEST(Lowering, OtherConvolutionsAreNotWinograd) {
  for (const double kernel : {1.0, 5.0, 7.0}) {
    const Step step =
        lowered(graph_of(sample::convolution(8, 56, 64, 64, kernel)), without_update());
    EXPECT_EQ(launches(step, KernelClass::Winograd), 0) << kernel;
    EXPECT_EQ(launches(step, KernelClass::Convolution), 3) << kernel;
  }
}

TEST(Lowering, NarrowGroupsComputePadding) {
  OpWork grouped = sample::convolution(8, 14, 128, 128, 3);
  grouped.kind = OpKind::GroupedConvolution;
  grouped.gemm = {8 * 14 * 14, 4, 36, 32};
  grouped.macs /= 32;
  grouped.flops_forward /= 32;
  const Step step = lowered(graph_of(grouped), without_update());
  EXPECT_EQ(step.kernels[0].kind, KernelClass::GroupedConvolution);
  EXPECT_DOUBLE_EQ(step.kernels[0].flops, grouped.flops_forward * 32 / 4);
}

TEST(Lowering, RecurrenceKeepsItsFlopsAndRunsStepAfterStep) {
  // 35 steps; each multiplies a 20 x 200 hidden state by 200 x 800, the input products together.
  OpWork lstm = sample::linear(20 * 35, 400, 800);
  lstm.kind = OpKind::Recurrent;
  lstm.gemm = {20, 800, 200, 1};
  lstm.sequential_steps = 35;
  lstm.kernels_forward = 37;
  lstm.kernels_backward = 39;
  const Step step = lowered(graph_of(lstm), without_update());
  EXPECT_EQ(step.kernels[0].kind, KernelClass::RecurrentStep);
  EXPECT_EQ(step.kernels[0].launches, 35);
  EXPECT_DOUBLE_EQ(step.kernels[0].flops, 2.0 * 20 * 800 * 200);
  EXPECT_NEAR(flops(step), lstm.flops_forward + lstm.flops_backward, 1e-6 * flops(step));
}

TEST(Lowering, LookupReadsRowsForwardAndWritesATableOfGradients) {
  OpWork lookup;
  lookup.kind = OpKind::Embedding;
  lookup.elements_read = lookup.elements_written = 10;
  lookup.elements_read_backward = 10;
  lookup.weight_elements = 1000;
  lookup.weight_tensors = 1;
  lookup.kernels_forward = lookup.kernels_backward = 1;
  const Step step = lowered(graph_of(lookup), without_update());
  EXPECT_DOUBLE_EQ(step.kernels[0].bytes, 20 * 4);
  EXPECT_DOUBLE_EQ(step.kernels[1].bytes, (10 + 1000) * 4);
}

TEST(Lowering, FreeOperatorsLaunchNothing) {
  OpWork reshape;
  reshape.elements_read = reshape.elements_written = 100;
  const Step step = lowered(graph_of(reshape), without_update());
  EXPECT_EQ(step.kernels.size(), 2U);  // the loss
  EXPECT_EQ(step.ops_without_cost, 0);
}

TEST(Lowering, NumbersThatAreNoCostsAreCountedNotLowered) {
  for (const double bad : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    OpWork op = sample::linear(4, 3, 2);
    op.elements_read = bad;
    const Step step = lowered(graph_of(op), without_update());
    EXPECT_EQ(step.ops_without_cost, 1);
    EXPECT_EQ(launches(step, KernelClass::MatrixProduct), 0);
    OpWork shapeless = sample::linear(4, 3, 2);
    shapeless.gemm.k = bad;
    EXPECT_FALSE(has_usable_cost(shapeless));
    for (double OpWork::*const number : {&OpWork::weights_first_used, &OpWork::live_elements,
                                         &OpWork::gradient_elements, &OpWork::cut_elements}) {
      OpWork lasting = sample::linear(4, 3, 2);
      lasting.*number = bad;
      EXPECT_FALSE(has_usable_cost(lasting));
    }
  }
}

TEST(Lowering, SeveralLaunchesPerStepOfARecurrenceAreNotDenseProducts) {
  OpWork lstm = sample::linear(20 * 35, 400, 800);
  lstm.kind = OpKind::Recurrent;
  lstm.sequential_steps = 35;
  lstm.kernels_forward = 2 * 35 + 3;
  lstm.kernels_backward = 0;
  lstm.flops_backward = 0;
  const Step step = lowered(graph_of(lstm), without_update());
  EXPECT_EQ(launches(step, KernelClass::RecurrentStep), 35);
  EXPECT_EQ(launches(step, KernelClass::MatrixProduct), 3);
}

TEST(Lowering, FusedAttentionIsOneKernelForwardAndTwoBackward) {
  const GraphFeatures features = sample::attention(96, 128, 64);
  const std::vector<OpWork> ops = fuse_attention(features.ops);
  TrainingSetup setup = without_update();
  setup.attention = Attention::Fused;
  EXPECT_EQ(launches(lower(features, ops, setup), KernelClass::Attention), 3);
  EXPECT_EQ(launches(lowered(features, without_update()), KernelClass::Attention), 0);
}

TEST(ElementBytes, MixedPrecisionKeepsParametersAndSensitiveOperatorsInFourBytes) {
  const ElementBytes bytes = element_bytes(Precision::Amp);
  EXPECT_EQ(activation_bytes(bytes, OpKind::Convolution), 2);
  EXPECT_EQ(activation_bytes(bytes, OpKind::Softmax), 4);
  EXPECT_EQ(bytes.parameter, 4);
  EXPECT_EQ(bytes.weight_read, 2);
}

TEST(Lowering, AttentionInOneOperatorIsNoDenseProduct) {
  OpWork op = sample::linear(128, 64, 128);
  op.kind = OpKind::MatMul;
  op.op_type = "MultiHeadAttention";
  op.weight_elements = 0;
  op.weights_first_used = 0;
  op.weight_tensors = 0;
  const auto kinds_of = [](const OpWork& work) {
    std::vector<KernelClass> kinds;
    for (const Kernel& kernel : lowered(graph_of(work), without_update()).kernels) {
      kinds.push_back(kernel.kind);
    }
    return kinds;
  };
  EXPECT_EQ(kinds_of(op)[0], KernelClass::Attention);
  EXPECT_EQ(kinds_of(op)[1], KernelClass::Attention);
  op.op_type = "Attention";
  EXPECT_EQ(kinds_of(op)[0], KernelClass::Attention);
  op.weight_elements = 64 * 128;  // a projection inside
  EXPECT_EQ(kinds_of(op)[0], KernelClass::MatrixProduct);
  op.op_type = "MatMul";
  EXPECT_EQ(kinds_of(op)[0], KernelClass::MatrixProduct);
}

}  // namespace
}  // namespace horus::predict
