// SPDX-License-Identifier: Apache-2.0
// timm's plain vision transformers: ViT (arXiv:2010.11929), DeiT III (arXiv:2204.07118), the image
// towers of CLIP and SigLIP, DINOv2 (arXiv:2304.07193), BEiT (arXiv:2106.08254), EVA
// (arXiv:2211.07636), EVA-02 (arXiv:2303.11331), and timm's own forms with registers, rotary or
// relative positions.

#include <array>
#include <string>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/image_entry.hpp"
#include "horus/zoo/multi_head.hpp"
#include "horus/zoo/tokens.hpp"
#include "horus/zoo/vision_transformer.hpp"

namespace horus::zoo {
namespace {

struct Size {
  std::int64_t width{};
  std::int64_t depth{};
  std::int64_t heads{};
  std::int64_t inner{};  ///< Of the feed-forward; one half of a gated one.
};

// clang-format off
constexpr Size kTest{64, 6, 2, 192};
constexpr Size kTiny{192, 12, 3, 768};
constexpr Size kTinyGated{192, 12, 3, 512};
constexpr Size kXSmall{256, 10, 4, 1024};
constexpr Size kWee{256, 14, 4, 1280};
constexpr Size kWee16{256, 16, 4, 1280};
constexpr Size kLittle{320, 14, 5, 1792};
constexpr Size kSmall{384, 12, 6, 1536};
constexpr Size kSmallGated{384, 12, 6, 1024};
constexpr Size kSmall18{384, 18, 6, 1536};
constexpr Size kSmall36{384, 36, 6, 1536};
constexpr Size kMedium{512, 12, 8, 2048};
constexpr Size kMediumDeep{512, 20, 8, 2048};
constexpr Size kBetwixt{640, 12, 10, 2560};
constexpr Size kBase{768, 12, 12, 3072};
constexpr Size kBaseGated{768, 12, 12, 2048};
constexpr Size kBase16Heads{768, 12, 16, 3072};
constexpr Size kBase18{768, 18, 12, 3072};
constexpr Size kBasePlus{896, 12, 14, 3584};
constexpr Size kSo150M{896, 18, 14, 2304};
constexpr Size kLarge{1024, 24, 16, 4096};
constexpr Size kLargeGated{1024, 24, 16, 2730};
constexpr Size kSo400M{1152, 27, 16, 4304};
constexpr Size kHuge{1280, 32, 16, 5120};
constexpr Size kGiant{1408, 40, 16, 6144};
constexpr Size kGiantDino{1536, 40, 24, 4096};
constexpr Size kGigantic{1664, 48, 16, 8192};
// clang-format on

constexpr double kClipEpsilon = 1e-5;

constexpr VitPlan registers(VitPlan style, std::int64_t count) {
  style.registers = count;
  return style;
}

constexpr VitPlan with_positions(VitPlan style, std::int64_t width) {
  style.position_width = width;
  return style;
}

// Styles: everything of a plan but its sizes.
constexpr VitPlan kPlain{};
constexpr VitPlan kUnbiased{.projection = VitProjection::JointUnbiased};
constexpr VitPlan kPostNorm{.block = VitBlock::PostNorm,
                            .projection = VitProjection::JointUnbiased,
                            .head = VitHead::AverageThenNorm,
                            .class_token = VitClassToken::Absent};
constexpr VitPlan kFused{.block = VitBlock::Fused,
                         .norm = VitNorm::RootMeanSquare,
                         .projection = VitProjection::JointUnbiased,
                         .positions = VitPositions::Patches,
                         .first_norm = VitOption::On,
                         .head_norm = VitOption::On};
constexpr VitPlan kDoubled{.block = VitBlock::Doubled, .layer_scale = VitOption::On};
constexpr VitPlan kClassThenAverage{.head = VitHead::AverageThenNorm};
constexpr VitPlan kAverage{.head = VitHead::Average, .class_token = VitClassToken::Absent};
constexpr VitPlan kAverageScaled{.projection = VitProjection::JointUnbiased,
                                 .head = VitHead::Average,
                                 .class_token = VitClassToken::Absent,
                                 .layer_scale = VitOption::On};
constexpr VitPlan kRegistersPlain{.positions = VitPositions::Patches,
                                  .head = VitHead::AverageThenNorm,
                                  .class_token = VitClassToken::Absent};
constexpr VitPlan kRegisters{.positions = VitPositions::Patches,
                             .head = VitHead::AverageThenNorm,
                             .class_token = VitClassToken::Absent,
                             .layer_scale = VitOption::On};
constexpr VitPlan kRegistersFused{.block = VitBlock::Fused,
                                  .positions = VitPositions::Patches,
                                  .head = VitHead::AverageThenNorm,
                                  .class_token = VitClassToken::Absent,
                                  .layer_scale = VitOption::On};
constexpr VitPlan kDeit3{.positions = VitPositions::Patches, .layer_scale = VitOption::On};
constexpr VitPlan kClip{.epsilon = kClipEpsilon, .first_norm = VitOption::On};
constexpr VitPlan kClipQuickGelu{
    .epsilon = kClipEpsilon, .activation = quick_gelu, .first_norm = VitOption::On};
constexpr VitPlan kSigLip{.head = VitHead::Attention, .class_token = VitClassToken::Absent};
constexpr VitPlan kDino2{.layer_scale = VitOption::On};
constexpr VitPlan kDino2Registers = kDeit3;
constexpr VitPlan kDino2Gated{.feed_forward = VitFeedForward::PackedGate,
                              .layer_scale = VitOption::On};
constexpr VitPlan kDino2RegistersGated{.feed_forward = VitFeedForward::PackedGate,
                                       .positions = VitPositions::Patches,
                                       .layer_scale = VitOption::On};
constexpr VitPlan kBeit{.projection = VitProjection::JointKeyless,
                        .positions = VitPositions::Table,
                        .head = VitHead::AverageThenNorm,
                        .layer_scale = VitOption::On};
constexpr VitPlan kEva{.projection = VitProjection::JointKeyless, .head = VitHead::AverageThenNorm};
constexpr VitPlan kEvaClip{.projection = VitProjection::JointKeyless};
constexpr VitPlan kEva02{.projection = VitProjection::Apart,
                         .feed_forward = VitFeedForward::NormedGate,
                         .head = VitHead::AverageThenNorm,
                         .rotary = VitOption::On};
constexpr VitPlan kEva02Small{.projection = VitProjection::JointKeyless,
                              .feed_forward = VitFeedForward::PackedGate,
                              .head = VitHead::AverageThenNorm,
                              .rotary = VitOption::On};
constexpr VitPlan kEva02Clip{.projection = VitProjection::Apart,
                             .feed_forward = VitFeedForward::NormedGate,
                             .context_norm = VitOption::On,
                             .rotary = VitOption::On};
constexpr VitPlan kRope{.projection = VitProjection::JointKeyless,
                        .positions = VitPositions::None,
                        .head = VitHead::AverageThenNorm,
                        .class_token = VitClassToken::Absent,
                        .layer_scale = VitOption::On,
                        .rotary = VitOption::On};
constexpr VitPlan kRopeUnbiased{.projection = VitProjection::JointUnbiased,
                                .positions = VitPositions::None,
                                .head = VitHead::AverageThenNorm,
                                .class_token = VitClassToken::Absent,
                                .layer_scale = VitOption::On,
                                .rotary = VitOption::On};
constexpr VitPlan kRelPosBiased{.positions = VitPositions::Network,
                                .head = VitHead::Average,
                                .class_token = VitClassToken::Absent,
                                .layer_scale = VitOption::On};
constexpr VitPlan kRelPosThenNorm{.projection = VitProjection::JointUnbiased,
                                  .positions = VitPositions::Network,
                                  .head = VitHead::AverageThenNorm,
                                  .class_token = VitClassToken::Absent,
                                  .layer_scale = VitOption::On};
constexpr VitPlan kRelPosClassAverage{.projection = VitProjection::JointUnbiased,
                                      .positions = VitPositions::Network,
                                      .head = VitHead::AverageThenNorm,
                                      .layer_scale = VitOption::On};
constexpr VitPlan kRelPosClass{.projection = VitProjection::JointUnbiased,
                               .positions = VitPositions::Network,
                               .layer_scale = VitOption::On};
constexpr VitPlan kRelPosPostNorm{.block = VitBlock::PostNorm,
                                  .projection = VitProjection::JointUnbiased,
                                  .positions = VitPositions::Network,
                                  .head = VitHead::Average,
                                  .class_token = VitClassToken::Absent};
constexpr VitPlan kRelPosPostNormBiased{.block = VitBlock::PostNorm,
                                        .positions = VitPositions::Network,
                                        .head = VitHead::Average,
                                        .class_token = VitClassToken::Absent};
constexpr VitPlan kSharedRelPos{.projection = VitProjection::JointUnbiased,
                                .positions = VitPositions::OneNetwork,
                                .head = VitHead::Average,
                                .class_token = VitClassToken::Absent,
                                .layer_scale = VitOption::On};

struct Row {
  const char* name;
  Size size;
  std::int64_t patch{};
  std::int64_t image{};
  VitPlan style;
  std::int64_t classes{1000};  ///< 0: trained to make features, and without a last layer.
};

// clang-format off
constexpr auto kRows = std::to_array<Row>({
    {"beit_base_patch16_224", kBase, 16, 224, kBeit},
    {"beit_base_patch16_384", kBase, 16, 384, kBeit},
    {"beit_large_patch16_224", kLarge, 16, 224, kBeit},
    {"beit_large_patch16_384", kLarge, 16, 384, kBeit},
    {"beit_large_patch16_512", kLarge, 16, 512, kBeit},
    {"deit3_base_patch16_384", kBase, 16, 384, kDeit3},
    {"deit3_huge_patch14_224", kHuge, 14, 224, kDeit3},
    {"deit3_large_patch16_224", kLarge, 16, 224, kDeit3},
    {"deit3_large_patch16_384", kLarge, 16, 384, kDeit3},
    {"deit3_medium_patch16_224", kMedium, 16, 224, kDeit3},
    {"deit3_small_patch16_224", kSmall, 16, 224, kDeit3},
    {"deit3_small_patch16_384", kSmall, 16, 384, kDeit3},
    {"eva02_base_patch14_224", kBaseGated, 14, 224, kEva02, 0},
    {"eva02_base_patch14_448", kBaseGated, 14, 448, kEva02},
    {"eva02_base_patch16_clip_224", kBaseGated, 16, 224, kEva02Clip, 512},
    {"eva02_large_patch14_224", kLargeGated, 14, 224, kEva02, 0},
    {"eva02_large_patch14_448", kLargeGated, 14, 448, kEva02},
    {"eva02_large_patch14_clip_224", kLargeGated, 14, 224, kEva02Clip, 768},
    {"eva02_large_patch14_clip_336", kLargeGated, 14, 336, kEva02Clip, 768},
    {"eva02_small_patch14_224", kSmallGated, 14, 224, kEva02Small, 0},
    {"eva02_small_patch14_336", kSmallGated, 14, 336, kEva02Small},
    {"eva02_tiny_patch14_224", kTinyGated, 14, 224, kEva02Small, 0},
    {"eva02_tiny_patch14_336", kTinyGated, 14, 336, kEva02Small},
    {"eva_giant_patch14_224", kGiant, 14, 224, kEva},
    {"eva_giant_patch14_336", kGiant, 14, 336, kEva},
    {"eva_giant_patch14_560", kGiant, 14, 560, kEva},
    {"eva_giant_patch14_clip_224", kGiant, 14, 224, kEvaClip, 1024},
    {"eva_large_patch14_196", kLarge, 14, 196, kClassThenAverage},
    {"eva_large_patch14_336", kLarge, 14, 336, kClassThenAverage},
    {"test_vit", kTest, 16, 160, kPlain},
    {"vit_base_patch14_dinov2", kBase, 14, 518, kDino2, 0},
    {"vit_base_patch14_reg4_dinov2", kBase, 14, 518, registers(kDino2Registers, 4), 0},
    {"vit_base_patch16_18x2_224", kBase18, 16, 224, kDoubled},
    {"vit_base_patch16_224", kBase, 16, 224, kPlain},
    {"vit_base_patch16_224_miil", kBase, 16, 224, kUnbiased, 11221},
    {"vit_base_patch16_384", kBase, 16, 384, kPlain},
    {"vit_base_patch16_clip_224", kBase, 16, 224, kClip},
    {"vit_base_patch16_clip_384", kBase, 16, 384, kClip},
    {"vit_base_patch16_clip_quickgelu_224", kBase, 16, 224, kClipQuickGelu, 512},
    {"vit_base_patch16_gap_224", kBase16Heads, 16, 224, kAverage},
    {"vit_base_patch16_plus_240", kBasePlus, 16, 240, kDino2},
    {"vit_base_patch16_reg4_gap_256", kBase, 16, 256, registers(kRegistersPlain, 4)},
    {"vit_base_patch16_rope_reg1_gap_256", kBase, 16, 256, registers(kRope, 1)},
    {"vit_base_patch16_rpn_224", kBase, 16, 224, kPostNorm},
    {"vit_base_patch16_siglip_224", kBase, 16, 224, kSigLip, 0},
    {"vit_base_patch16_siglip_256", kBase, 16, 256, kSigLip, 0},
    {"vit_base_patch16_siglip_384", kBase, 16, 384, kSigLip, 0},
    {"vit_base_patch16_siglip_512", kBase, 16, 512, kSigLip, 0},
    {"vit_base_patch16_siglip_gap_224", kBase, 16, 224, kAverage, 0},
    {"vit_base_patch16_siglip_gap_256", kBase, 16, 256, kAverage, 0},
    {"vit_base_patch16_siglip_gap_384", kBase, 16, 384, kAverage, 0},
    {"vit_base_patch16_siglip_gap_512", kBase, 16, 512, kAverage, 0},
    {"vit_base_patch16_xp_224", kBase, 16, 224, kFused},
    {"vit_base_patch32_224", kBase, 32, 224, kPlain},
    {"vit_base_patch32_384", kBase, 32, 384, kPlain},
    {"vit_base_patch32_clip_224", kBase, 32, 224, kClip},
    {"vit_base_patch32_clip_256", kBase, 32, 256, kClip, 512},
    {"vit_base_patch32_clip_384", kBase, 32, 384, kClip},
    {"vit_base_patch32_clip_448", kBase, 32, 448, kClip},
    {"vit_base_patch32_clip_quickgelu_224", kBase, 32, 224, kClipQuickGelu, 512},
    {"vit_base_patch32_plus_256", kBasePlus, 32, 256, kDino2},
    {"vit_base_patch8_224", kBase, 8, 224, kPlain},
    {"vit_betwixt_patch16_reg1_gap_256", kBetwixt, 16, 256, registers(kRegisters, 1)},
    {"vit_betwixt_patch16_reg4_gap_256", kBetwixt, 16, 256, registers(kRegisters, 4)},
    {"vit_betwixt_patch16_reg4_gap_384", kBetwixt, 16, 384, registers(kRegisters, 4)},
    {"vit_betwixt_patch16_rope_reg4_gap_256", kBetwixt, 16, 256, registers(kRope, 4)},
    {"vit_betwixt_patch32_clip_224", kBetwixt, 32, 224, kClip, 512},
    {"vit_giant_patch14_224", kGiant, 14, 224, kPlain},
    {"vit_giant_patch14_clip_224", kGiant, 14, 224, kClip, 1024},
    {"vit_giant_patch14_dinov2", kGiantDino, 14, 518, kDino2Gated, 0},
    {"vit_giant_patch14_reg4_dinov2", kGiantDino, 14, 518, registers(kDino2RegistersGated, 4), 0},
    {"vit_giant_patch16_gap_224", kGiant, 16, 224, kAverage, 0},
    {"vit_gigantic_patch14_224", kGigantic, 14, 224, kPlain},
    {"vit_gigantic_patch14_clip_224", kGigantic, 14, 224, kClip, 1280},
    {"vit_huge_patch14_224", kHuge, 14, 224, kPlain, 0},
    {"vit_huge_patch14_clip_224", kHuge, 14, 224, kClip},
    {"vit_huge_patch14_clip_336", kHuge, 14, 336, kClip},
    {"vit_huge_patch14_clip_378", kHuge, 14, 378, kClip, 1024},
    {"vit_huge_patch14_clip_quickgelu_224", kHuge, 14, 224, kClipQuickGelu, 1024},
    {"vit_huge_patch14_clip_quickgelu_378", kHuge, 14, 378, kClipQuickGelu, 1024},
    {"vit_huge_patch14_gap_224", kHuge, 14, 224, kAverage, 0},
    {"vit_huge_patch14_xp_224", kHuge, 14, 224, kFused},
    {"vit_huge_patch16_gap_448", kHuge, 16, 448, kAverage, 0},
    {"vit_large_patch14_224", kLarge, 14, 224, kPlain},
    {"vit_large_patch14_clip_224", kLarge, 14, 224, kClip},
    {"vit_large_patch14_clip_336", kLarge, 14, 336, kClip},
    {"vit_large_patch14_clip_quickgelu_224", kLarge, 14, 224, kClipQuickGelu, 768},
    {"vit_large_patch14_clip_quickgelu_336", kLarge, 14, 336, kClipQuickGelu, 768},
    {"vit_large_patch14_dinov2", kLarge, 14, 518, kDino2, 0},
    {"vit_large_patch14_reg4_dinov2", kLarge, 14, 518, registers(kDino2Registers, 4), 0},
    {"vit_large_patch14_xp_224", kLarge, 14, 224, kFused},
    {"vit_large_patch16_224", kLarge, 16, 224, kPlain},
    {"vit_large_patch16_384", kLarge, 16, 384, kPlain},
    {"vit_large_patch16_siglip_256", kLarge, 16, 256, kSigLip, 0},
    {"vit_large_patch16_siglip_384", kLarge, 16, 384, kSigLip, 0},
    {"vit_large_patch16_siglip_gap_256", kLarge, 16, 256, kAverage, 0},
    {"vit_large_patch16_siglip_gap_384", kLarge, 16, 384, kAverage, 0},
    {"vit_large_patch32_224", kLarge, 32, 224, kPlain, 0},
    {"vit_large_patch32_384", kLarge, 32, 384, kPlain},
    {"vit_little_patch16_reg1_gap_256", kLittle, 16, 256, registers(kRegisters, 1)},
    {"vit_little_patch16_reg4_gap_256", kLittle, 16, 256, registers(kRegisters, 4)},
    {"vit_medium_patch16_clip_224", kMedium, 16, 224, kClip, 512},
    {"vit_medium_patch16_gap_240", kMedium, 16, 240, kAverageScaled, 11821},
    {"vit_medium_patch16_gap_256", kMedium, 16, 256, kAverageScaled},
    {"vit_medium_patch16_gap_384", kMedium, 16, 384, kAverageScaled},
    {"vit_medium_patch16_reg1_gap_256", kMedium, 16, 256, registers(kRegisters, 1)},
    {"vit_medium_patch16_reg4_gap_256", kMedium, 16, 256, registers(kRegisters, 4)},
    {"vit_medium_patch16_rope_reg1_gap_256", kMedium, 16, 256, registers(kRope, 1)},
    {"vit_medium_patch32_clip_224", kMedium, 32, 224, kClip, 512},
    {"vit_mediumd_patch16_reg4_gap_256", kMediumDeep, 16, 256, registers(kRegisters, 4)},
    {"vit_mediumd_patch16_reg4_gap_384", kMediumDeep, 16, 384, registers(kRegisters, 4)},
    {"vit_mediumd_patch16_rope_reg1_gap_256", kMediumDeep, 16, 256, registers(kRopeUnbiased, 1)},
    {"vit_pwee_patch16_reg1_gap_256", kWee16, 16, 256, registers(kRegistersFused, 1)},
    {"vit_relpos_base_patch16_224", kBase, 16, 224, kRelPosThenNorm},
    {"vit_relpos_base_patch16_cls_224", kBase, 16, 224, with_positions(kRelPosClass, 128)},
    {"vit_relpos_base_patch16_clsgap_224", kBase, 16, 224, kRelPosClassAverage},
    {"vit_relpos_base_patch16_plus_240", kBasePlus, 16, 240, kRelPosBiased},
    {"vit_relpos_base_patch16_rpn_224", kBase, 16, 224, kRelPosPostNorm},
    {"vit_relpos_base_patch32_plus_rpn_256", kBasePlus, 32, 256, kRelPosPostNormBiased},
    {"vit_relpos_medium_patch16_224", kMedium, 16, 224, kRelPosThenNorm},
    {"vit_relpos_medium_patch16_cls_224", kMedium, 16, 224, with_positions(kRelPosClass, 256)},
    {"vit_relpos_medium_patch16_rpn_224", kMedium, 16, 224, kRelPosPostNorm},
    {"vit_relpos_small_patch16_224", kSmall, 16, 224, kRelPosThenNorm},
    {"vit_relpos_small_patch16_rpn_224", kSmall, 16, 224, kRelPosPostNorm},
    {"vit_small_patch14_dinov2", kSmall, 14, 518, kDino2, 0},
    {"vit_small_patch14_reg4_dinov2", kSmall, 14, 518, registers(kDino2Registers, 4), 0},
    {"vit_small_patch16_18x2_224", kSmall18, 16, 224, kDoubled},
    {"vit_small_patch16_224", kSmall, 16, 224, kPlain},
    {"vit_small_patch16_36x1_224", kSmall36, 16, 224, kDino2},
    {"vit_small_patch16_384", kSmall, 16, 384, kPlain},
    {"vit_small_patch32_224", kSmall, 32, 224, kPlain},
    {"vit_small_patch32_384", kSmall, 32, 384, kPlain},
    {"vit_small_patch8_224", kSmall, 8, 224, kPlain, 0},
    {"vit_so150m_patch16_reg4_gap_256", kSo150M, 16, 256, registers(kAverage, 4)},
    {"vit_so150m_patch16_reg4_map_256", kSo150M, 16, 256, registers(kSigLip, 4)},
    {"vit_so400m_patch14_siglip_224", kSo400M, 14, 224, kSigLip, 0},
    {"vit_so400m_patch14_siglip_384", kSo400M, 14, 384, kSigLip, 0},
    {"vit_so400m_patch14_siglip_gap_224", kSo400M, 14, 224, kAverage, 0},
    {"vit_so400m_patch14_siglip_gap_384", kSo400M, 14, 384, kAverage, 0},
    {"vit_so400m_patch14_siglip_gap_448", kSo400M, 14, 448, kAverage, 0},
    {"vit_so400m_patch14_siglip_gap_896", kSo400M, 14, 896, kAverage, 0},
    {"vit_srelpos_medium_patch16_224", kMedium, 16, 224, with_positions(kSharedRelPos, 512)},
    {"vit_srelpos_small_patch16_224", kSmall, 16, 224, with_positions(kSharedRelPos, 384)},
    {"vit_tiny_patch16_224", kTiny, 16, 224, kPlain},
    {"vit_tiny_patch16_384", kTiny, 16, 384, kPlain},
    {"vit_wee_patch16_reg1_gap_256", kWee, 16, 256, registers(kRegisters, 1)},
    {"vit_xsmall_patch16_clip_224", kXSmall, 16, 224, kClip, 512},
{"deit3_base_patch16_224", kBase, 16, 224, kDeit3},
});
// clang-format on

VitPlan plan_of(const Row& row) {
  VitPlan plan = row.style;
  plan.width = row.size.width;
  plan.depth = row.size.depth;
  plan.heads = row.size.heads;
  plan.inner = row.size.inner;
  plan.patch = row.patch;
  plan.classes = row.classes;
  return plan;
}

Entry entry(const Row& row) {
  const VitPlan plan = plan_of(row);
  const std::string what = "Vision Transformer of " + std::to_string(plan.depth) +
                           " layers, width " + std::to_string(plan.width) + ", patches of " +
                           std::to_string(plan.patch) + " (arXiv:2010.11929, timm)";
  // A few models are trained at a size that is no multiple of the patch; they ignore the rest.
  const ImageRange images{.min = plan.patch, .step = row.image % plan.patch == 0 ? plan.patch : 1};
  return image_entry(row.name, what, row.image, images, [plan](Builder& b, std::int64_t image) {
    build_vision_transformer(b, plan, image);
  });
}

}  // namespace

std::vector<Entry> timm_vit_family() {
  std::vector<Entry> entries;
  for (const Row& row : kRows) entries.push_back(entry(row));
  return entries;
}

}  // namespace horus::zoo
