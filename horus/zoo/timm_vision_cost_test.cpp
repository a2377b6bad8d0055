// SPDX-License-Identifier: Apache-2.0
// timm's transformers and mixers against arithmetic. Their published figures are judged elsewhere,
// by the list of them; here is what that list cannot show.

#include <array>

#include <gtest/gtest.h>

#include "horus/zoo/cost_of_test.hpp"

namespace horus::zoo {
namespace {

/// Multiply-accumulates of `depth` layers with a feed-forward of four times the width.
double transformer_macs(double depth, double width, double tokens) {
  return depth * (12 * width * width * tokens + 2 * tokens * tokens * width);
}

double patch_macs(double patches, double patch, double width) {
  return patches * 3 * patch * patch * width;
}

TEST(TimmVision, AVisionTransformerIsItsPatchesItsLayersAndItsHead) {
  const auto expected = [](double patches) {
    return patch_macs(patches, 16, 768) + transformer_macs(12, 768, patches + 1) + 768 * 1000;
  };
  EXPECT_EQ(cost_of("vit_base_patch16_224").macs, expected(14 * 14));
  EXPECT_EQ(cost_of("vit_base_patch16_224", {.image = 384}).macs, expected(24 * 24));
  EXPECT_EQ(cost_of("vit_base_patch16_224", {.image = 384}).parameters,
            cost_of("vit_base_patch16_384").parameters);
}

TEST(TimmVision, RegistersAreTokensLikeTheOthers) {
  constexpr double kTokens = 16 * 16 + 4;
  EXPECT_EQ(cost_of("vit_base_patch16_reg4_gap_256").macs,
            patch_macs(16 * 16, 16, 768) + transformer_macs(12, 768, kTokens) + 768 * 1000);
}

TEST(TimmVision, FeatureTowersHaveNoLastLayer) {
  constexpr double kTokens = 16 * 16;
  EXPECT_EQ(cost_of("vit_base_patch16_siglip_gap_256").macs,
            patch_macs(kTokens, 16, 768) + transformer_macs(12, 768, kTokens));
}

TEST(TimmVision, RotationCostsNoProducts) {
  constexpr double kTokens = 16 * 16 + 1;
  EXPECT_EQ(cost_of("vit_base_patch16_rope_reg1_gap_256").macs,
            patch_macs(16 * 16, 16, 768) + transformer_macs(12, 768, kTokens) + 768 * 1000);
}

TEST(TimmVision, WindowsMakeTheCostGrowWithTheImageOnly) {
  constexpr double kHead = 768 * 1000;
  const double small = cost_of("swin_tiny_patch4_window7_224").macs - kHead;
  const double large = cost_of("swin_tiny_patch4_window7_224", {.image = 448}).macs - kHead;
  EXPECT_EQ(large, 4 * small);
}

TEST(TimmVision, MixersAreFourLinearLayersForEachBlock) {
  constexpr double kTokens = 196;
  constexpr double kWidth = 768;
  constexpr double kBlock = 2 * kWidth * kTokens * (kWidth / 2) + 2 * kTokens * kWidth * 4 * kWidth;
  EXPECT_EQ(cost_of("mixer_b16_224").macs,
            patch_macs(kTokens, 16, kWidth) + 12 * kBlock + kWidth * 1000);
}

TEST(TimmVision, ConvMixersCountTheirDepthwiseConvolutions) {
  constexpr double kPlaces = 32 * 32;
  constexpr double kWidth = 768;
  EXPECT_EQ(
      cost_of("convmixer_768_32").macs,
      patch_macs(kPlaces, 7, kWidth) + 32 * kPlaces * kWidth * (7 * 7 + kWidth) + kWidth * 1000);
}

TEST(TimmVision, LevitCostsTheSameAsMapsAndAsTokens) {
  const Cost tokens = cost_of("levit_128s");
  const Cost maps = cost_of("levit_conv_128s");
  EXPECT_EQ(tokens.macs, maps.macs);
  EXPECT_EQ(tokens.parameters, maps.parameters);
}

struct OtherSize {
  const char* name{};
  std::int64_t image{};
};

// The least image that each family reads, and one that is not a power of two times its own.
constexpr auto kOtherSizes = std::to_array<OtherSize>({
    {"convformer_s18", 33},
    {"convmixer_768_32", 64},
    {"davit_tiny", 32},
    {"davit_tiny", 160},
    {"edgenext_xx_small", 32},
    {"edgenext_xx_small", 250},
    {"efficientvit_b0", 32},
    {"eva02_tiny_patch14_224", 14},
    {"hiera_tiny_224", 32},
    {"hiera_small_abswin_256", 224},
    {"levit_128s", 64},
    {"levit_conv_128s", 240},
    {"maxvit_pico_rw_256", 32},
    {"maxvit_rmlp_pico_rw_256", 96},
    {"mixer_s32_224", 64},
    {"mobilevit_xxs", 64},
    {"mobilevitv2_050", 192},
    {"mvitv2_tiny", 32},
    {"mvitv2_small_cls", 160},
    {"nest_tiny", 64},
    {"nest_tiny_jx", 80},
    {"pit_ti_224", 64},
    {"pit_ti_distilled_224", 240},
    {"poolformer_s12", 32},
    {"swin_tiny_patch4_window7_224", 32},
    {"swinv2_cr_tiny_224", 160},
    {"swinv2_tiny_window8_256", 192},
    {"test_vit", 16},
    {"tiny_vit_5m_224", 160},
    {"twins_pcpvt_small", 32},
    {"twins_svt_small", 160},
    {"vit_relpos_small_patch16_224", 48},
    {"vit_so400m_patch14_siglip_384", 380},
    {"vit_tiny_r_s16_p8_224", 160},
    {"vitamin_small_224", 48},
    {"volo_d1_224", 48},
    {"xcit_nano_12_p16_224", 48},
    {"xcit_nano_12_p8_224", 40},
});

class TimmVisionAt : public ::testing::TestWithParam<OtherSize> {};

TEST_P(TimmVisionAt, ReadsOtherImagesThanItsOwn) {
  const Cost cost = cost_of(GetParam().name, {.image = GetParam().image});
  EXPECT_GT(cost.parameters, 0);
  EXPECT_GT(cost.macs, 0);
}

INSTANTIATE_TEST_SUITE_P(Size, TimmVisionAt, ::testing::ValuesIn(kOtherSizes));

}  // namespace
}  // namespace horus::zoo
