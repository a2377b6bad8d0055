// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/fused_attention.hpp"

#include <gtest/gtest.h>

#include "horus/predict/sample_features.hpp"

namespace horus::predict {
namespace {

// Two samples of 4 heads, 16 tokens, 8 numbers a head.
constexpr double kTokens = 8.0 * 16 * 8;
constexpr double kMatrix = 8.0 * 16 * 16;

TEST(FusedAttention, ReplacesABlockByOneOperator) {
  const auto ops = fuse_attention(sample::attention(8, 16, 8).ops);
  ASSERT_EQ(ops.size(), 1U);
  EXPECT_DOUBLE_EQ(ops[0].flops_forward, 2 * 2 * kMatrix * 8);
  EXPECT_DOUBLE_EQ(ops[0].flops_backward, 5 * 2 * kMatrix * 8);  // five products, not four
}

TEST(FusedAttention, NeverMovesTheScores) {
  const OpWork op = fuse_attention(sample::attention(8, 16, 8).ops).at(0);
  EXPECT_DOUBLE_EQ(op.elements_read, 3 * kTokens);
  EXPECT_DOUBLE_EQ(op.elements_written, kTokens);
}

TEST(FusedAttention, KeepsQueriesKeysValuesAndOneNumberPerRow) {
  const OpWork op = fuse_attention(sample::attention(8, 16, 8).ops).at(0);
  EXPECT_DOUBLE_EQ(op.saved_elements, 3 * kTokens);
  EXPECT_EQ(op.saved_index_bytes, Bytes{4 * 8 * 16});
}

TEST(FusedAttention, LeavesOtherOperatorsAlone) {
  const GraphFeatures features = sample::perceptron(4, 3, 16);
  EXPECT_EQ(fuse_attention(features.ops), features.ops);
}

TEST(FusedAttention, ScoresWithoutContextAreKept) {
  auto ops = sample::attention(8, 16, 8).ops;
  ops.pop_back();
  const auto fused = fuse_attention(ops);
  ASSERT_EQ(fused.size(), 1U);
  EXPECT_EQ(fused[0], ops[0]);
}

TEST(FusedAttention, BlocksOneAfterTheOtherStayApart) {
  auto ops = sample::attention(8, 16, 8).ops;
  const auto second = sample::attention(8, 16, 8).ops;
  ops.insert(ops.end(), second.begin(), second.end());
  const auto fused = fuse_attention(ops);
  ASSERT_EQ(fused.size(), 2U);
  EXPECT_EQ(fused[0], fused[1]);
}

}  // namespace
}  // namespace horus::predict
