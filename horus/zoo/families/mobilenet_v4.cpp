// SPDX-License-Identifier: Apache-2.0
// MobileNetV4 (Qin et al. 2024, arXiv:2404.10518, appendix D), as timm builds it: convolutional,
// and hybrid with attention that shares keys and values among its heads.

#include <array>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/mobile_network.hpp"

namespace horus::zoo {
namespace {

MobilePlan plan_of(std::vector<MobileStage> stages, std::int64_t stem) {
  stages.push_back({conv_row(1, 1, 1, 960)});
  return {.stages = std::move(stages),
          .style = {},
          .stem = stem,
          .head_width = Scaling::Fixed,
          .head = MobileHead::AfterPoolNormalized};
}

MobilePlan small() {
  return plan_of({{conv_row(1, 3, 2, 32), conv_row(1, 1, 1, 32)},
                  {conv_row(1, 3, 2, 96), conv_row(1, 1, 1, 64)},
                  {universal_row(1, 5, 5, 2, 3, 96), universal_row(4, 0, 3, 1, 2, 96),
                   universal_row(1, 3, 0, 1, 4, 96)},
                  {universal_row(1, 3, 3, 2, 6, 128), universal_row(1, 5, 5, 1, 4, 128),
                   universal_row(1, 0, 5, 1, 4, 128), universal_row(1, 0, 5, 1, 3, 128),
                   universal_row(2, 0, 3, 1, 4, 128)}},
                 32);
}

MobilePlan medium() {
  return plan_of({{fused_row(1, 3, 2, 4, 48)},
                  {universal_row(1, 3, 5, 2, 4, 80), universal_row(1, 3, 3, 1, 2, 80)},
                  {universal_row(1, 3, 5, 2, 6, 160), universal_row(2, 3, 3, 1, 4, 160),
                   universal_row(1, 3, 5, 1, 4, 160), universal_row(1, 3, 3, 1, 4, 160),
                   universal_row(1, 3, 0, 1, 4, 160), universal_row(1, 0, 0, 1, 2, 160),
                   universal_row(1, 3, 0, 1, 4, 160)},
                  {universal_row(1, 5, 5, 2, 6, 256), universal_row(1, 5, 5, 1, 4, 256),
                   universal_row(2, 3, 5, 1, 4, 256), universal_row(1, 0, 0, 1, 4, 256),
                   universal_row(1, 3, 0, 1, 4, 256), universal_row(1, 3, 5, 1, 2, 256),
                   universal_row(1, 5, 5, 1, 4, 256), universal_row(2, 0, 0, 1, 4, 256),
                   universal_row(1, 5, 0, 1, 2, 256)}},
                 32);
}

MobilePlan large() {
  return plan_of({{fused_row(1, 3, 2, 4, 48)},
                  {universal_row(1, 3, 5, 2, 4, 96), universal_row(1, 3, 3, 1, 4, 96)},
                  {universal_row(1, 3, 5, 2, 4, 192), universal_row(3, 3, 3, 1, 4, 192),
                   universal_row(1, 3, 5, 1, 4, 192), universal_row(5, 5, 3, 1, 4, 192),
                   universal_row(1, 3, 0, 1, 4, 192)},
                  {universal_row(4, 5, 5, 2, 4, 512), universal_row(1, 5, 0, 1, 4, 512),
                   universal_row(1, 5, 3, 1, 4, 512), universal_row(2, 5, 0, 1, 4, 512),
                   universal_row(1, 5, 3, 1, 4, 512), universal_row(1, 5, 5, 1, 4, 512),
                   universal_row(3, 5, 0, 1, 4, 512)}},
                 24);
}

MobilePlan hybrid_medium() {
  const MobileBlock coarse = query_row(4, 64, 2, 160);
  const MobileBlock fine = query_row(4, 64, 1, 256);
  MobilePlan plan = plan_of(
      {{fused_row(1, 3, 2, 4, 48)},
       {universal_row(1, 3, 5, 2, 4, 80), universal_row(1, 3, 3, 1, 2, 80)},
       {universal_row(1, 3, 5, 2, 6, 160), universal_row(1, 0, 0, 1, 2, 160),
        universal_row(1, 3, 3, 1, 4, 160), universal_row(1, 3, 5, 1, 4, 160), coarse,
        universal_row(1, 3, 3, 1, 4, 160), coarse, universal_row(1, 3, 0, 1, 4, 160), coarse,
        universal_row(1, 3, 3, 1, 4, 160), coarse, universal_row(1, 3, 0, 1, 4, 160)},
       {universal_row(1, 5, 5, 2, 6, 256), universal_row(1, 5, 5, 1, 4, 256),
        universal_row(2, 3, 5, 1, 4, 256), universal_row(1, 0, 0, 1, 2, 256),
        universal_row(1, 3, 5, 1, 2, 256), universal_row(1, 0, 0, 1, 2, 256),
        universal_row(1, 0, 0, 1, 4, 256), fine, universal_row(1, 3, 0, 1, 4, 256), fine,
        universal_row(1, 5, 5, 1, 4, 256), fine, universal_row(1, 5, 0, 1, 4, 256), fine,
        universal_row(1, 5, 0, 1, 4, 256)}},
      32);
  plan.style.layer_scale = LayerScale::Trained;
  return plan;
}

MobilePlan hybrid_large() {
  const MobileBlock coarse = query_row(8, 48, 2, 192);
  const MobileBlock fine = query_row(8, 64, 1, 512);
  MobilePlan plan = plan_of(
      {{fused_row(1, 3, 2, 4, 48)},
       {universal_row(1, 3, 5, 2, 4, 96), universal_row(1, 3, 3, 1, 4, 96)},
       {universal_row(1, 3, 5, 2, 4, 192), universal_row(3, 3, 3, 1, 4, 192),
        universal_row(1, 3, 5, 1, 4, 192), universal_row(2, 5, 3, 1, 4, 192), coarse,
        universal_row(1, 5, 3, 1, 4, 192), coarse, universal_row(1, 5, 3, 1, 4, 192), coarse,
        universal_row(1, 5, 3, 1, 4, 192), coarse, universal_row(1, 3, 0, 1, 4, 192)},
       {universal_row(4, 5, 5, 2, 4, 512), universal_row(1, 5, 0, 1, 4, 512),
        universal_row(1, 5, 3, 1, 4, 512), universal_row(2, 5, 0, 1, 4, 512),
        universal_row(1, 5, 3, 1, 4, 512), universal_row(1, 5, 5, 1, 4, 512), fine,
        universal_row(1, 5, 0, 1, 4, 512), fine, universal_row(1, 5, 0, 1, 4, 512), fine,
        universal_row(1, 5, 0, 1, 4, 512), fine, universal_row(1, 5, 0, 1, 4, 512)}},
      24);
  plan.style.activation = gelu;
  plan.style.layer_scale = LayerScale::Trained;
  return plan;
}

MobilePlan smoothed(MobilePlan plan, Antialias antialias) {
  plan.style.antialias = antialias;
  return plan;
}
MobilePlan averaged_medium() { return smoothed(medium(), Antialias::Average); }
MobilePlan blurred_medium() { return smoothed(medium(), Antialias::Blur); }
MobilePlan averaged_large() { return smoothed(large(), Antialias::Average); }

/// The stem does not shrink with the rest.
MobilePlan narrow(MobilePlan plan) {
  plan.stem_width = Scaling::Fixed;
  return plan;
}
MobilePlan narrow_small() { return narrow(small()); }
MobilePlan narrow_hybrid_medium() { return narrow(hybrid_medium()); }
MobilePlan narrow_hybrid_large() { return narrow(hybrid_large()); }

struct Row {
  MobilePlan (*plan)();
  MobileVariant variant;
};

constexpr auto kRows = std::to_array<Row>({
    {narrow_small, {"mobilenetv4_conv_small_035", 0.35}},
    {narrow_small, {"mobilenetv4_conv_small_050", 0.5}},
    {small, {"mobilenetv4_conv_small", 1, 1, 224}},
    {medium, {"mobilenetv4_conv_medium", 1, 1, 224}},
    {large, {"mobilenetv4_conv_large", 1, 1, 256}},
    {averaged_medium, {"mobilenetv4_conv_aa_medium", 1, 1, 256}},
    {blurred_medium, {"mobilenetv4_conv_blur_medium", 1, 1, 224}},
    {averaged_large, {"mobilenetv4_conv_aa_large", 1, 1, 384}},
    {hybrid_medium, {"mobilenetv4_hybrid_medium", 1, 1, 224}},
    {narrow_hybrid_medium, {"mobilenetv4_hybrid_medium_075", 0.75, 1, 224}},
    {hybrid_large, {"mobilenetv4_hybrid_large", 1, 1, 384}},
    {narrow_hybrid_large, {"mobilenetv4_hybrid_large_075", 0.75, 1, 256}},
});

}  // namespace

std::vector<Entry> mobilenet_v4_family() {
  std::vector<Entry> entries;
  for (const Row& row : kRows) {
    entries.push_back(
        mobile_entry(row.variant, "MobileNetV4, ImageNet (arXiv:2404.10518, timm)", row.plan()));
  }
  return entries;
}

}  // namespace horus::zoo
