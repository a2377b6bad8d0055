// SPDX-License-Identifier: Apache-2.0
// EfficientNet and its relatives in the forms of timm that torchvision has not: those with
// TensorFlow's padding ("tf_"), with other normalizations, for edge devices, and version 2 beyond
// the three sizes of torchvision (see efficientnet.cpp for those).

#include <array>
#include <span>
#include <utility>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/mobile_network.hpp"

namespace horus::zoo {
namespace {

constexpr Padding kSame = Padding::Same;
constexpr double kQuarter = 0.25;

/// Table 1 of arXiv:1905.11946.
MobilePlan efficientnet() {
  return {.stages = {{separable_row(1, 3, 1, 16, kQuarter)},
                     {inverted_row(2, {3}, 2, 6, 24, kQuarter)},
                     {inverted_row(2, {5}, 2, 6, 40, kQuarter)},
                     {inverted_row(3, {3}, 2, 6, 80, kQuarter)},
                     {inverted_row(3, {5}, 1, 6, 112, kQuarter)},
                     {inverted_row(4, {5}, 2, 6, 192, kQuarter)},
                     {inverted_row(1, {3}, 1, 6, 320, kQuarter)}},
          .style = {.activation = silu}};
}

/// Without squeeze, with fixed ends (tensorflow/tpu, efficientnet/lite).
MobilePlan lite() {
  MobilePlan plan = efficientnet();
  for (MobileStage& stage : plan.stages) {
    for (MobileBlock& row : stage) row.squeeze = 0;
  }
  plan.style.activation = relu6;
  plan.outer_depth = Scaling::Fixed;
  plan.stem_width = Scaling::Fixed;
  plan.head_width = Scaling::Fixed;
  return plan;
}

/// EfficientNet-EdgeTPU (tensorflow/tpu, efficientnet/edgetpu).
MobilePlan edge() {
  MobileBlock first = with_skip(fused_row(1, 3, 1, 4, 24), Skip::Never);
  first.expand_from = 24;
  return {.stages = {{first},
                     {fused_row(2, 3, 2, 8, 32)},
                     {fused_row(4, 3, 2, 8, 48)},
                     {inverted_row(5, {5}, 2, 8, 96)},
                     {inverted_row(4, {5}, 1, 8, 144)},
                     {inverted_row(2, {5}, 2, 8, 192)}},
          .style = {}};
}

/// EfficientNetV2-B0 (google/automl, efficientnetv2).
MobilePlan v2_base() {
  return {.stages = {{with_skip(conv_row(1, 3, 1, 16), Skip::WhereShapesAgree)},
                     {fused_row(2, 3, 2, 4, 32)},
                     {fused_row(2, 3, 2, 4, 48)},
                     {inverted_row(3, {3}, 2, 4, 96, kQuarter)},
                     {inverted_row(5, {3}, 1, 6, 112, kQuarter)},
                     {inverted_row(8, {3}, 2, 6, 192, kQuarter)}},
          .style = {.activation = silu},
          .floor = 0};
}

/// Depths and widths of the stages of EfficientNetV2 (Tan and Le 2021, arXiv:2104.00298, table 4,
/// and google/automl): three without squeeze, the others with it.
struct V2Sizes {
  std::array<int, 7> depths{};
  std::array<std::int64_t, 7> widths{};  ///< 0: no such stage.
};

constexpr V2Sizes kV2S{{2, 4, 4, 6, 9, 15, 0}, {24, 48, 64, 128, 160, 256, 0}};
constexpr V2Sizes kV2M{{3, 5, 5, 7, 14, 18, 5}, {24, 48, 80, 160, 176, 304, 512}};
constexpr V2Sizes kV2L{{4, 7, 7, 10, 19, 25, 7}, {32, 64, 96, 192, 224, 384, 640}};
constexpr V2Sizes kV2Xl{{4, 8, 8, 16, 24, 32, 8}, {32, 64, 96, 192, 256, 512, 640}};

MobilePlan v2(const V2Sizes& sizes) {
  const auto& [depths, widths] = sizes;
  MobilePlan plan{
      .stages = {{with_skip(conv_row(depths[0], 3, 1, widths[0]), Skip::WhereShapesAgree)},
                 {fused_row(depths[1], 3, 2, 4, widths[1])},
                 {fused_row(depths[2], 3, 2, 4, widths[2])},
                 {inverted_row(depths[3], {3}, 2, 4, widths[3], kQuarter)},
                 {inverted_row(depths[4], {3}, 1, 6, widths[4], kQuarter)},
                 {inverted_row(depths[5], {3}, 2, 6, widths[5], kQuarter)}},
      .style = {.activation = silu},
      .stem = widths[0]};
  if (widths[6] != 0)
    plan.stages.push_back({inverted_row(depths[6], {3}, 1, 6, widths[6], kQuarter)});
  return plan;
}

MobilePlan v2_s() { return v2(kV2S); }
MobilePlan v2_m() { return v2(kV2M); }
MobilePlan v2_l() { return v2(kV2L); }
MobilePlan v2_xl() { return v2(kV2Xl); }

/// With a weighted mean as the squeeze.
MobilePlan v2_context() {
  MobilePlan plan = v2_s();
  plan.style.squeeze_mean = SqueezeMean::Weighted;
  return plan;
}

/// timm's reading of the paper's figure, from before the official release.
MobilePlan v2_early() {
  MobilePlan plan = v2_s();
  plan.stages.front() = {fused_row(2, 3, 1, 1, 24)};
  plan.stages.back().front().channels = 272;
  plan.head_channels = 1792;
  return plan;
}
MobilePlan v2_early_m() {
  MobilePlan plan = v2_early();
  plan.depth = {1.2, 1.2, 1.2, 1.2, 1.6, 1.6};
  return plan;
}

/// TinyNet (Han et al. 2020, arXiv:2010.14819): EfficientNet shrunk.
MobilePlan tinynet() {
  MobilePlan plan = efficientnet();
  plan.depth_rounding = DepthRounding::Nearest;
  plan.stem_width = Scaling::Fixed;
  plan.head_width = Scaling::Fixed;
  return plan;
}

MobilePlan test_network() {
  return {.stages = {{with_skip(conv_row(1, 3, 1, 16), Skip::WhereShapesAgree)},
                     {fused_row(1, 3, 2, 4, 24)},
                     {fused_row(1, 3, 2, 4, 32)},
                     {inverted_row(1, {3}, 2, 4, 48, kQuarter)},
                     {inverted_row(1, {3}, 2, 4, 64, kQuarter)}},
          .style = {.activation = silu},
          .floor = 0,
          .stem = 24,
          .head_channels = 256};
}

/// EfficientNet with channels in multiples of `divisor`, normalized in groups of `norm_group` and
/// convolved in groups of `group_width`.
MobilePlan grouped(std::int64_t divisor, std::int64_t norm_group, std::int64_t group_width) {
  MobilePlan plan = efficientnet();
  plan.divisor = divisor;
  plan.style.norm_group = norm_group;
  plan.style.group_width = group_width;
  return plan;
}
MobilePlan group_norm_8() { return grouped(8, 8, 0); }
MobilePlan group_8_norm_8() { return grouped(8, 8, 8); }
MobilePlan group_16() { return grouped(16, 0, 16); }
MobilePlan group_norm_16() { return grouped(16, 16, 0); }
MobilePlan group_8_norm_16() { return grouped(16, 16, 8); }
MobilePlan blurred() {
  MobilePlan plan = efficientnet();
  plan.style.antialias = Antialias::Blur;
  return plan;
}

struct Row {
  MobilePlan (*plan)();
  MobileVariant variant;
};

constexpr const char* kV1 = "EfficientNet, ImageNet (arXiv:1905.11946, timm)";
constexpr const char* kV2 = "EfficientNetV2, ImageNet (arXiv:2104.00298, timm)";
constexpr const char* kTiny = "TinyNet, ImageNet (arXiv:2010.14819, timm)";

constexpr auto kFirst = std::to_array<Row>({
    {efficientnet, {"efficientnet_b8", 2.2, 3.6, 672}},
    {efficientnet, {"efficientnet_l2", 4.3, 5.3, 800}},
    {efficientnet, {"tf_efficientnet_b0", 1.0, 1.0, 224, kSame}},
    {efficientnet, {"tf_efficientnet_b1", 1.0, 1.1, 240, kSame}},
    {efficientnet, {"tf_efficientnet_b2", 1.1, 1.2, 260, kSame}},
    {efficientnet, {"tf_efficientnet_b3", 1.2, 1.4, 300, kSame}},
    {efficientnet, {"tf_efficientnet_b4", 1.4, 1.8, 380, kSame}},
    {efficientnet, {"tf_efficientnet_b5", 1.6, 2.2, 456, kSame}},
    {efficientnet, {"tf_efficientnet_b6", 1.8, 2.6, 528, kSame}},
    {efficientnet, {"tf_efficientnet_b7", 2.0, 3.1, 600, kSame}},
    {efficientnet, {"tf_efficientnet_b8", 2.2, 3.6, 672, kSame}},
    {efficientnet, {"tf_efficientnet_l2", 4.3, 5.3, 800, kSame}},
    {group_norm_8, {"efficientnet_b0_gn", 1.0, 1.0, 224}},
    {group_8_norm_8, {"efficientnet_b0_g8_gn", 1.0, 1.0, 224}},
    {group_16, {"efficientnet_b0_g16_evos", 1.0, 1.0, 224}},
    {group_norm_16, {"efficientnet_b3_gn", 1.2, 1.4, 320}},
    {group_8_norm_16, {"efficientnet_b3_g8_gn", 1.2, 1.4, 320}},
    {blurred, {"efficientnet_blur_b0", 1.0, 1.0, 224}},
    {edge, {"efficientnet_es", 1.0, 1.0, 224}},
    {edge, {"efficientnet_em", 1.0, 1.1, 240}},
    {edge, {"efficientnet_el", 1.2, 1.4, 300}},
    {edge, {"tf_efficientnet_es", 1.0, 1.0, 224, kSame}},
    {edge, {"tf_efficientnet_em", 1.0, 1.1, 240, kSame}},
    {edge, {"tf_efficientnet_el", 1.2, 1.4, 300, kSame}},
    {lite, {"efficientnet_lite0", 1.0, 1.0, 224}},
    {lite, {"efficientnet_lite1", 1.0, 1.1, 240}},
    {lite, {"efficientnet_lite2", 1.1, 1.2, 260}},
    {lite, {"efficientnet_lite3", 1.2, 1.4, 300}},
    {lite, {"efficientnet_lite4", 1.4, 1.8, 380}},
    {lite, {"tf_efficientnet_lite0", 1.0, 1.0, 224, kSame}},
    {lite, {"tf_efficientnet_lite1", 1.0, 1.1, 240, kSame}},
    {lite, {"tf_efficientnet_lite2", 1.1, 1.2, 260, kSame}},
    {lite, {"tf_efficientnet_lite3", 1.2, 1.4, 300, kSame}},
    {lite, {"tf_efficientnet_lite4", 1.4, 1.8, 380, kSame}},
});

constexpr auto kSecond = std::to_array<Row>({
    {v2_s, {"efficientnetv2_rw_t", 0.8, 0.9, 224}},
    {v2_context, {"gc_efficientnetv2_rw_t", 0.8, 0.9, 224}},
    {v2_early, {"efficientnetv2_rw_s", 1.0, 1.0, 288}},
    {v2_early_m, {"efficientnetv2_rw_m", 1.2, 1.0, 320}},
    {v2_xl, {"efficientnetv2_xl", 1.0, 1.0, 384}},
    {v2_s, {"tf_efficientnetv2_s", 1.0, 1.0, 300, kSame}},
    {v2_m, {"tf_efficientnetv2_m", 1.0, 1.0, 384, kSame}},
    {v2_l, {"tf_efficientnetv2_l", 1.0, 1.0, 384, kSame}},
    {v2_xl, {"tf_efficientnetv2_xl", 1.0, 1.0, 384, kSame}},
    {v2_base, {"tf_efficientnetv2_b0", 1.0, 1.0, 192, kSame}},
    {v2_base, {"tf_efficientnetv2_b1", 1.0, 1.1, 192, kSame}},
    {v2_base, {"tf_efficientnetv2_b2", 1.1, 1.2, 208, kSame}},
    {v2_base, {"tf_efficientnetv2_b3", 1.2, 1.4, 240, kSame}},
    {test_network, {"test_efficientnet", 1.0, 1.0, 160}},
});

constexpr auto kShrunk = std::to_array<Row>({
    {tinynet, {"tinynet_a", 1.0, 1.2, 192}},
    {tinynet, {"tinynet_b", 0.75, 1.1, 188}},
    {tinynet, {"tinynet_c", 0.54, 0.85, 184}},
    {tinynet, {"tinynet_d", 0.54, 0.695, 152}},
    {tinynet, {"tinynet_e", 0.51, 0.6, 106}},
});

void append(std::vector<Entry>& entries, std::span<const Row> rows, const char* description) {
  for (const Row& row : rows) {
    entries.push_back(mobile_entry(row.variant, description, row.plan()));
    const std::string name = row.variant.name;
    // Pruning set weights of these to zero; shapes and costs stayed.
    if (name == "efficientnet_es" || name == "efficientnet_el") {
      entries.back().aliases.push_back(name + "_pruned");
    }
  }
}

}  // namespace

std::vector<Entry> timm_efficientnet_family() {
  std::vector<Entry> entries;
  append(entries, kFirst, kV1);
  append(entries, kSecond, kV2);
  append(entries, kShrunk, kTiny);
  return entries;
}

}  // namespace horus::zoo
