// SPDX-License-Identifier: Apache-2.0
// Fused operators of com.microsoft, each against the operators that it stands for.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "horus/graph/one_node_test.hpp"
#include "horus/graph/op_rule.hpp"

namespace horus::graph {
namespace {

using Ints = std::vector<std::int64_t>;
constexpr std::int64_t kOne = 1;

OneNode fused(const char* op) { return OneNode{op, 17, "com.microsoft"}; }

TEST(Microsoft, FusedMatMulTransposesItsOperands) {
  OneNode node = fused("FusedMatMul");
  node.data({2, 8, 5}).data({2, 7, 8}).with("transA", kOne).with("transB", kOne);
  const Outcome found = node.run();
  EXPECT_EQ(found.shape(), (Ints{2, 5, 7}));
  EXPECT_EQ(found.work.macs, 2 * 5 * 7 * 8);
}

TEST(Microsoft, SkipLayerNormalizationIsASumAndANormalization) {
  OneNode node = fused("SkipLayerNormalization");
  node.data({2, 5, 16}).data({2, 5, 16}).weight({16}).weight({16}).outputs(4);
  const Outcome found = node.run();
  EXPECT_EQ(found.shape(), (Ints{2, 5, 16}));
  EXPECT_EQ(found.shape("y1"), (Ints{2, 5, 1}));
  EXPECT_EQ(found.shape("y3"), (Ints{2, 5, 16}));
  EXPECT_EQ(found.work.flops_forward, (7 + 1) * 160) << "layer norm 7 per element, the sum 1";
  EXPECT_EQ(found.parameters, 32);
}

TEST(Microsoft, EmbedLayerNormalizationHasThreeTables) {
  OneNode node = fused("EmbedLayerNormalization");
  node.data({2, 5}, ElementType::Int32).data({2, 5}, ElementType::Int32);
  node.weight({100, 16}).weight({50, 16}).weight({2, 16}).weight({16}).weight({16}).outputs(2);
  const Outcome found = node.run();
  EXPECT_EQ(found.shape(), (Ints{2, 5, 16}));
  EXPECT_EQ(found.shape("y1"), (Ints{2}));
  EXPECT_EQ(found.parameters, 16 * (100 + 50 + 2 + 1 + 1));
}

TEST(Microsoft, ChannelsLastConvolutionCostsWhatTheOtherDoes) {
  OneNode node = fused("NhwcConv");
  const Outcome last = node.data({1, 8, 9, 3}).weight({6, 3, 3, 3}).run();
  OneNode first{"Conv"};
  const Outcome second = first.data({1, 3, 8, 9}).weight({6, 3, 3, 3}).run();
  EXPECT_EQ(last.shape(), (Ints{1, 6, 7, 6}));
  EXPECT_EQ(second.shape(), (Ints{1, 6, 6, 7}));
  EXPECT_EQ(last.work.macs, second.work.macs);
}

TEST(Microsoft, SplitGeluHalvesTheFeatures) {
  OneNode node = fused("BiasSplitGelu");
  EXPECT_EQ(node.data({2, 5, 64}).weight({64}).run().shape(), (Ints{2, 5, 32}));
}

TEST(Microsoft, QuantizedProductsCountAsProducts) {
  OneNode bits = fused("MatMulNBits");
  bits.data({2, 5, 64}).weight({96, 2, 16}, ElementType::Uint8).weight({192});
  bits.with("K", std::int64_t{64}).with("N", std::int64_t{96}).with("bits", std::int64_t{4});
  const Outcome found = bits.run();
  EXPECT_EQ(found.shape(), (Ints{2, 5, 96}));
  EXPECT_EQ(found.work.macs, 10 * 64 * 96);
  OneNode gemm = fused("QGemm");
  gemm.data({5, 8}, ElementType::Uint8).reals({1}).integers({0});
  gemm.weight({8, 6}, ElementType::Uint8).reals({1}).integers({0});
  const Outcome product = gemm.run();
  EXPECT_EQ(product.shape(), (Ints{5, 6}));
  EXPECT_EQ(product.type(), ElementType::Float32) << "without a zero point of the result";
  EXPECT_EQ(product.work.macs, 5 * 6 * 8);
}

TEST(Microsoft, QuantizedElementwiseOperatorsBroadcast) {
  OneNode sum = fused("QLinearAdd");
  sum.data({2, 3, 4}, ElementType::Uint8).reals({1}).integers({0});
  sum.data({4}, ElementType::Uint8).reals({1}).integers({0}).reals({1});
  EXPECT_EQ(sum.run().shape(), (Ints{2, 3, 4}));
  OneNode join = fused("QLinearConcat");
  join.reals({1}).integers({0});
  join.data({2, 3}, ElementType::Uint8).reals({1}).integers({0});
  join.data({2, 5}, ElementType::Uint8).reals({1}).integers({0}).with("axis", kOne);
  EXPECT_EQ(join.run().shape(), (Ints{2, 8}));
}

TEST(Microsoft, PoolsReadChannelsLast) {
  OneNode pool = fused("QLinearAveragePool");
  pool.data({1, 8, 9, 3}, ElementType::Uint8).reals({1}).integers({0}).reals({1});
  pool.with("channels_last", kOne).with("kernel_shape", Ints{2, 3});
  EXPECT_EQ(pool.run().shape(), (Ints{1, 7, 7, 3}));
  OneNode whole = fused("QLinearGlobalAveragePool");
  whole.data({1, 8, 9, 3}, ElementType::Uint8).reals({1}).integers({0}).reals({1}).integers({0});
  EXPECT_EQ(whole.with("channels_last", kOne).run().shape(), (Ints{1, 1, 1, 3}));
}

TEST(Microsoft, BitmasksHoldThirtyTwoElements) {
  const Outcome found = fused("BitmaskDropout").data({3, 33}).outputs(2).run();
  EXPECT_EQ(found.shape("y1"), (Ints{4})) << "99 bits";
}

TEST(Microsoft, SmallOperators) {
  EXPECT_EQ(fused("ExpandDims").data({3, 4}).integers({1}).run().shape(), (Ints{3, 1, 4}));
  EXPECT_EQ(fused("Inverse").data({2, 5, 5}).run().work.flops_forward, 2 * 2 * 125);
  OneNode bias = fused("RelativePositionBias");
  EXPECT_EQ(bias.weight({32, 8}).integers({5}).integers({7}).run().shape(), (Ints{1, 8, 5, 7}));
  OneNode crop = fused("CropAndResize");
  crop.data({1, 3, 20, 20}).data({6, 4}).data({6}, ElementType::Int32).integers({7, 9});
  EXPECT_EQ(crop.run().shape(), (Ints{6, 3, 7, 9}));
}

TEST(Domains, HaveTheirOwnOperatorsOfOneName) {
  const Node standard{.name = "", .op_type = "Attention", .domain = ""};
  const Node contributed{.name = "", .op_type = "Attention", .domain = "com.microsoft"};
  ASSERT_NE(find_rule(standard), nullptr);
  ASSERT_NE(find_rule(contributed), nullptr);
  EXPECT_NE(find_rule(standard)->infer, find_rule(contributed)->infer);
}

}  // namespace
}  // namespace horus::graph
