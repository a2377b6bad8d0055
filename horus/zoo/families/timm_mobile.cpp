// SPDX-License-Identifier: Apache-2.0
// timm's networks for phones besides EfficientNet, MNASNet and MobileNetV4: MobileNet 1 to 3
// scaled, MixNet, FBNet, LCNet, Single-Path NAS and those for edge devices.

#include <array>
#include <span>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/mobile_network.hpp"

namespace horus::zoo {
namespace {

constexpr Padding kSame = Padding::Same;
constexpr double kQuarter = 0.25;
constexpr double kHalf = 0.5;

/// The row with ReLU in a network of another activation.
MobileBlock with_relu(MobileBlock row) { return with_activation(std::move(row), relu); }
MobileBlock with_silu(MobileBlock row) { return with_activation(std::move(row), silu); }

/// MobileNet (Howard et al. 2017, arXiv:1704.04861), table 1.
MobilePlan mobilenet_v1() {
  const auto row = [](int depth, std::int64_t kernel, std::int64_t stride, std::int64_t channels) {
    MobileBlock block = with_skip(separable_row(depth, kernel, stride, channels), Skip::Never);
    block.kind = BlockKind::SeparableActivated;
    return block;
  };
  return {.stages = {{row(1, 3, 1, 64)},
                     {row(2, 3, 2, 128)},
                     {row(2, 3, 2, 256)},
                     {row(6, 3, 2, 512)},
                     {row(2, 3, 2, 1024)}},
          .style = {.activation = relu6},
          .head = MobileHead::None};
}

/// MobileNetV2 (Sandler et al. 2018, arXiv:1801.04381), table 2. The last convolution never
/// shrinks.
MobilePlan mobilenet_v2() {
  return {.stages = {{separable_row(1, 3, 1, 16)},
                     {inverted_row(2, {3}, 2, 6, 24)},
                     {inverted_row(3, {3}, 2, 6, 32)},
                     {inverted_row(4, {3}, 2, 6, 64)},
                     {inverted_row(3, {3}, 1, 6, 96)},
                     {inverted_row(3, {3}, 2, 6, 160)},
                     {inverted_row(1, {3}, 1, 6, 320)}},
          .style = {.activation = relu6},
          .head_width = Scaling::Fixed};
}
MobilePlan mobilenet_v2_wide() {
  MobilePlan plan = mobilenet_v2();
  plan.head_width = Scaling::Scaled;
  return plan;
}
MobilePlan mobilenet_v2_deep() {
  MobilePlan plan = mobilenet_v2();
  plan.outer_depth = Scaling::Fixed;
  plan.stem_width = Scaling::Fixed;
  return plan;
}

/// The squeeze of MobileNetV3: of the expanded width, in multiples of eight.
MobileStyle mobilenet_v3_style() {
  return {.activation = hard_swish,
          .squeeze_base = SqueezeBase::Expanded,
          .squeeze_divisor = 8,
          .squeeze_activation = relu,
          .gate = hard_sigmoid};
}

/// MobileNetV3 (Howard et al. 2019, arXiv:1905.02244), tables 1 and 2.
MobilePlan mobilenet_v3_large() {
  return {.stages = {{with_relu(separable_row(1, 3, 1, 16))},
                     {with_relu(inverted_row(1, {3}, 2, 4, 24)),
                      with_relu(inverted_row(1, {3}, 1, 3, 24))},
                     {with_relu(inverted_row(3, {5}, 2, 3, 40, kQuarter))},
                     {inverted_row(1, {3}, 2, 6, 80), inverted_row(1, {3}, 1, 2.5, 80),
                      inverted_row(2, {3}, 1, 2.3, 80)},
                     {inverted_row(2, {3}, 1, 6, 112, kQuarter)},
                     {inverted_row(3, {5}, 2, 6, 160, kQuarter)},
                     {conv_row(1, 1, 1, 960)}},
          .style = mobilenet_v3_style(),
          .stem = 16,
          .head_width = Scaling::Fixed,
          .head = MobileHead::AfterPoolBiased};
}
MobilePlan mobilenet_v3_small() {
  return {.stages = {{with_relu(separable_row(1, 3, 2, 16, kQuarter))},
                     {with_relu(inverted_row(1, {3}, 2, 4.5, 24)),
                      with_relu(inverted_row(1, {3}, 1, 3.67, 24))},
                     {inverted_row(1, {5}, 2, 4, 40, kQuarter),
                      inverted_row(2, {5}, 1, 6, 40, kQuarter)},
                     {inverted_row(2, {5}, 1, 3, 48, kQuarter)},
                     {inverted_row(3, {5}, 2, 6, 96, kQuarter)},
                     {conv_row(1, 1, 1, 576)}},
          .style = mobilenet_v3_style(),
          .stem = 16,
          .head_channels = 1024,
          .head_width = Scaling::Fixed,
          .head = MobileHead::AfterPoolBiased};
}
MobilePlan mobilenet_v3_small_narrow() {
  MobilePlan plan = mobilenet_v3_small();
  plan.stem_width = Scaling::Fixed;  // Below a width of 0.75.
  return plan;
}

/// "Minimal": only kernels of three, ReLU and no squeeze.
MobilePlan minimal(MobilePlan plan) {
  for (MobileStage& stage : plan.stages) {
    for (MobileBlock& row : stage) {
      if (row.kernels.front() == 5) row.kernels = {3};
      row.squeeze = 0;
    }
  }
  plan.style.activation = relu;
  return plan;
}
MobilePlan mobilenet_v3_large_minimal() { return minimal(mobilenet_v3_large()); }
MobilePlan mobilenet_v3_small_minimal() { return minimal(mobilenet_v3_small()); }

/// PP-LCNet (Cui et al. 2021, arXiv:2109.15099), table 1.
MobilePlan lcnet() {
  const auto row = [](int depth, std::int64_t kernel, std::int64_t stride, std::int64_t channels,
                      double squeeze) {
    MobileBlock block =
        with_skip(separable_row(depth, kernel, stride, channels, squeeze), Skip::Never);
    block.kind = BlockKind::SeparableActivated;
    return block;
  };
  return {.stages = {{row(1, 3, 1, 32, 0)},
                     {row(2, 3, 2, 64, 0)},
                     {row(2, 3, 2, 128, 0)},
                     {row(1, 3, 2, 256, 0), row(1, 5, 1, 256, 0)},
                     {row(4, 5, 1, 256, 0)},
                     {row(2, 5, 2, 512, kQuarter)}},
          .style = {.activation = hard_swish,
                    .squeeze_base = SqueezeBase::Expanded,
                    .squeeze_activation = relu,
                    .gate = hard_sigmoid},
          .stem = 16,
          .head_width = Scaling::Fixed,
          .head = MobileHead::AfterPoolBiased};
}

/// FBNet-C (Wu et al. 2019, arXiv:1812.03443).
MobilePlan fbnet_c() {
  return {.stages = {{inverted_row(1, {3}, 1, 1, 16)},
                     {inverted_row(1, {3}, 2, 6, 24), inverted_row(2, {3}, 1, 1, 24)},
                     {inverted_row(1, {5}, 2, 6, 32), inverted_row(1, {5}, 1, 3, 32),
                      inverted_row(1, {5}, 1, 6, 32), inverted_row(1, {3}, 1, 6, 32)},
                     {inverted_row(1, {5}, 2, 6, 64), inverted_row(1, {5}, 1, 3, 64),
                      inverted_row(2, {5}, 1, 6, 64)},
                     {inverted_row(3, {5}, 1, 6, 112), inverted_row(1, {5}, 1, 3, 112)},
                     {inverted_row(4, {5}, 2, 6, 184)},
                     {inverted_row(1, {3}, 1, 6, 352)}},
          .style = {},
          .stem = 16,
          .head_channels = 1984};
}

/// Single-Path NAS (Stamoulis et al. 2019, arXiv:1904.02877).
MobilePlan spnasnet() {
  return {.stages = {{with_skip(separable_row(1, 3, 1, 16), Skip::Never)},
                     {inverted_row(3, {3}, 2, 3, 24)},
                     {inverted_row(1, {5}, 2, 6, 40), inverted_row(3, {3}, 1, 3, 40)},
                     {inverted_row(1, {5}, 2, 6, 80), inverted_row(3, {3}, 1, 3, 80)},
                     {inverted_row(1, {5}, 1, 6, 96), inverted_row(3, {5}, 1, 3, 96)},
                     {inverted_row(4, {5}, 2, 6, 192)},
                     {with_skip(inverted_row(1, {3}, 1, 6, 320), Skip::Never)}},
          .style = {}};
}

/// MixNet (Tan and Le 2019, arXiv:1907.09595), figure 4.
MobilePlan mixnet_s() {
  return {
      .stages = {{separable_row(1, 3, 1, 16)},
                 {with_parts(inverted_row(1, {3}, 2, 6, 24), 2, 2),
                  with_parts(inverted_row(1, {3}, 1, 3, 24), 2, 2)},
                 {with_silu(inverted_row(1, {3, 5, 7}, 2, 6, 40, kHalf)),
                  with_parts(with_silu(inverted_row(3, {3, 5}, 1, 6, 40, kHalf)), 2, 2)},
                 {with_parts(with_silu(inverted_row(1, {3, 5, 7}, 2, 6, 80, kQuarter)), 1, 2),
                  with_parts(with_silu(inverted_row(2, {3, 5}, 1, 6, 80, kQuarter)), 1, 2)},
                 {with_parts(with_silu(inverted_row(1, {3, 5, 7}, 1, 6, 120, kHalf)), 2, 2),
                  with_parts(with_silu(inverted_row(2, {3, 5, 7, 9}, 1, 3, 120, kHalf)), 2, 2)},
                 {with_silu(inverted_row(1, {3, 5, 7, 9, 11}, 2, 6, 200, kHalf)),
                  with_parts(with_silu(inverted_row(2, {3, 5, 7, 9}, 1, 6, 200, kHalf)), 1, 2)}},
      .style = {},
      .stem = 16,
      .head_channels = 1536,
      .head_width = Scaling::Fixed};
}
MobilePlan mixnet_m() {
  return {
      .stages = {{separable_row(1, 3, 1, 24)},
                 {with_parts(inverted_row(1, {3, 5, 7}, 2, 6, 32), 2, 2),
                  with_parts(inverted_row(1, {3}, 1, 3, 32), 2, 2)},
                 {with_silu(inverted_row(1, {3, 5, 7, 9}, 2, 6, 40, kHalf)),
                  with_parts(with_silu(inverted_row(3, {3, 5}, 1, 6, 40, kHalf)), 2, 2)},
                 {with_silu(inverted_row(1, {3, 5, 7}, 2, 6, 80, kQuarter)),
                  with_parts(with_silu(inverted_row(3, {3, 5, 7, 9}, 1, 6, 80, kQuarter)), 2, 2)},
                 {with_silu(inverted_row(1, {3}, 1, 6, 120, kHalf)),
                  with_parts(with_silu(inverted_row(3, {3, 5, 7, 9}, 1, 3, 120, kHalf)), 2, 2)},
                 {with_silu(inverted_row(1, {3, 5, 7, 9}, 2, 6, 200, kHalf)),
                  with_parts(with_silu(inverted_row(3, {3, 5, 7, 9}, 1, 6, 200, kHalf)), 1, 2)}},
      .style = {},
      .depth_rounding = DepthRounding::Nearest,
      .stem = 24,
      .head_channels = 1536,
      .head_width = Scaling::Fixed};
}

/// MobileNet-EdgeTPU (tensorflow/models, mobilenet_edgetpu_v1).
MobilePlan edge_v1() {
  return {.stages = {{conv_row(1, 1, 1, 16)},
                     {fused_row(1, 3, 2, 8, 32), fused_row(3, 3, 1, 4, 32)},
                     {fused_row(1, 3, 2, 8, 48), fused_row(3, 3, 1, 4, 48)},
                     {inverted_row(1, {3}, 2, 8, 96), inverted_row(3, {3}, 1, 4, 96)},
                     {with_skip(inverted_row(1, {3}, 1, 8, 96), Skip::Never),
                      inverted_row(3, {3}, 1, 4, 96)},
                     {inverted_row(1, {5}, 2, 8, 160), inverted_row(3, {5}, 1, 4, 160)},
                     {inverted_row(1, {3}, 1, 8, 192)}},
          .style = {}};
}

/// MobileNet-EdgeTPU-V2 (tensorflow/models, mobilenet_edgetpu_v2).
struct EdgeSizes {
  std::int64_t stem{};
  std::int64_t stem_kernel{};
  std::int64_t group_width{};
  std::int64_t head{};
  std::array<std::int64_t, 7> channels{};
};

MobilePlan edge_v2(const EdgeSizes& sizes) {
  const auto& c = sizes.channels;
  const auto grouped = [&sizes](std::int64_t channels) {
    return with_groups(fused_row(1, 3, 1, 4, channels), sizes.group_width);
  };
  return {.stages = {{conv_row(1, 1, 1, c[0])},
                     {fused_row(1, 3, 2, 8, c[1]), grouped(c[1])},
                     {fused_row(1, 3, 2, 8, c[2]), grouped(c[2]), fused_row(1, 3, 1, 4, c[2]),
                      grouped(c[2])},
                     {fused_row(1, 3, 2, 8, c[3]), inverted_row(3, {3}, 1, 4, c[3])},
                     {inverted_row(1, {3}, 1, 8, c[4]), inverted_row(3, {3}, 1, 4, c[4])},
                     {inverted_row(1, {3}, 2, 8, c[5]), inverted_row(3, {3}, 1, 4, c[5])},
                     {inverted_row(1, {3}, 1, 8, c[6])}},
          .style = {},
          .stem = sizes.stem,
          .stem_kernel = sizes.stem_kernel,
          .head_channels = sizes.head};
}
MobilePlan edge_v2_xs() { return edge_v2({32, 3, 64, 1280, {16, 32, 48, 96, 144, 160, 192}}); }
MobilePlan edge_v2_s() { return edge_v2({64, 5, 64, 1280, {24, 48, 64, 128, 160, 192, 256}}); }
MobilePlan edge_v2_m() { return edge_v2({64, 5, 64, 1344, {32, 64, 80, 160, 192, 240, 320}}); }
MobilePlan edge_v2_l() { return edge_v2({64, 7, 128, 1408, {32, 64, 96, 192, 240, 256, 384}}); }

struct Row {
  const char* description;
  MobilePlan (*plan)();
  MobileVariant variant;
};

constexpr const char* kV1 = "MobileNet, ImageNet (arXiv:1704.04861, timm)";
constexpr const char* kV2 = "MobileNetV2, ImageNet (arXiv:1801.04381, timm)";
constexpr const char* kV3 = "MobileNetV3, ImageNet (arXiv:1905.02244, timm)";
constexpr const char* kLcnet = "PP-LCNet, ImageNet (arXiv:2109.15099, timm)";
constexpr const char* kMix = "MixNet, ImageNet (arXiv:1907.09595, timm)";
constexpr const char* kFbnet = "FBNet-C, ImageNet (arXiv:1812.03443, timm)";
constexpr const char* kSinglePath = "Single-Path NAS, ImageNet (arXiv:1904.02877, timm)";
constexpr const char* kEdge = "MobileNet for edge devices, ImageNet (tensorflow/models, timm)";

constexpr auto kRows = std::to_array<Row>({
    {kV1, mobilenet_v1, {"mobilenetv1_100"}},
    {kV1, mobilenet_v1, {"mobilenetv1_125", 1.25}},
    {kV2, mobilenet_v2, {"mobilenetv2_035", 0.35}},
    {kV2, mobilenet_v2, {"mobilenetv2_050", 0.5}},
    {kV2, mobilenet_v2, {"mobilenetv2_075", 0.75}},
    {kV2, mobilenet_v2_wide, {"mobilenetv2_140", 1.4}},
    {kV2, mobilenet_v2_deep, {"mobilenetv2_110d", 1.1, 1.2}},
    {kV2, mobilenet_v2_deep, {"mobilenetv2_120d", 1.2, 1.4}},
    {kV3, mobilenet_v3_large, {"mobilenetv3_large_075", 0.75}},
    {kV3, mobilenet_v3_large, {"mobilenetv3_large_100"}},
    {kV3, mobilenet_v3_large, {"mobilenetv3_large_150d", 1.5, 1.2, 256}},
    {kV3, mobilenet_v3_small_narrow, {"mobilenetv3_small_050", 0.5}},
    {kV3, mobilenet_v3_small, {"mobilenetv3_small_075", 0.75}},
    {kV3, mobilenet_v3_small, {"mobilenetv3_small_100"}},
    {kV3, mobilenet_v3_large, {"tf_mobilenetv3_large_075", 0.75, 1, 224, kSame}},
    {kV3, mobilenet_v3_large, {"tf_mobilenetv3_large_100", 1, 1, 224, kSame}},
    {kV3, mobilenet_v3_large_minimal, {"tf_mobilenetv3_large_minimal_100", 1, 1, 224, kSame}},
    {kV3, mobilenet_v3_small, {"tf_mobilenetv3_small_075", 0.75, 1, 224, kSame}},
    {kV3, mobilenet_v3_small, {"tf_mobilenetv3_small_100", 1, 1, 224, kSame}},
    {kV3, mobilenet_v3_small_minimal, {"tf_mobilenetv3_small_minimal_100", 1, 1, 224, kSame}},
    {kLcnet, lcnet, {"lcnet_035", 0.35}},
    {kLcnet, lcnet, {"lcnet_050", 0.5}},
    {kLcnet, lcnet, {"lcnet_075", 0.75}},
    {kLcnet, lcnet, {"lcnet_100"}},
    {kLcnet, lcnet, {"lcnet_150", 1.5}},
    {kFbnet, fbnet_c, {"fbnetc_100"}},
    {kSinglePath, spnasnet, {"spnasnet_100"}},
    {kMix, mixnet_s, {"mixnet_s"}},
    {kMix, mixnet_m, {"mixnet_m"}},
    {kMix, mixnet_m, {"mixnet_l", 1.3}},
    {kMix, mixnet_m, {"mixnet_xl", 1.6, 1.2}},
    {kMix, mixnet_m, {"mixnet_xxl", 2.4, 1.3}},
    {kMix, mixnet_s, {"tf_mixnet_s", 1, 1, 224, kSame}},
    {kMix, mixnet_m, {"tf_mixnet_m", 1, 1, 224, kSame}},
    {kMix, mixnet_m, {"tf_mixnet_l", 1.3, 1, 224, kSame}},
    {kEdge, edge_v1, {"mobilenet_edgetpu_100"}},
    {kEdge, edge_v2_xs, {"mobilenet_edgetpu_v2_xs"}},
    {kEdge, edge_v2_s, {"mobilenet_edgetpu_v2_s"}},
    {kEdge, edge_v2_m, {"mobilenet_edgetpu_v2_m", 1, 1, 256}},
    {kEdge, edge_v2_l, {"mobilenet_edgetpu_v2_l"}},
});

}  // namespace

std::vector<Entry> timm_mobile_family() {
  std::vector<Entry> entries;
  for (const Row& row : kRows) {
    entries.push_back(mobile_entry(row.variant, row.description, row.plan()));
  }
  return entries;
}

}  // namespace horus::zoo
