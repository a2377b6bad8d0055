// SPDX-License-Identifier: Apache-2.0
// Costs of single operators, each worked out by hand from its definition.

#include "horus/graph/costing.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/graph/costed_sketch_test.hpp"

namespace horus::graph {
namespace {

// --- Convolution ---------------------------------------------------------------------------------

TEST(ConvolutionCost, CountsTheKernelOnceForEveryOutput) {
  ModelSketch sketch;
  sketch.input("x", {2, 3, 8, 8}).weight("w", {6, 3, 3, 3}).weight("b", {6});
  sketch.node("Conv", {"x", "w", "b"}, {"y"}, {{"strides", Ints{2, 2}}}).output("y");
  const OpWork work = work_of(sketch, "y");
  // Output 2 x 6 x 3 x 3; 27 products each.
  EXPECT_EQ(work.kind, OpKind::Convolution);
  EXPECT_EQ(work.macs, 108 * 27);
  EXPECT_EQ(work.flops_forward, 2 * 108 * 27 + 108);
  EXPECT_EQ(work.gemm, (GemmShape{.m = 18, .n = 6, .k = 27, .groups = 1}));
  EXPECT_EQ(work.elements_read, 2 * 3 * 64);
  EXPECT_EQ(work.elements_written, 108);
  EXPECT_EQ(work.weight_elements, 6 * 27 + 6);
  EXPECT_EQ(work.weight_tensors, 2);
  EXPECT_EQ(work.saved_elements, 2 * 3 * 64) << "the input";
  // The data input needs no gradient: backward is that of the weight and of the bias.
  EXPECT_FALSE(work.needs_input_gradient);
  EXPECT_EQ(work.flops_backward, 2 * 108 * 27 + 108);
  EXPECT_EQ(work.kernels_forward, 2);
  EXPECT_EQ(work.kernels_backward, 2);
}

TEST(ConvolutionCost, ASecondLayerAlsoNeedsTheGradientOfItsInput) {
  ModelSketch sketch;
  sketch.input("x", {1, 1, 4, 4}).weight("a", {2, 1, 1, 1}).weight("b", {3, 2, 1, 1});
  sketch.node("Conv", {"x", "a"}, {"h"}).node("Conv", {"h", "b"}, {"y"}).output("y");
  const OpWork work = work_of(sketch, "y");
  EXPECT_TRUE(work.needs_input_gradient);
  EXPECT_EQ(work.macs, 16 * 2 * 3);
  EXPECT_EQ(work.flops_backward, 2 * 2 * work.macs);
  EXPECT_EQ(work.kernels_backward, 2);
  EXPECT_EQ(work.elements_written_backward, 32);
}

TEST(ConvolutionCost, TellsDepthwiseFromGrouped) {
  ModelSketch sketch;
  sketch.input("x", {1, 8, 6, 6}).weight("d", {8, 1, 3, 3}).weight("g", {8, 4, 1, 1});
  sketch.node("Conv", {"x", "d"}, {"h"}, {{"group", std::int64_t{8}}});
  sketch.node("Conv", {"h", "g"}, {"y"}, {{"group", std::int64_t{2}}}).output("y");
  const OpWork depthwise = work_of(sketch, "h");
  const OpWork grouped = work_of(sketch, "y");
  EXPECT_EQ(depthwise.kind, OpKind::DepthwiseConvolution);
  EXPECT_EQ(depthwise.macs, 8 * 16 * 9);
  EXPECT_EQ(depthwise.gemm, (GemmShape{.m = 16, .n = 1, .k = 9, .groups = 8}));
  EXPECT_EQ(grouped.kind, OpKind::GroupedConvolution);
  EXPECT_EQ(grouped.macs, 8 * 16 * 4);
  EXPECT_EQ(grouped.gemm, (GemmShape{.m = 16, .n = 4, .k = 4, .groups = 2}));
}

// Transposed convolutions stand in operator_reports_test.cpp.

// --- Products ------------------------------------------------------------------------------------

TEST(SharedWeights, BelongToTheFirstOperatorThatReadsThem) {
  ModelSketch sketch;
  sketch.input("x", {2, 4}).weight("w", {4, 4}).weight("v", {4, 4});
  sketch.node("MatMul", {"x", "w"}, {"h"});
  sketch.node("MatMul", {"h", "w"}, {"k"});
  sketch.node("MatMul", {"k", "v"}, {"y"}).output("y");
  EXPECT_EQ(work_of(sketch, "h").weights_first_used, 16);
  EXPECT_EQ(work_of(sketch, "k").weights_first_used, 0);
  EXPECT_EQ(work_of(sketch, "k").weight_elements, 16);
  EXPECT_EQ(work_of(sketch, "y").weights_first_used, 16);
  EXPECT_EQ(features_of(sketch).parameters, 32);
}

TEST(LinearCost, AWeightMakesALinearLayerAndTwoActivationsAProduct) {
  ModelSketch sketch;
  sketch.input("x", {2, 5, 4}).weight("w", {4, 6});
  sketch.node("MatMul", {"x", "w"}, {"h"});
  sketch.node("Transpose", {"h"}, {"t"}, {{"perm", Ints{0, 2, 1}}});
  sketch.node("MatMul", {"h", "t"}, {"y"}).output("y");
  const OpWork linear = work_of(sketch, "h");
  const OpWork product = work_of(sketch, "y");
  EXPECT_EQ(linear.kind, OpKind::Linear);
  EXPECT_EQ(linear.macs, 10 * 4 * 6);
  EXPECT_EQ(linear.gemm, (GemmShape{.m = 10, .n = 6, .k = 4, .groups = 1}));
  EXPECT_EQ(product.kind, OpKind::MatMul);
  EXPECT_EQ(product.macs, 2 * 5 * 5 * 6);
  EXPECT_EQ(product.gemm, (GemmShape{.m = 5, .n = 5, .k = 6, .groups = 2}));
  EXPECT_EQ(product.flops_backward, 2 * product.flops_forward + 60)
      << "60: h is used twice, so its gradients are added";
  EXPECT_EQ(product.saved_elements, 60 + 60) << "both operands";
}

TEST(LinearCost, GemmCountsItsBias) {
  ModelSketch sketch;
  sketch.input("x", {8, 4}).weight("w", {10, 4}).weight("b", {10});
  sketch.node("Gemm", {"x", "w", "b"}, {"y"}, {{"transB", std::int64_t{1}}}).output("y");
  const OpWork work = work_of(sketch, "y");
  EXPECT_EQ(work.macs, 320);
  EXPECT_EQ(work.flops_forward, 640 + 80);
  EXPECT_EQ(work.weight_elements, 50);
  EXPECT_EQ(work.kernels_forward, 1);
  EXPECT_EQ(work.kernels_backward, 2) << "weight and bias";
}

TEST(LinearCost, AnAddedBiasIsPartOfTheProduct) {
  ModelSketch sketch = with_gradient();
  sketch.weight("b", {16}).node("Add", {"h", "b"}, {"y"}).output("y");
  const OpWork work = work_of(sketch, "y");
  EXPECT_EQ(work.kernels_forward, 0);
  EXPECT_EQ(work.host_ops_forward, 0);
  EXPECT_EQ(work.kernels_backward, 1);
  EXPECT_EQ(work.weight_elements, 16);
}

TEST(EinsumCost, IsThatOfTheProductItNames) {
  ModelSketch sketch;
  sketch.input("x", {2, 5, 3, 4}).weight("w", {3, 4, 7});
  sketch.node("Einsum", {"x", "w"}, {"y"}, {{"equation", std::string{"abnd,ndh->abh"}}});
  sketch.output("y");
  const OpWork work = work_of(sketch, "y");
  EXPECT_EQ(work.macs, 2 * 5 * 12 * 7);
  EXPECT_EQ(work.gemm, (GemmShape{.m = 10, .n = 7, .k = 12, .groups = 1}));
  EXPECT_EQ(work.kind, OpKind::Linear);
}

// --- Recurrence ----------------------------------------------------------------------------------

TEST(RecurrentCost, CountsGatesPerStepAndDirection) {
  struct Case {
    const char* name;
    double gates;
  };
  for (const Case& one : {Case{"RNN", 1}, Case{"GRU", 3}, Case{"LSTM", 4}}) {
    const auto rows = static_cast<std::int64_t>(one.gates) * 5;
    ModelSketch sketch;
    sketch.input("x", {7, 2, 3}).weight("w", {2, rows, 3}).weight("r", {2, rows, 5});
    sketch.node(one.name, {"x", "w", "r"}, {"y"},
                {{"hidden_size", std::int64_t{5}}, {"direction", std::string{"bidirectional"}}});
    sketch.output("y");
    const OpWork work = work_of(sketch, "y");
    EXPECT_EQ(work.macs, 7 * 2 * 2 * one.gates * 5 * (3 + 5)) << one.name;
    EXPECT_EQ(work.sequential_steps, 7);
    EXPECT_EQ(work.elements_written, 7 * 2 * 2 * 5);
    EXPECT_GE(work.kernels_forward, 14) << "one kernel per step and direction";
    EXPECT_EQ(work.weight_elements, 2 * one.gates * 5 * (3 + 5));
  }
}

// --- Normalization -------------------------------------------------------------------------------

TEST(NormalizationCost, BatchNormReadsTwiceAndKeepsItsInputAndStatistics) {
  ModelSketch sketch;
  sketch.input("x", {2, 3, 4, 4}).weight("k", {6, 3, 1, 1});
  for (const char* name : {"scale", "bias", "mean", "var"}) sketch.weight(name, {6});
  sketch.node("Conv", {"x", "k"}, {"h"});
  sketch.node("BatchNormalization", {"h", "scale", "bias", "mean", "var"}, {"y"}).output("y");
  const GraphFeatures features = features_of(sketch);
  const OpWork& work = features.ops[1];
  constexpr double kSize = 2 * 6 * 16;
  EXPECT_EQ(work.kind, OpKind::BatchNorm);
  EXPECT_EQ(work.elements_read, 2 * kSize);
  EXPECT_EQ(work.elements_written, kSize);
  EXPECT_EQ(work.elements_read_backward + work.elements_written_backward, 5 * kSize);
  EXPECT_EQ(work.saved_elements, kSize + 2 * 6);
  EXPECT_EQ(work.weight_elements, 12);
  EXPECT_EQ(features.parameters, 18 + 12);
  EXPECT_EQ(features.buffers, 12);
}

TEST(NormalizationCost, LayerNormKeepsTwoNumbersPerRow) {
  ModelSketch sketch = with_gradient();
  sketch.weight("s", {16}).weight("b", {16});
  sketch.node("LayerNormalization", {"h", "s", "b"}, {"y"}).output("y");
  const OpWork work = work_of(sketch, "y");
  EXPECT_EQ(work.kind, OpKind::LayerNorm);
  EXPECT_EQ(work.saved_elements, 128 + 2 * 8);
  EXPECT_EQ(work.kernels_forward, 1);
  EXPECT_EQ(work.kernels_backward, 2);
  EXPECT_EQ(work.weight_elements, 32);
}

// --- What backward keeps -------------------------------------------------------------------------

struct Kept {
  const char* op;
  double elements;     ///< Of the 128 of its input.
  std::int64_t bytes;  ///< Masks and indices.
};

TEST(SavedActivations, AreThoseThatAutogradKeeps) {
  // PyTorch's tools/autograd/derivatives.yaml: `self`, `result` or neither.
  for (const Kept& one : {Kept{"Sigmoid", 128, 0}, Kept{"Tanh", 128, 0}, Kept{"Softmax", 128, 0},
                          Kept{"Gelu", 128, 0}, Kept{"Exp", 128, 0}, Kept{"Neg", 0, 0},
                          Kept{"Dropout", 0, 128}, Kept{"Identity", 0, 0}}) {
    ModelSketch sketch = with_gradient();
    sketch.node(one.op, {"h"}, {"y"}).output("y");
    const OpWork work = work_of(sketch, "y");
    EXPECT_EQ(work.saved_elements, one.elements) << one.op;
    EXPECT_EQ(work.saved_index_bytes.count(), one.bytes) << one.op;
  }
}

TEST(SavedActivations, AddKeepsNothingAndMulKeepsBoth) {
  for (const auto& [op, kept] : {std::pair{"Add", 0.0}, std::pair{"Mul", 256.0}}) {
    ModelSketch sketch = with_gradient();
    sketch.node("Neg", {"h"}, {"n"}).node(op, {"h", "n"}, {"y"}).output("y");
    EXPECT_EQ(work_of(sketch, "y").saved_elements, kept) << op;
  }
}

TEST(SavedActivations, AReluInPlaceIsKeptOnceForItselfAndTheNextLayer) {
  ModelSketch sketch = with_gradient();
  sketch.weight("w1", {16, 3}).node("Relu", {"h"}, {"r"}).node("MatMul", {"r", "w1"}, {"y"});
  sketch.output("y");
  EXPECT_TRUE(work_of(sketch, "r").inplace);
  EXPECT_EQ(work_of(sketch, "r").saved_elements, 128);
  EXPECT_EQ(work_of(sketch, "y").saved_elements, 0) << "its input is the output of the Relu";
}

TEST(SavedActivations, AReluWhoseInputIsUsedAgainIsNotInPlace) {
  ModelSketch sketch = with_gradient();
  sketch.node("Relu", {"h"}, {"r"}).node("Add", {"h", "r"}, {"y"}).output("y");
  EXPECT_FALSE(work_of(sketch, "r").inplace);
}

TEST(SavedActivations, AReluDoesNotOverwriteWhatItsProducerNeeds) {
  ModelSketch sketch = with_gradient();
  sketch.node("Sigmoid", {"h"}, {"s"}).node("Relu", {"s"}, {"y"}).output("y");
  EXPECT_FALSE(work_of(sketch, "y").inplace);
}

TEST(SavedActivations, AViewIsNotKeptAgain) {
  ModelSketch sketch = with_gradient();
  sketch.integers("shape", {4, 32}).weight("w1", {16, 3}).weight("w2", {32, 3});
  sketch.node("Reshape", {"h", "shape"}, {"v"}).node("MatMul", {"h", "w1"}, {"a"});
  sketch.node("MatMul", {"v", "w2"}, {"b"}).output("a").output("b");
  EXPECT_EQ(work_of(sketch, "a").saved_elements, 128);
  EXPECT_EQ(work_of(sketch, "b").saved_elements, 0);
}

TEST(SavedActivations, MaxPoolKeepsAnIndexOfEightBytesPerOutput) {
  ModelSketch sketch;
  sketch.input("x", {1, 1, 8, 8}).weight("k", {2, 1, 1, 1}).node("Conv", {"x", "k"}, {"h"});
  sketch.node("MaxPool", {"h"}, {"y"}, {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}});
  sketch.output("y");
  const OpWork work = work_of(sketch, "y");
  EXPECT_EQ(work.kind, OpKind::Pool);
  EXPECT_EQ(work.saved_index_bytes.count(), 2 * 16 * 8);
  EXPECT_EQ(work.flops_forward, 2 * 16 * 4);
}

TEST(SavedActivations, WhatLeadsToNoWeightIsNotKept) {
  ModelSketch sketch;
  sketch.input("mask", {8, 16}).scalar("one", 1).scalar("big", -10000);
  sketch.node("Sub", {"one", "mask"}, {"n"}).node("Mul", {"n", "big"}, {"y"}).output("y");
  const OpWork work = work_of(sketch, "y");
  EXPECT_EQ(work.saved_elements, 0);
  EXPECT_EQ(work.flops_backward, 0);
  EXPECT_EQ(work.kernels_backward, 0);
  EXPECT_EQ(features_of(sketch).parameters, 0);
}

// --- Small operators -----------------------------------------------------------------------------

TEST(PointwiseCost, IsOneOperationPerElement) {
  ModelSketch sketch = with_gradient();
  sketch.node("Relu", {"h"}, {"r"}).node("Add", {"r", "h"}, {"y"}).output("y");
  const OpWork relu = work_of(sketch, "r");
  EXPECT_EQ(relu.kind, OpKind::Activation);
  EXPECT_EQ(relu.flops_forward, 128);
  EXPECT_EQ(relu.flops_backward, 128);
  EXPECT_EQ(relu.elements_read, 128);
  EXPECT_EQ(relu.elements_written, 128);
  const OpWork add = work_of(sketch, "y");
  EXPECT_EQ(add.kind, OpKind::Elementwise);
  EXPECT_EQ(add.flops_forward, 128);
  EXPECT_EQ(add.elements_read, 256);
  // Backward hands the gradient on; as h was used before, its two gradients are added.
  EXPECT_EQ(add.kernels_backward, 1);
  EXPECT_EQ(add.flops_backward, 128);
}

TEST(PointwiseCost, ASumOfFourAddsThreeTimes) {
  ModelSketch sketch;
  sketch.input("a", {8}).input("b", {8}).input("c", {8}).input("d", {8});
  sketch.node("Sum", {"a", "b", "c", "d"}, {"y"}).output("y");
  EXPECT_EQ(work_of(sketch, "y").flops_forward, 24);
}

TEST(EmbeddingCost, ReadsRowsAndIndices) {
  ModelSketch sketch;
  sketch.input("ids", {2, 5}, ElementType::Int64).weight("table", {1000, 16});
  sketch.node("Gather", {"table", "ids"}, {"y"}).output("y");
  const GraphFeatures features = features_of(sketch);
  const OpWork& work = features.ops[0];
  EXPECT_EQ(work.kind, OpKind::Embedding);
  EXPECT_EQ(work.elements_read, 160);
  EXPECT_EQ(work.elements_written, 160);
  EXPECT_EQ(work.index_bytes.count(), 80);
  EXPECT_EQ(work.saved_index_bytes.count(), 80) << "the indices";
  EXPECT_EQ(work.weight_elements, 16'000);
  EXPECT_EQ(features.parameters, 16'000);
}

TEST(ReductionCost, ReadsAllAndWritesLittle) {
  ModelSketch sketch = with_gradient();
  sketch.node("ReduceMean", {"h"}, {"y"}, {{"axes", Ints{1}}}).output("y");
  const OpWork work = work_of(sketch, "y");
  EXPECT_EQ(work.kind, OpKind::Reduction);
  EXPECT_EQ(work.flops_forward, 128);
  EXPECT_EQ(work.elements_written, 8);
  EXPECT_EQ(work.saved_elements, 0);
}

TEST(FreeCost, ShapeArithmeticAndViewsLaunchNothing) {
  ModelSketch sketch = with_gradient();
  sketch.integers("zero", {0}).integers("rest", {-1});
  sketch.node("Shape", {"h"}, {"s"}).node("Gather", {"s", "zero"}, {"n"});
  sketch.node("Concat", {"n", "rest"}, {"t"}, {{"axis", std::int64_t{0}}});
  sketch.node("Reshape", {"h", "t"}, {"y"}).output("y");
  for (const OpWork& work : features_of(sketch).ops) {
    if (work.op_type == "MatMul") continue;
    EXPECT_EQ(work.kind, OpKind::Free) << work.op_type;
    EXPECT_EQ(work.kernels_forward + work.kernels_backward, 0) << work.op_type;
    EXPECT_EQ(work.flops_forward, 0) << work.op_type;
  }
}

TEST(Totals, AreSumsOverTheOperators) {
  ModelSketch sketch = with_gradient();
  sketch.node("Dropout", {"h"}, {"y"}).output("y");
  const Totals totals = totals_of(features_of(sketch));
  EXPECT_EQ(totals.macs, 8 * 4 * 16);
  EXPECT_EQ(totals.flops_forward, 2 * 512 + 2 * 128);
  EXPECT_EQ(totals.flops_training, totals.flops_forward + 2 * 512 + 128);
  EXPECT_EQ(totals.activation_bytes.count(), 4 * 32 + 128) << "x in floats, the mask in bytes";
  EXPECT_EQ(totals.kernels, 1 + 1 + 1 + 1);
}

}  // namespace
}  // namespace horus::graph
