// SPDX-License-Identifier: Apache-2.0
// Public reports of other counters about single operators, each with its right value. Reports about
// whole models stand in room zoo.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "horus/graph/costed_sketch_test.hpp"
#include "horus/graph/one_node_test.hpp"

namespace horus::graph {
namespace {

// facebookresearch/fvcore #78: ConvTranspose2d(32, 1, 3) on 1 x 32 x 1 x 1 was 81, is 288.
TEST(CounterReports, Fvcore78) {
  OneNode node{"ConvTranspose"};
  EXPECT_EQ(node.data({1, 32, 1, 1}).weight({32, 1, 3, 3}).run().work.macs, 288);
}

// sovrasov/flops-counter.pytorch #149: ConvTranspose2d(3, 1, 2, stride 2) on 1 x 3 x 2 x 2 was 208,
// is 48, with 13 parameters.
TEST(CounterReports, FlopsCounter149) {
  OneNode node{"ConvTranspose"};
  node.data({1, 3, 2, 2}).weight({3, 1, 2, 2}).weight({1}).with("strides", Ints{2, 2});
  const Outcome found = node.run();
  EXPECT_EQ(found.work.macs, 48);
  EXPECT_EQ(found.work.flops_forward, 2 * 48 + 16) << "a bias for each of 16 outputs";
  EXPECT_EQ(found.parameters, 13);
}

// pytorch/pytorch #119806: ConvTranspose2d(192, 384, 2, stride 2) on 6 x 192 x 30 x 96: backward
// was counted as 2,880 times forward (once more for each position), is twice.
TEST(CounterReports, PyTorch119806) {
  ModelSketch sketch;
  sketch.input("x", {6, 192, 30, 96}).weight("k", {192, 192, 1, 1}).weight("w", {192, 384, 2, 2});
  sketch.node("Conv", {"x", "k"}, {"h"});
  sketch.node("ConvTranspose", {"h", "w"}, {"y"}, {{"strides", Ints{2, 2}}}).output("y");
  const OpWork work = work_of(sketch, "y");
  EXPECT_EQ(work.flops_forward, 2.0 * 6 * 192 * 30 * 96 * 384 * 2 * 2);
  EXPECT_EQ(work.flops_backward, 2 * work.flops_forward);
}

// Lyken17/pytorch-OpCounter #20, sovrasov/flops-counter.pytorch #57: a transposed convolution costs
// kernel x channels in x channels out x positions of its input, whatever the size of its output.
TEST(CounterReports, OpCounter20) {
  for (const std::int64_t stride : {1, 2, 4}) {
    OneNode node{"ConvTranspose"};
    node.data({1, 16, 9, 7}).weight({16, 8, 5, 3}).with("strides", Ints{stride, stride});
    EXPECT_EQ(node.run().work.macs, 5 * 3 * 16 * 8 * 9 * 7) << stride;
  }
}

// sovrasov/flops-counter.pytorch #65, #101: nn.MultiheadAttention(512, 4) was counted as 0. Four
// projections of 512 x 512 and the two products of attention, here over 10 positions.
TEST(CounterReports, FlopsCounter65) {
  const double projections = 4.0 * 10 * 512 * 512;
  const double attention = 2.0 * 10 * 10 * 512;
  ModelSketch sketch{23};
  sketch.input("x", {1, 10, 512});
  for (const char* name : {"q", "k", "v", "o"}) {
    sketch.weight(std::string{"w"} + name, {512, 512});
  }
  for (const char* name : {"q", "k", "v"}) {
    sketch.node("MatMul", {"x", std::string{"w"} + name}, {name});
  }
  sketch.node("Attention", {"q", "k", "v"}, {"a"},
              {{"q_num_heads", std::int64_t{4}}, {"kv_num_heads", std::int64_t{4}}});
  sketch.node("MatMul", {"a", "wo"}, {"y"}).output("y");
  const auto analysis = analyse(sketch.model());
  ASSERT_TRUE(analysis);
  EXPECT_EQ(totals_of(analysis->features).macs, projections + attention);
}

// facebookresearch/fvcore #69, #133, sovrasov/flops-counter.pytorch #40: multiply-accumulates were
// printed as FLOPs. A product has two FLOPs for each, and both are told.
TEST(CounterReports, Fvcore69) {
  const Outcome found = OneNode("MatMul").data({4, 8}).data({8, 6}).run();
  EXPECT_EQ(found.work.macs, 4 * 8 * 6);
  EXPECT_EQ(found.work.flops_forward, 2 * found.work.macs);
}

// facebookresearch/fvcore #42: an activation that is no module of its own (swish) was skipped.
TEST(CounterReports, Fvcore42) {
  ModelSketch sketch;
  sketch.input("x", {2, 8}).node("Sigmoid", {"x"}, {"s"}).node("Mul", {"x", "s"}, {"y"});
  const auto analysis = analyse(sketch.output("y").model());
  ASSERT_TRUE(analysis);
  EXPECT_EQ(totals_of(analysis->features).flops_forward, 16 * (4 + 1));
}

// The packaged ONNX 1.12 is silent about these: Gelu (version 20), GroupNormalization (18),
// num_outputs of Split (18) and axes of Pad (18).
TEST(CounterReports, WhatTheOracleDoesNotKnow) {
  EXPECT_EQ(OneNode("Gelu", 20).data({2, 3}).run().shape(), (Ints{2, 3}));
  OneNode groups{"GroupNormalization", 21};
  groups.data({2, 8, 5}).weight({8}).weight({8}).with("num_groups", std::int64_t{4});
  EXPECT_EQ(groups.run().shape(), (Ints{2, 8, 5}));
  OneNode old{"GroupNormalization", 18};
  old.data({2, 8, 5}).weight({4}).weight({4}).with("num_groups", std::int64_t{4});
  EXPECT_EQ(old.run().parameters, 8) << "one weight and one bias for each group";
  OneNode split{"Split", 18};
  split.data({7, 2}).with("num_outputs", std::int64_t{3}).outputs(3);
  const Outcome parts = split.run();
  EXPECT_EQ(parts.shape("y1"), (Ints{3, 2}));
  EXPECT_EQ(parts.shape("y2"), (Ints{1, 2})) << "the last part is smaller";
  OneNode pad{"Pad", 18};
  EXPECT_EQ(pad.data({2, 3}).integers({1, 2}).none().integers({-1}).run().shape(), (Ints{2, 6}));
}

}  // namespace
}  // namespace horus::graph
