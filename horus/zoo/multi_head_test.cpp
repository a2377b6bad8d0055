// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/multi_head.hpp"

#include <optional>

#include <gtest/gtest.h>

#include "horus/graph/analysis.hpp"
#include "horus/zoo/position_network.hpp"

namespace horus::zoo {
namespace {

/// Parameters and multiply-accumulates of a finished network; its symbolic batch counts as 1.
struct Cost {
  double parameters{};
  double macs{};
};

Cost cost_of(Builder b) {
  const auto analysis = graph::analyse(std::move(b).finish());
  EXPECT_TRUE(analysis) << analysis.error().text();
  if (!analysis) return {};
  EXPECT_EQ(analysis->features.ops_without_cost, 0);
  return {.parameters = analysis->features.parameters,
          .macs = graph::totals_of(analysis->features).macs};
}

TEST(MultiHead, HeadsShareTheWidthAndAreJoinedAgain) {
  Builder b{"net", std::nullopt};
  const Value x = b.input("x", {kBatch, 9, 16, 12});
  const Value parts = part_heads(b, "parts", x, 3);
  EXPECT_EQ(parts.shape, (Shape{kBatch, 9, 3, 16, 4}));
  EXPECT_EQ(unite_heads(b, "united", parts).shape, x.shape);
}

TEST(MultiHead, CostsFourProductsOfTokensAndTwoOfPairsInEachWindow) {
  constexpr double kWindows = 9;
  constexpr double kTokens = 16;
  constexpr double kWidth = 12;
  Builder b{"net", std::nullopt};
  const Value x = b.input("x", {kBatch, 9, 16, 12});
  b.output(self_attention(b, "attn", x, {.heads = 3}));
  const Cost cost = cost_of(std::move(b));
  EXPECT_EQ(cost.parameters, 4 * (kWidth * kWidth + kWidth));
  EXPECT_EQ(cost.macs, kWindows * (4 * kTokens * kWidth * kWidth + 2 * kTokens * kTokens * kWidth));
}

TEST(MultiHead, KeysHaveNoTrainedBiasWhereTheyShallNot) {
  Builder b{"net", std::nullopt};
  const Value x = b.input("x", {kBatch, 16, 12});
  const HeadTriple heads = project_heads_keyless(b, "attn", x, 3);
  b.output(unite_heads(b, "context", attend_by_cosine(b, "attend", heads, {})));
  // The joint kernel, two biases, and one temperature for each head.
  EXPECT_EQ(cost_of(std::move(b)).parameters, 3 * 12 * 12 + 2 * 12 + 3);
}

TEST(MultiHead, RelativeBiasesHaveARowForEachDistance) {
  Builder b{"net", std::nullopt};
  const Value plain = relative_bias(b, "plain", 7, 5, 4);
  const Value with_class = relative_bias(b, "class", 7, 5, 4, 1);
  EXPECT_EQ(plain.shape, (Shape{4, 35, 35}));
  EXPECT_EQ(with_class.shape, (Shape{4, 36, 36}));
  b.output(plain);
  b.output(with_class);
  EXPECT_EQ(cost_of(std::move(b)).parameters, 2 * 13 * 9 * 4 + 3 * 4);
}

TEST(PositionNetwork, RunsOverEachDistanceOnce) {
  Builder b{"net", std::nullopt};
  const Value bias = position_network(
      b, "rel_pos", {.height = 7, .width = 7, .heads = 4, .inner = 32, .prefix = 1});
  EXPECT_EQ(bias.shape, (Shape{4, 50, 50}));
  b.output(bias);
  const Cost cost = cost_of(std::move(b));
  EXPECT_EQ(cost.parameters, 2 * 32 + 32 + 32 * 4 + 4);
  EXPECT_EQ(cost.macs, 13 * 13 * (2 * 32 + 32 * 4));
}

}  // namespace
}  // namespace horus::zoo
