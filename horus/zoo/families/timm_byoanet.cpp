// SPDX-License-Identifier: Apache-2.0
// Residual networks in which attention takes the place of convolutions, as
// huggingface/pytorch-image-models (timm, models/byoanet.py) composes them: bottleneck transformers
// (arXiv:2101.11605), HaloNets (arXiv:2103.12731) and LambdaNetworks (arXiv:2102.08602).

#include <array>
#include <iterator>

#include "horus/zoo/byob_network.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"

namespace horus::zoo {
namespace {

using byob::Attention;
using byob::InnerFrom;
using byob::Plan;
using byob::Shortcut;
using byob::Stages;
using byob::Stem;
using byob::StemPool;
using byob::Tail;
using enum byob::Block;

constexpr Stem kTiered{{24, 32, 64}};
constexpr Stem kTieredPooled{{24, 32, 64}, StemPool::Max};

constexpr ImageAttention kGlobal{};
constexpr ImageAttention kGlobal16{.head_width = 16};
constexpr ImageAttention kHalo3{.kind = ImageAttentionKind::Halo, .heads = 8};
constexpr ImageAttention kHalo3Of4{.kind = ImageAttentionKind::Halo};
constexpr ImageAttention kHalo2{.kind = ImageAttentionKind::Halo, .heads = 8, .halo = 2};
constexpr ImageAttention kHalo2Of16{
    .kind = ImageAttentionKind::Halo, .heads = 8, .head_width = 16, .halo = 2};
constexpr ImageAttention kHaloOdd{
    .kind = ImageAttentionKind::Halo, .heads = 8, .query_ratio = 0.33, .block = 7, .halo = 2};
constexpr ImageAttention kLambda{.kind = ImageAttentionKind::Lambda, .head_width = 16};
constexpr ImageAttention kLambda13{
    .kind = ImageAttentionKind::Lambda, .head_width = 16, .reach = 13};

/// Two blocks a stage; half of the third stage and all of the last attend.
constexpr Stages stages26(const ImageAttention& attention, std::int64_t group = 0) {
  return {{{Bottleneck, 2, 256, 1, group, 0.25},
           {Bottleneck, 2, 512, 2, group, 0.25},
           {Bottleneck, 2, 1024, 2, group, 0.25, 2, attention},
           {Bottleneck, 2, 2048, 2, group, 0.25, 1, attention}}};
}

/// The last block of the inner stages and all of the last attend.
constexpr Plan plan33(const ImageAttention& attention) {
  return {.stages = {{{Bottleneck, 2, 256, 1, 0, 0.25},
                      {Bottleneck, 3, 512, 2, 0, 0.25, 3, attention},
                      {Bottleneck, 3, 1024, 2, 0, 0.25, 3, attention},
                      {Bottleneck, 2, 1536, 2, 0, 0.333, 1, attention}}},
          .stem = kTiered,
          .features = 1280,
          .activation = silu,
          .attention = Attention::SqueezeExcite};
}

/// As ResNet-50; `every` is that of the second stage.
constexpr Plan plan50(Stem stem, int every, const ImageAttention& second,
                      const ImageAttention& third, const ImageAttention& fourth) {
  return {.stages = {{{Bottleneck, 3, 256, 1, 0, 0.25},
                      {Bottleneck, 4, 512, 2, 0, 0.25, every, second},
                      {Bottleneck, 6, 1024, 2, 0, 0.25, 2, third},
                      {Bottleneck, 3, 2048, 2, 0, 0.25, 2, fourth}}},
          .stem = stem,
          .activation = silu};
}

constexpr Plan plan26(const ImageAttention& attention) {
  return {.stages = stages26(attention), .stem = kTieredPooled};
}

constexpr Plan next26(const ImageAttention& attention) {
  return {.stages = stages26(attention, 16),
          .stem = kTieredPooled,
          .activation = silu,
          .attention = Attention::Efficient};
}

constexpr Plan kHaloH1{.stages = {{{Bottleneck, 3, 64, 1, 0, 1, 1, kHalo3},
                                   {Bottleneck, 3, 128, 2, 0, 1, 1, kHalo3},
                                   {Bottleneck, 10, 256, 2, 0, 1, 1, kHalo3},
                                   {Bottleneck, 3, 512, 2, 0, 1, 1, kHalo3}}},
                       .stem = {{64}, StemPool::Max, 0, 7}};

constexpr Plan kHaloRegnetZ{.stages = {{{Bottleneck, 2, 48, 2, 16, 3},
                                        {Bottleneck, 6, 96, 2, 16, 3},
                                        {Bottleneck, 12, 192, 2, 16, 3, 4, kHaloOdd},
                                        {Bottleneck, 2, 288, 2, 16, 3, 1, kHaloOdd}}},
                            .stem = {{32}},
                            .features = 1536,
                            .activation = silu,
                            .attention = Attention::SqueezeExcite,
                            .squeeze = 4,
                            .inner_from = InnerFrom::Input,
                            .tail = Tail::Linear,
                            .shortcut = Shortcut::WhereShapesAgree};

constexpr auto kGlobalModels = std::to_array<TimmModel<Plan>>({
    {"botnet26t_256", 256, plan26(kGlobal)},
    {"botnet50ts_256", 256, plan50(kTieredPooled, 4, kGlobal, kGlobal, kGlobal)},
    {"eca_botnext26ts_256", 256, next26(kGlobal16)},
    {"lambda_resnet26t", 256, plan26(kLambda)},
    {"lambda_resnet50ts", 256, plan50(kTieredPooled, 4, kLambda, kLambda, kLambda)},
    {"sebotnet33ts_256", 256, plan33(kGlobal)},
});

constexpr auto kHaloModels = std::to_array<TimmModel<Plan>>({
    {"eca_halonext26ts", 256, next26(kHalo2Of16)},
    {"halo2botnet50ts_256", 256, plan50(kTiered, 2, kHalo3, kHalo3, kGlobal)},
    {"halonet26t", 256, plan26(kHalo2)},
    {"halonet50ts", 256, plan50(kTieredPooled, 4, kHalo3Of4, kHalo3, kHalo3)},
    {"halonet_h1", 256, kHaloH1},
    {"lamhalobotnet50ts_256", 256, plan50(kTiered, 2, kLambda13, kHalo3, kGlobal)},
    {"sehalonet33ts", 256, plan33(kHalo3)},
});

constexpr auto kOddHaloModels =
    std::to_array<TimmModel<Plan>>({{"haloregnetz_b", 224, kHaloRegnetZ}});

}  // namespace

/// The last stage reduces the image by 32 and, of the networks with halos, has blocks of 8 or 7.
std::vector<Entry> timm_byoanet_family() {
  constexpr const char* kWhat =
      "attention in a residual network, ImageNet (timm, "
      "models/byoanet.py)";
  auto entries = timm_entries(kGlobalModels, kWhat, byob::build_network, {.step = 32});
  auto halos = timm_entries(kHaloModels, kWhat, byob::build_network, {.min = 256, .step = 256});
  auto odd = timm_entries(kOddHaloModels, kWhat, byob::build_network, {.min = 224, .step = 224});
  std::move(halos.begin(), halos.end(), std::back_inserter(entries));
  std::move(odd.begin(), odd.end(), std::back_inserter(entries));
  return entries;
}

}  // namespace horus::zoo
