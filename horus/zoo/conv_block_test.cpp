// SPDX-License-Identifier: Apache-2.0
// Blocks and gates that convolutional networks share, and the kernels they normalize.

#include "horus/zoo/conv_block.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/graph/analysis.hpp"
#include "horus/zoo/activating_norm.hpp"
#include "horus/zoo/channel_attention.hpp"
#include "horus/zoo/image_attention.hpp"
#include "horus/zoo/standardized_conv.hpp"

namespace horus::zoo {
namespace {

using ::testing::ElementsAre;

class ConvBlock : public ::testing::Test {
 protected:
  Value image(std::int64_t channels, std::int64_t side) {
    return b.input("x", {kBatch, channels, side, side});
  }

  /// Of everything that was built, for one image.
  graph::Analysis analysis(const Value& result) {
    b.output(result);
    auto made = graph::analyse(std::move(b).finish(), {.batch = 1, .dims = {}});
    EXPECT_TRUE(made) << made.error().text();
    return made ? *std::move(made) : graph::Analysis{};
  }

  double parameters(const Value& result) { return analysis(result).features.parameters; }
  double macs(const Value& result) { return graph::totals_of(analysis(result).features).macs; }

  Builder b{"net", std::nullopt};
};

TEST_F(ConvBlock, RoundsWidthsToTheNearestMultiple) {
  EXPECT_EQ(rounded_to(20, 8), 24);      // Half way: upwards.
  EXPECT_EQ(rounded_to(19, 8), 16 + 8);  // 16 is less than nine tenths of 19.
  EXPECT_EQ(rounded_to(19, 8, 0), 16);
  EXPECT_EQ(rounded_to(3, 8), 8);
  EXPECT_EQ(rounded_to(33.6, 1), 34);
}

TEST_F(ConvBlock, CentredKernelsKeepTheSide) {
  for (const std::int64_t size : {1, 3, 5, 7}) {
    const std::string name = std::to_string(size);
    const Value x = b.input(name, {kBatch, 4, 15, 15});
    EXPECT_THAT(conv(b, "c" + name, x, centred(6, size)).shape, ElementsAre(kBatch, 6, 15, 15));
  }
}

TEST_F(ConvBlock, IdentityAddsNoNode) {
  const Value x = image(3, 4);
  EXPECT_EQ(identity(b, "nothing", x).name, x.name);
}

TEST_F(ConvBlock, BlurPoolHalvesWithoutTrainedWeights) {
  const Value y = blur_pool(b, "blur", image(6, 14));
  EXPECT_THAT(y.shape, ElementsAre(kBatch, 6, 7, 7));
  const graph::Analysis made = analysis(y);
  EXPECT_EQ(made.features.parameters, 0);
  EXPECT_EQ(made.features.buffers, 6 * 9);
  EXPECT_EQ(graph::totals_of(made.features).macs, 6 * 9 * 7 * 7);
}

TEST_F(ConvBlock, HalvingAverageKeepsThePartialWindowOfAnOddSide) {
  EXPECT_THAT(halving_average(b, "pool", image(3, 7)).shape, ElementsAre(kBatch, 3, 4, 4));
}

TEST_F(ConvBlock, SqueezeAndExcitationHasTwoBiasedPointwiseConvolutions) {
  EXPECT_EQ(parameters(squeeze_excite(b, "se", image(64, 7), {.squeezed = 8})),
            64 * 8 + 8 + 8 * 64 + 64);
}

TEST_F(ConvBlock, EfficientAttentionWidensItsKernelWithTheChannels) {
  // |log2(C) / 2 + 1 / 2|, odd, of the paper: 3 for 64, 5 for 256, 7 for 2048.
  for (const std::int64_t channels : {64, 256}) {
    const std::string name = std::to_string(channels);
    const Value x = b.input("x" + name, {kBatch, channels, 7, 7});
    b.output(efficient_channel_attention(b, "eca" + name, x));
  }
  EXPECT_EQ(parameters(efficient_channel_attention(b, "eca", image(2048, 7))), 3 + 5 + 7);
}

TEST_F(ConvBlock, GlobalContextWeighsEveryPosition) {
  // 1x1 to one channel, a sum over 49 positions, two 1x1 with a layer normalization between them.
  const Value y = global_context(b, "gc", image(32, 7), 4);
  EXPECT_THAT(y.shape, ElementsAre(kBatch, 32, 7, 7));
  const graph::Analysis made = analysis(y);
  EXPECT_EQ(made.features.parameters, (32 + 1) + (32 * 4 + 4) + 2 * 4 + (4 * 32 + 32));
  EXPECT_EQ(graph::totals_of(made.features).macs, 32 * 49 + 32 * 49 + 2 * 32 * 4);
}

TEST_F(ConvBlock, StandardizedKernelsCostNoMoreMultiplications) {
  const ConvSpec spec = centred(8, 3);
  EXPECT_EQ(macs(standardized_conv(b, "c", image(4, 6), spec)), 8 * 4 * 9 * 36);
}

TEST_F(ConvBlock, ScaledKernelsTrainAGainForEachFilter) {
  ConvSpec spec = centred(8, 3, 1, 2);
  spec.bias = Bias::Trained;
  EXPECT_EQ(parameters(scaled_standardized_conv(b, "c", image(4, 6), spec, 1.7)),
            8 * 2 * 9 + 8 + 8);
}

TEST_F(ConvBlock, ActivatingNormsTrainThreeVectorsAndKeepTheShape) {
  const Value x = image(32, 6);
  const Value y = filter_response_norm(b, "frn", evo_norm(b, "evo", x, 4));
  EXPECT_EQ(y.shape, x.shape);
  EXPECT_EQ(parameters(y), 2 * 3 * 32);
}

TEST_F(ConvBlock, EvoNormWithoutActivationTrainsTwoVectors) {
  EXPECT_EQ(parameters(evo_norm_linear(b, "evo", image(32, 6), 4)), 2 * 32);
}

TEST_F(ConvBlock, GlobalAttentionSeesAllPairsOfPositions) {
  const Value y = image_attention(b, "attn", image(32, 6), {.heads = 4}, 2);
  EXPECT_THAT(y.shape, ElementsAre(kBatch, 32, 3, 3));
  const graph::Analysis made = analysis(y);
  constexpr double kPositions = 36;
  constexpr double kDistances = 2 * 6 - 1;
  EXPECT_EQ(made.features.parameters, 32 * 96 + 2 * kDistances * 8);
  EXPECT_EQ(
      graph::totals_of(made.features).macs,
      kPositions * 32 * 96 + 2 * kPositions * kPositions * 32 + 2 * kPositions * 32 * kDistances);
}

TEST_F(ConvBlock, HaloAttentionSeesABlockAndItsMargin) {
  const ImageAttention spec{.kind = ImageAttentionKind::Halo, .heads = 2, .block = 4, .halo = 1};
  const Value y = image_attention(b, "attn", image(16, 8), spec, 2);
  EXPECT_THAT(y.shape, ElementsAre(kBatch, 16, 4, 4));
  const graph::Analysis made = analysis(y);
  // 16 queries after the reduction, each with the 6 x 6 keys of its block.
  EXPECT_EQ(made.features.parameters, 16 * 16 + 16 * 32 + 2 * 11 * 8);
  EXPECT_EQ(graph::totals_of(made.features).macs,
            16 * 16 * 16 + 64 * 16 * 32 + 2 * 16 * 36 * 16 + 2 * 16 * 16 * 11);
}

TEST_F(ConvBlock, LambdaLayerConvolvesThePositionsAroundEachOther) {
  const ImageAttention spec{
      .kind = ImageAttentionKind::Lambda, .heads = 4, .head_width = 16, .reach = 3};
  const Value y = image_attention(b, "attn", image(32, 5), spec, 1);
  EXPECT_THAT(y.shape, ElementsAre(kBatch, 32, 5, 5));
  // Queries 4 x 16, keys 16, values 8; both normalized; 16 filters of 3 x 3 x 1 with biases.
  EXPECT_EQ(parameters(y), 32 * (64 + 16 + 8) + 2 * (64 + 8) + 16 * 9 + 16);
}

}  // namespace
}  // namespace horus::zoo
