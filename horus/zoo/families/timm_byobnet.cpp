// SPDX-License-Identifier: Apache-2.0
// The networks that huggingface/pytorch-image-models (timm, models/byobnet.py) composes of
// interchangeable blocks: GPU-efficient networks (Lin et al. 2020, arXiv:2006.14090), RepVGG (Ding
// et al. 2021, arXiv:2101.03697; in training form, with its branches), residual networks of timm's
// own design, RegNet-Z (arXiv:2103.06877) and the image towers of CLIP (arXiv:2103.00020).

#include <array>

#include "horus/zoo/byob_network.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"

namespace horus::zoo {
namespace {

using byob::Attention;
using byob::Grouping;
using byob::Head;
using byob::InnerFrom;
using byob::Norm;
using byob::Plan;
using byob::Reduction;
using byob::Shortcut;
using byob::Spatial;
using byob::Stage;
using byob::Stages;
using byob::Stem;
using byob::StemPool;
using byob::Tail;
using enum byob::Block;
using Depths = std::array<int, 4>;

constexpr Plan kGernetL{.stages = {{{Basic, 1, 128, 2},
                                    {Basic, 2, 192, 2},
                                    {Bottleneck, 6, 640, 2, 0, 0.25},
                                    {Bottleneck, 5, 640, 2, 1, 3},
                                    {Bottleneck, 4, 640, 1, 1, 3}}},
                        .stem = {{32}},
                        .features = 2560};
constexpr Plan kGernetM{.stages = {{{Basic, 1, 128, 2},
                                    {Basic, 2, 192, 2},
                                    {Bottleneck, 6, 640, 2, 0, 0.25},
                                    {Bottleneck, 4, 640, 2, 1, 3},
                                    {Bottleneck, 1, 640, 1, 1, 3}}},
                        .stem = {{32}},
                        .features = 2560};
constexpr Plan kGernetS{.stages = {{{Basic, 1, 48, 2},
                                    {Basic, 3, 48, 2},
                                    {Bottleneck, 7, 384, 2, 0, 0.25},
                                    {Bottleneck, 2, 560, 2, 1, 3},
                                    {Bottleneck, 1, 256, 1, 1, 3}}},
                        .stem = {{13}},
                        .features = 1920};

/// RepVGG. The widths of its stages, and of the stem in front; `groups` in every other block.
constexpr Plan rep(std::int64_t stem, Depths depths, std::array<std::int64_t, 4> channels,
                   std::int64_t groups = 0) {
  Plan plan{.stem = {{stem}}, .grouping = Grouping::Alternating};
  for (std::size_t i = 0; i < depths.size(); ++i) {
    plan.stages[i] = {Rep, depths[i], channels[i], 2, groups};
  }
  return plan;
}

constexpr Depths kRepA{2, 4, 14, 1};
constexpr Depths kRepB{4, 6, 16, 1};

constexpr Plan rep_d2se() {
  Plan plan = rep(64, {8, 14, 24, 1}, {160, 320, 640, 2560});
  plan.attention = Attention::SqueezeExcite;
  plan.squeeze_divisor = 1;
  return plan;
}

constexpr Stem kTiered{{24, 32, 64}};
constexpr Stem kTieredPooled{{24, 32, 64}, StemPool::Max};
constexpr Stem kQuad{{16, 32, 64, 128}};
constexpr Stem kQuadOfTwo{{16, 32, 64, 128}, StemPool::None, 2};

/// Four stages of bottlenecks a quarter as wide inside as outside.
constexpr Stages bottlenecks(Depths depths, std::array<std::int64_t, 4> channels,
                             std::int64_t group = 0) {
  Stages stages{};
  for (std::size_t i = 0; i < depths.size(); ++i) {
    stages[i] = {Bottleneck, depths[i], channels[i], i == 0 ? 1 : 2, group, 0.25};
  }
  return stages;
}

constexpr std::array<std::int64_t, 4> kWidths{256, 512, 1024, 2048};

constexpr Plan next26(Attention attention) {
  return {.stages = bottlenecks({2, 2, 2, 2}, kWidths, 32),
          .stem = kTieredPooled,
          .activation = silu,
          .attention = attention};
}

constexpr Plan res33(Attention attention, std::int64_t features = 1280) {
  return {.stages = bottlenecks({2, 3, 3, 2}, {256, 512, 1536, 1536}),
          .stem = kTiered,
          .features = features,
          .activation = silu,
          .attention = attention};
}

/// A last stage of depthwise bottlenecks that are as wide inside as outside.
constexpr Stage kDepthwise{Bottleneck, 4, 1536, 2, 1, 1};
constexpr Plan kRes51q{.stages = {{{Bottleneck, 2, 256, 1, 32, 0.25},
                                   {Bottleneck, 4, 512, 2, 32, 0.25},
                                   {Bottleneck, 6, 1536, 2, 32, 0.25},
                                   kDepthwise}},
                       .stem = kQuadOfTwo,
                       .features = 2048,
                       .activation = silu};
constexpr Plan kRes61q{.stages = {{{Edge, 1, 256, 1},
                                   {Bottleneck, 4, 512, 2, 32, 0.25},
                                   {Bottleneck, 6, 1536, 2, 32, 0.25},
                                   kDepthwise}},
                       .stem = kQuad,
                       .features = 2048,
                       .activation = silu,
                       .spatial = Spatial::Twice};

/// RegNet-Z: inverted bottlenecks, `ratio` times as wide inside as their input.
constexpr Plan regnet_z(Stem stem, Depths depths, std::array<std::int64_t, 4> channels,
                        std::int64_t group, double ratio, std::int64_t features) {
  Plan plan{.stem = stem,
            .features = features,
            .activation = silu,
            .attention = Attention::SqueezeExcite,
            .squeeze = 4,
            .inner_from = InnerFrom::Input,
            .tail = Tail::Linear,
            .shortcut = Shortcut::WhereShapesAgree};
  for (std::size_t i = 0; i < depths.size(); ++i) {
    // One stem convolution leaves the first reduction to the first stage.
    const std::int64_t stride = i == 0 && stem.channels[1] != 0 ? 1 : 2;
    plan.stages[i] = {Bottleneck, depths[i], channels[i], stride, group, ratio};
  }
  return plan;
}

constexpr Plan regnet_z_small(double ratio) {
  return regnet_z({{32}}, {2, 6, 12, 2}, {48, 96, 192, 288}, 16, ratio, 1536);
}

constexpr Plan regnet_z_large(std::int64_t group) {
  return regnet_z(kTiered, {3, 6, 12, 3}, {64, 128, 256, 384}, group, 4, 1792);
}

constexpr Plan evo(Plan plan) {
  plan.norm = Norm::Evo;
  return plan;
}

constexpr Plan regnet_z_d8_evo() {
  Plan plan = evo(regnet_z_large(8));
  plan.stem = {{64, 64, 64}};
  return plan;
}

/// The image tower of CLIP at `scale` / 4 times the width of ResNet-50.
constexpr Plan clip(Depths depths, std::int64_t scale, Head head, std::int64_t classes) {
  return {.stages = bottlenecks(depths, {64 * scale, 128 * scale, 256 * scale, 512 * scale}),
          .stem = {{8 * scale, 8 * scale, 16 * scale}, StemPool::Average},
          .shortcut = Shortcut::Average,
          .reduction = Reduction::Average,
          .head = head,
          .classes = classes};
}

constexpr Depths k50{3, 4, 6, 3};
constexpr Depths k101{3, 4, 23, 3};
constexpr Depths kClip4{4, 6, 10, 6};
constexpr Depths kClip16{6, 8, 18, 8};
constexpr Depths kClip64{3, 15, 36, 10};

constexpr auto kModels = std::to_array<TimmModel<Plan>>({
    {"eca_resnet33ts", 256, res33(Attention::Efficient)},
    {"eca_resnext26ts", 256, next26(Attention::Efficient)},
    {"gcresnet33ts", 256, res33(Attention::GlobalContext)},
    {"gcresnet50t",
     256,
     {.stages = bottlenecks(k50, kWidths), .stem = kTiered, .attention = Attention::GlobalContext}},
    {"gcresnext26ts", 256, next26(Attention::GlobalContext)},
    {"gcresnext50ts",
     256,
     {.stages = bottlenecks(k50, kWidths, 32),
      .stem = kTieredPooled,
      .activation = silu,
      .attention = Attention::GlobalContext}},
    {"gernet_l", 256, kGernetL},
    {"gernet_m", 224, kGernetM},
    {"gernet_s", 224, kGernetS},
    {"regnetz_b16", 224, regnet_z_small(3)},
    {"regnetz_b16_evos", 224, evo(regnet_z_small(3))},
    {"regnetz_c16", 256, regnet_z_small(4)},
    {"regnetz_c16_evos", 256, evo(regnet_z_small(4))},
    {"regnetz_d32", 256, regnet_z_large(32)},
    {"regnetz_d8", 256, regnet_z_large(8)},
    {"regnetz_d8_evos", 256, regnet_z_d8_evo()},
    {"regnetz_e8", 256, regnet_z(kTiered, {3, 8, 16, 3}, {96, 192, 384, 512}, 8, 4, 2048)},
    {"repvgg_a0", 224, rep(48, kRepA, {48, 96, 192, 1280})},
    {"repvgg_a1", 224, rep(64, kRepA, {64, 128, 256, 1280})},
    {"repvgg_a2", 224, rep(64, kRepA, {96, 192, 384, 1408})},
    {"repvgg_b0", 224, rep(64, kRepB, {64, 128, 256, 1280})},
    {"repvgg_b1", 224, rep(64, kRepB, {128, 256, 512, 2048})},
    {"repvgg_b1g4", 224, rep(64, kRepB, {128, 256, 512, 2048}, 4)},
    {"repvgg_b2", 224, rep(64, kRepB, {160, 320, 640, 2560})},
    {"repvgg_b2g4", 224, rep(64, kRepB, {160, 320, 640, 2560}, 4)},
    {"repvgg_b3", 224, rep(64, kRepB, {192, 384, 768, 2560})},
    {"repvgg_b3g4", 224, rep(64, kRepB, {192, 384, 768, 2560}, 4)},
    {"repvgg_d2se", 320, rep_d2se()},
    {"resnet101_clip", 224, clip(k101, 4, Head::AttentionPool, 512)},
    {"resnet101_clip_gap", 224, clip(k101, 4, Head::Features, 0)},
    {"resnet32ts", 256, res33(Attention::None, 0)},
    {"resnet33ts", 256, res33(Attention::None)},
    {"resnet50_clip", 224, clip(k50, 4, Head::AttentionPool, 1024)},
    {"resnet50_clip_gap", 224, clip(k50, 4, Head::Features, 0)},
    {"resnet50_mlp", 256, clip(k50, 4, Head::Mlp, 1000)},
    {"resnet50x16_clip", 384, clip(kClip16, 6, Head::AttentionPool, 768)},
    {"resnet50x16_clip_gap", 384, clip(kClip16, 6, Head::Features, 0)},
    {"resnet50x4_clip", 288, clip(kClip4, 5, Head::AttentionPool, 640)},
    {"resnet50x4_clip_gap", 288, clip(kClip4, 5, Head::Features, 0)},
    {"resnet50x64_clip", 448, clip(kClip64, 8, Head::AttentionPool, 1024)},
    {"resnet50x64_clip_gap", 448, clip(kClip64, 8, Head::Features, 0)},
    {"resnet51q", 256, kRes51q},
    {"resnet61q", 256, kRes61q},
    {"resnext26ts", 256, next26(Attention::None)},
    {"seresnet33ts", 256, res33(Attention::SqueezeExcite)},
    {"seresnext26ts", 256, next26(Attention::SqueezeExcite)},
});

}  // namespace

std::vector<Entry> timm_byobnet_family() {
  return timm_entries(kModels, "blocks composed by timm, ImageNet (timm, models/byobnet.py)",
                      byob::build_network);
}

}  // namespace horus::zoo
