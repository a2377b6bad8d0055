// SPDX-License-Identifier: Apache-2.0
// EfficientNet (Tan and Le 2019, arXiv:1905.11946) and EfficientNetV2 (2021, arXiv:2104.00298), as
// torchvision builds them. Stochastic depth is left out: it drops whole residual branches at random
// and has no fixed graph.

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "horus/zoo/channel_attention.hpp"
#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

enum class Block {
  Separate,  ///< Pointwise expansion, depthwise convolution, squeeze and excitation (MBConv).
  Fused,     ///< One convolution in place of these three.
};

struct Stage {
  Block block{};
  std::int64_t expansion{};
  std::int64_t kernel{};
  std::int64_t stride{};  ///< Of the first block; the others keep the size.
  std::int64_t channels{};
  int depth{};
};

// Table 1 of arXiv:1905.11946.
constexpr auto kBase = std::to_array<Stage>({{Block::Separate, 1, 3, 1, 16, 1},
                                             {Block::Separate, 6, 3, 2, 24, 2},
                                             {Block::Separate, 6, 5, 2, 40, 2},
                                             {Block::Separate, 6, 3, 2, 80, 3},
                                             {Block::Separate, 6, 5, 1, 112, 3},
                                             {Block::Separate, 6, 5, 2, 192, 4},
                                             {Block::Separate, 6, 3, 1, 320, 1}});
// Table 4 of arXiv:2104.00298, and google/automl for M and L.
constexpr auto kV2Small = std::to_array<Stage>({{Block::Fused, 1, 3, 1, 24, 2},
                                                {Block::Fused, 4, 3, 2, 48, 4},
                                                {Block::Fused, 4, 3, 2, 64, 4},
                                                {Block::Separate, 4, 3, 2, 128, 6},
                                                {Block::Separate, 6, 3, 1, 160, 9},
                                                {Block::Separate, 6, 3, 2, 256, 15}});
constexpr auto kV2Medium = std::to_array<Stage>({{Block::Fused, 1, 3, 1, 24, 3},
                                                 {Block::Fused, 4, 3, 2, 48, 5},
                                                 {Block::Fused, 4, 3, 2, 80, 5},
                                                 {Block::Separate, 4, 3, 2, 160, 7},
                                                 {Block::Separate, 6, 3, 1, 176, 14},
                                                 {Block::Separate, 6, 3, 2, 304, 18},
                                                 {Block::Separate, 6, 3, 1, 512, 5}});
constexpr auto kV2Large = std::to_array<Stage>({{Block::Fused, 1, 3, 1, 32, 4},
                                                {Block::Fused, 4, 3, 2, 64, 7},
                                                {Block::Fused, 4, 3, 2, 96, 7},
                                                {Block::Separate, 4, 3, 2, 192, 10},
                                                {Block::Separate, 6, 3, 1, 224, 19},
                                                {Block::Separate, 6, 3, 2, 384, 25},
                                                {Block::Separate, 6, 3, 1, 640, 7}});

struct Plan {
  std::span<const Stage> stages;
  double width{1};  ///< Factor of all channels.
  double depth{1};  ///< Factor of the blocks of each stage.
  std::int64_t stem{32};
  std::int64_t head{
      0};  ///< Channels of the last convolution; 0: four times those of the last stage.
  double dropout{0.2};
};

constexpr std::int64_t kSqueeze = 4;  // Channels of the block's input over those of the squeeze.
constexpr std::int64_t kWidthStep = 8;

std::int64_t scaled(const Plan& plan, std::int64_t channels) {
  return rounded_to(static_cast<double>(channels) * plan.width, kWidthStep);
}

Value conv_bn_012(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec) {
  return batch_norm(b, name + ".1", conv(b, name + ".0", x, spec));
}

Value conv_bn_silu(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec) {
  return silu(b, name + ".2", conv_bn_012(b, name, x, spec));
}

/// The residual branch of a block that is not fused.
Value separate_branch(Builder& b, const std::string& name, const Value& x, const Stage& stage) {
  const std::int64_t inner = x.shape[1] * stage.expansion;
  int index = 0;
  const auto next = [&] { return name + ".block." + std::to_string(index++); };
  Value y = x;
  if (stage.expansion != 1) y = conv_bn_silu(b, next(), y, {.channels = inner});
  y = conv_bn_silu(b, next(), y, centred(inner, stage.kernel, stage.stride, inner));
  const std::int64_t squeezed = std::max<std::int64_t>(1, x.shape[1] / kSqueeze);
  y = squeeze_excite(b, next(), y, {.squeezed = squeezed, .activation = silu});
  return conv_bn_012(b, next(), y, {.channels = stage.channels});
}

Value fused_branch(Builder& b, const std::string& name, const Value& x, const Stage& stage) {
  const std::string first = name + ".block.0";
  if (stage.expansion == 1) {
    return conv_bn_silu(b, first, x, centred(stage.channels, stage.kernel, stage.stride));
  }
  const std::int64_t inner = x.shape[1] * stage.expansion;
  const Value y = conv_bn_silu(b, first, x, centred(inner, stage.kernel, stage.stride));
  return conv_bn_012(b, name + ".block.1", y, {.channels = stage.channels});
}

Value block(Builder& b, const std::string& name, const Value& x, const Stage& stage) {
  const Value y = stage.block == Block::Fused ? fused_branch(b, name, x, stage)
                                              : separate_branch(b, name, x, stage);
  const bool residual = stage.stride == 1 && x.shape[1] == stage.channels;
  return residual ? binary(b, name + ".add", "Add", y, x) : y;
}

void build_efficientnet(Builder& b, const Plan& plan, std::int64_t image) {
  Value x = b.input("input", {kBatch, 3, image, image});
  x = conv_bn_silu(b, "features.0", x, centred(scaled(plan, plan.stem), 3, 2));
  int index = 1;
  for (Stage stage : plan.stages) {
    const std::string name = "features." + std::to_string(index++) + ".";
    const int depth = static_cast<int>(std::ceil(stage.depth * plan.depth));
    stage.channels = scaled(plan, stage.channels);
    for (int i = 0; i < depth; ++i) {
      x = block(b, name + std::to_string(i), x, stage);
      stage.stride = 1;
    }
  }
  const std::int64_t head = plan.head == 0 ? 4 * x.shape[1] : plan.head;
  x = conv_bn_silu(b, "features." + std::to_string(index), x, {.channels = head});
  x = flatten(b, "flatten", global_average_pool(b, "avgpool", x));
  x = dropout(b, "classifier.0", x, plan.dropout);
  b.output(linear(b, "classifier.1", x, 1000));
}

struct Row {
  const char* name;
  const char* what;
  std::int64_t image{};
  Plan plan;
};

constexpr const char* kV1 =
    "EfficientNet, without stochastic depth (arXiv:1905.11946, torchvision)";
constexpr const char* kV2 =
    "EfficientNetV2, without stochastic depth (arXiv:2104.00298, torchvision)";

constexpr auto kRows = std::to_array<Row>({
    {"efficientnet-b0", kV1, 224, {kBase, 1.0, 1.0, 32, 0, 0.2}},
    {"efficientnet-b1", kV1, 240, {kBase, 1.0, 1.1, 32, 0, 0.2}},
    {"efficientnet-b2", kV1, 288, {kBase, 1.1, 1.2, 32, 0, 0.3}},
    {"efficientnet-b3", kV1, 300, {kBase, 1.2, 1.4, 32, 0, 0.3}},
    {"efficientnet-b4", kV1, 380, {kBase, 1.4, 1.8, 32, 0, 0.4}},
    {"efficientnet-b5", kV1, 456, {kBase, 1.6, 2.2, 32, 0, 0.4}},
    {"efficientnet-b6", kV1, 528, {kBase, 1.8, 2.6, 32, 0, 0.5}},
    {"efficientnet-b7", kV1, 600, {kBase, 2.0, 3.1, 32, 0, 0.5}},
    {"efficientnet-v2-s", kV2, 384, {kV2Small, 1, 1, 24, 1280, 0.2}},
    {"efficientnet-v2-m", kV2, 480, {kV2Medium, 1, 1, 24, 1280, 0.3}},
    {"efficientnet-v2-l", kV2, 480, {kV2Large, 1, 1, 32, 1280, 0.4}},
});

}  // namespace

std::vector<Entry> efficientnet_family() {
  std::vector<Entry> entries;
  for (const Row& row : kRows) {
    const std::string side = std::to_string(row.image);
    Architecture architecture{.name = row.name,
                              .description = row.what,
                              .input = "3x" + side + "x" + side,
                              .default_batch = 32,
                              .default_image = row.image};
    entries.push_back({.architecture = std::move(architecture),
                       .build = [plan = row.plan](Builder& b, const Sizes& sizes) {
                         build_efficientnet(b, plan, sizes.image);
                       }});
  }
  entries.front().aliases = {"efficientnet"};
  return entries;
}

}  // namespace horus::zoo
