// SPDX-License-Identifier: Apache-2.0
// TinyViT (Wu et al. 2022, arXiv:2207.10666) as timm builds it: inverted bottlenecks, then
// attention within windows with a depthwise convolution in each block. NesT (Zhang et al. 2021,
// arXiv:2105.12723): a transformer for each block of the image, whose blocks merge between levels.

#include <array>
#include <limits>
#include <string>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/multi_head.hpp"
#include "horus/zoo/tokens.hpp"
#include "horus/zoo/vision_transformer.hpp"
#include "horus/zoo/windows.hpp"

namespace horus::zoo {
namespace {

using PerStage = std::array<std::int64_t, 4>;

struct Plan {
  PerStage widths{};
  PerStage heads{};
  PerStage windows{};
  std::int64_t classes{1000};
};

constexpr double kEpsilon = 1e-5;
constexpr std::int64_t kExpansion = 4;
constexpr PerStage kDepths{2, 2, 6, 2};

/// 1x1, depthwise 3x3 and 1x1 convolutions to `inner`, `inner` and `width` channels.
Value bottleneck(Builder& b, const std::string& name, const Value& x, std::int64_t inner,
                 std::int64_t width, std::int64_t stride) {
  Value y = gelu(b, name + ".act1", conv_bn(b, name + ".conv1", x, {.channels = inner}));
  y = conv_bn(b, name + ".conv2", y, centred(inner, 3, stride, inner));
  y = gelu(b, name + ".act2", y);
  return conv_bn(b, name + ".conv3", y, {.channels = width});
}

Value conv_block(Builder& b, const std::string& name, const Value& x) {
  const std::int64_t width = x.shape[1];
  const Value y = bottleneck(b, name, x, kExpansion * width, width, 1);
  return gelu(b, name + ".act3", binary(b, name + ".add", "Add", y, x));
}

/// Attention of `x`, (batch, windows, tokens, width), with a bias for each distance.
Value attention(Builder& b, const std::string& name, const Value& x, std::int64_t heads) {
  const std::int64_t tokens = x.shape[2];
  const Value normed = layer_norm(b, name + ".norm", x, kEpsilon);
  const Value table = b.parameter(name + ".attention_biases", {heads, tokens});
  const Value index = b.buffer(name + ".attention_bias_idxs", {tokens, tokens}, ElementType::Int64);
  const Value bias = b.add({.name = name + ".bias",
                            .op_type = "Gather",
                            .inputs = {table.name, index.name},
                            .attributes = {{"axis", std::int64_t{1}}}},
                           {heads, tokens, tokens});
  return self_attention(b, name, normed, {.heads = heads, .biases = {bias}});
}

/// One block of a map with channels last.
Value window_block(Builder& b, const std::string& name, const Value& x, std::int64_t heads,
                   std::int64_t window) {
  const std::int64_t side = x.shape[1];
  const std::int64_t width = x.shape[3];
  Value y = pad_to_windows(b, name + ".pad", x, window);
  const std::int64_t padded = y.shape[1];
  y = attention(b, name + ".attn", part_windows(b, name + ".windows", y, window), heads);
  y = unite_windows(b, name + ".unite", y, padded, padded);
  if (padded != side) {
    y = slice(b, name + ".crop_rows", y, 1, 0, side);
    y = slice(b, name + ".crop_columns", y, 2, 0, side);
  }
  Value map = channels_first(b, name + ".first", binary(b, name + ".add1", "Add", x, y));
  map = conv_bn(b, name + ".local_conv", map, centred(width, 3, 1, width));
  const Value tokens = map_to_tokens(b, name + ".tokens", map);
  y = layer_norm(b, name + ".mlp.norm", tokens, kEpsilon);
  y = binary(b, name + ".add2", "Add", tokens, mlp(b, name + ".mlp", y, kExpansion * width));
  return shaped(b, name + ".map", y, {kBatch, side, side, width});
}

Value window_stage(Builder& b, const std::string& name, const Value& map, const Plan& plan,
                   std::size_t stage) {
  const std::int64_t width = plan.widths[stage];
  Value x = bottleneck(b, name + ".downsample", map, width, width, 2);
  x = channels_last(b, name + ".last", x);
  for (std::int64_t index = 0; index < kDepths[stage]; ++index) {
    const std::string block = name + ".blocks." + std::to_string(index);
    x = window_block(b, block, x, plan.heads[stage], plan.windows[stage]);
  }
  return channels_first(b, name + ".first", x);
}

void build_tiny_vit(Builder& b, const Plan& plan, std::int64_t image) {
  Value x = b.input("input", {kBatch, 3, image, image});
  x = conv_bn(b, "patch_embed.conv1", x, centred(plan.widths[0] / 2, 3, 2));
  x = gelu(b, "patch_embed.act", x);
  x = conv_bn(b, "patch_embed.conv2", x, centred(plan.widths[0], 3, 2));
  for (std::int64_t index = 0; index < kDepths[0]; ++index) {
    x = conv_block(b, "stages.0.blocks." + std::to_string(index), x);
  }
  for (std::size_t stage = 1; stage < plan.widths.size(); ++stage) {
    x = window_stage(b, "stages." + std::to_string(stage), x, plan, stage);
  }
  x = layer_norm_of_map(b, "head.norm", global_average_pool(b, "head.global_pool", x), kEpsilon);
  b.output(linear(b, "head.fc", flatten(b, "head.flatten", x), plan.classes));
}

constexpr std::int64_t kImageNet21k = 21'841;
constexpr PerStage kWindows224{7, 7, 14, 7};
constexpr PerStage kWidths21{96, 192, 384, 576};
constexpr PerStage kHeads21{3, 6, 12, 18};

// clang-format off
constexpr auto kTiny = std::to_array<TimmModel<Plan>>({
    {"tiny_vit_5m_224", 224, {{64, 128, 160, 320}, {2, 4, 5, 10}, kWindows224, kImageNet21k}},
    {"tiny_vit_11m_224", 224, {{64, 128, 256, 448}, {2, 4, 8, 14}, kWindows224, kImageNet21k}},
    {"tiny_vit_21m_224", 224, {kWidths21, kHeads21, kWindows224, kImageNet21k}},
    {"tiny_vit_21m_384", 384, {kWidths21, kHeads21, {12, 12, 24, 12}}},
    {"tiny_vit_21m_512", 512, {kWidths21, kHeads21, {16, 16, 32, 16}}},
});
// clang-format on

/// Where the odd element of a pool's padding goes; "jx" are the ports of the JAX original.
enum class Padding { Symmetric, Behind };

struct Nest {
  std::array<std::int64_t, 3> widths{};
  std::array<std::int64_t, 3> heads{};
  std::array<std::int64_t, 3> depths{};
  Padding padding{Padding::Symmetric};
};

constexpr double kNestEpsilon = 1e-6;

/// Max pool 3x3 of stride 2.
Value halve(Builder& b, const std::string& name, const Value& x, Padding padding) {
  if (padding == Padding::Symmetric) {
    return max_pool(b, name, x, {.kernel = {3}, .stride = {2}, .padding = {1}});
  }
  const Value pads = b.integers({0, 0, 0, 0, 0, 0, 1, 1});
  const Value lowest = b.number(static_cast<double>(std::numeric_limits<float>::lowest()));
  const Value framed =
      b.add({.name = name + ".pad", .op_type = "Pad", .inputs = {x.name, pads.name, lowest.name}},
            {kBatch, x.shape[1], x.shape[2] + 1, x.shape[3] + 1});
  return max_pool(b, name, framed, {.kernel = {3}, .stride = {2}});
}

Value merge(Builder& b, const std::string& name, const Value& x, std::int64_t width,
            Padding padding) {
  ConvSpec spec = centred(width, 3);
  spec.bias = Bias::Trained;
  const Value y =
      layer_norm_of_map(b, name + ".norm", conv(b, name + ".conv", x, spec), kNestEpsilon);
  return halve(b, name + ".pool", y, padding);
}

void build_nest(Builder& b, const Nest& plan, std::int64_t image) {
  const Value input = b.input("input", {kBatch, 3, image, image});
  Value x = patchify(b, "patch_embed.proj", input, plan.widths[0], 4);
  const std::int64_t side = x.shape[2] / 4;  // Of a block; four in each direction at first.
  for (std::size_t level = 0; level < plan.widths.size(); ++level) {
    const std::string name = "levels." + std::to_string(level);
    const std::int64_t width = plan.widths[level];
    if (level > 0) x = merge(b, name + ".pool", x, width, plan.padding);
    const std::int64_t height = x.shape[2];
    Value y = part_windows(b, name + ".blocks", channels_last(b, name + ".last", x), side);
    const Value places = b.parameter(name + ".pos_embed", {1, y.shape[1], y.shape[2], width});
    y = binary(b, name + ".pos_embed.add", "Add", y, places);
    const VitPlan block{
        .width = width, .heads = plan.heads[level], .inner = 4 * width, .epsilon = kNestEpsilon};
    for (std::int64_t layer = 0; layer < plan.depths[level]; ++layer) {
      y = vit_block(b, name + ".transformer_encoder." + std::to_string(layer), y, block);
    }
    y = unite_windows(b, name + ".unite", y, height, height);
    x = channels_first(b, name + ".first", y);
  }
  b.output(classifier(b, "head", "head", layer_norm_of_map(b, "norm", x, kNestEpsilon)));
}

constexpr Nest kNestTiny{{96, 192, 384}, {3, 6, 12}, {2, 2, 8}};
constexpr Nest kNestSmall{{96, 192, 384}, {3, 6, 12}, {2, 2, 20}};
constexpr Nest kNestBase{{128, 256, 512}, {4, 8, 16}, {2, 2, 20}};

constexpr Nest behind(Nest plan) {
  plan.padding = Padding::Behind;
  return plan;
}

constexpr auto kNests = std::to_array<TimmModel<Nest>>({{"nest_tiny", 224, kNestTiny},
                                                        {"nest_small", 224, kNestSmall},
                                                        {"nest_base", 224, kNestBase},
                                                        {"nest_tiny_jx", 224, behind(kNestTiny)},
                                                        {"nest_small_jx", 224, behind(kNestSmall)},
                                                        {"nest_base_jx", 224, behind(kNestBase)}});

}  // namespace

std::vector<Entry> timm_tinyvit_family() {
  std::vector<Entry> entries = timm_entries(kTiny, "TinyViT, ImageNet (arXiv:2207.10666, timm)",
                                            build_tiny_vit, {.step = 32});
  for (Entry& entry : timm_entries(kNests, "NesT, ImageNet (arXiv:2105.12723, timm)", build_nest,
                                   {.min = 64, .step = 16})) {
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace horus::zoo
