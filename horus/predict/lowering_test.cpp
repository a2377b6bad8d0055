// SPDX-License-Identifier: Apache-2.0
// The kernels of small steps, counted by hand.
#include "horus/predict/lowering.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/predict/element_bytes.hpp"
#include "horus/predict/sample_features.hpp"

namespace horus::predict {
namespace {

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
  // 4 x 3 by 3 x 2: 24 multiply-accumulates. Forward reads 12 + 6, writes 8 numbers; backward
  // moves 40 activations and the weight twice, shared by two products.
  const Step step = lowered(graph_of(sample::linear(4, 3, 2)), without_update());
  const Kernel product{KernelClass::MatrixProduct, 1, 48, 104, 1};
  const Kernel loss{KernelClass::Pointwise, 2, 0, 0, 0};
  EXPECT_THAT(step.kernels, ElementsAre(product, product, product, loss, loss));
}

TEST(Lowering, LayerFedByDataNeedsNoInputGradient) {
  OpWork first = sample::linear(4, 3, 2);
  first.needs_input_gradient = false;
  first.kernels_backward = 1;
  first.flops_backward = 48;
  first.elements_read_backward = 20;
  first.elements_written_backward = 0;
  const Step step = lowered(graph_of(first), without_update());
  const Kernel forward{KernelClass::MatrixProduct, 1, 48, 104, 1};
  const Kernel weight{KernelClass::MatrixProduct, 1, 48, 20 * 4 + 6 * 4, 1};
  EXPECT_EQ(step.kernels[0], forward);
  EXPECT_EQ(step.kernels[1], weight);
  EXPECT_EQ(launches(step, KernelClass::MatrixProduct), 2);
}

TEST(Lowering, BiasGradientStreamsBesideTheProducts) {
  OpWork biased = sample::linear(4, 3, 2);
  biased.kernels_backward = 3;
  const Step step = lowered(graph_of(biased), without_update());
  EXPECT_EQ(launches(step, KernelClass::MatrixProduct), 3);
  EXPECT_EQ(launches(step, KernelClass::Pointwise), 1 + 4);
  EXPECT_DOUBLE_EQ(flops(step), 144);
}

TEST(Lowering, HalfPrecisionHalvesBytesNotFlops) {
  const GraphFeatures features = graph_of(sample::linear(64, 64, 64));
  const Step full = lowered(features, without_update());
  const Step half = lowered(features, without_update(Precision::Fp16));
  EXPECT_DOUBLE_EQ(half.kernels[0].bytes, full.kernels[0].bytes / 2);
  EXPECT_DOUBLE_EQ(half.kernels[0].flops, full.kernels[0].flops);
}

TEST(Lowering, UpdateRunsPerParameterTensor) {
  GraphFeatures features = graph_of(sample::linear(4, 3, 2));
  features.parameters = 600;
  features.parameter_tensors = 10;
  struct Case {
    Optimizer optimizer;
    double launches;
  };
  // Zeroing and accumulating gradients are two more launches per tensor.
  for (const Case& c :
       {Case{Optimizer::None, 0}, Case{Optimizer::Sgd, 30}, Case{Optimizer::Momentum, 60},
        Case{Optimizer::Adam, 100}, Case{Optimizer::AdamW, 110}}) {
    const Step step = lowered(features, {.optimizer = c.optimizer});
    EXPECT_EQ(launches(step, KernelClass::Update), c.launches) << name_of(c.optimizer);
    EXPECT_EQ(step.host_ops_update, c.launches) << name_of(c.optimizer);
  }
}

TEST(Lowering, SgdReadsTwoAndWritesOneNumberPerParameter) {
  GraphFeatures features;
  features.parameters = 600;
  features.parameter_tensors = 10;
  const Step step = lowered(features, {.optimizer = Optimizer::Sgd});
  EXPECT_EQ(step.kernels.back(), (Kernel{KernelClass::Update, 10, 60, 3 * 4 * 60, 0}));
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

TEST(ElementBytes, MixedPrecisionKeepsParametersAndSensitiveOperatorsInFourBytes) {
  const ElementBytes bytes = element_bytes(Precision::Amp);
  EXPECT_EQ(activation_bytes(bytes, OpKind::Convolution), 2);
  EXPECT_EQ(activation_bytes(bytes, OpKind::Softmax), 4);
  EXPECT_EQ(bytes.parameter, 4);
  EXPECT_EQ(bytes.weight_read, 2);
}

}  // namespace
}  // namespace horus::predict
