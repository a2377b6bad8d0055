// SPDX-License-Identifier: Apache-2.0
// DaViT (Ding et al. 2022, arXiv:2204.03645) as timm builds it: attention within windows, then
// between channels. "fl" are the image towers of Florence-2 (arXiv:2311.06242).

#include <array>
#include <cmath>
#include <string>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/multi_head.hpp"
#include "horus/zoo/tokens.hpp"
#include "horus/zoo/windows.hpp"

namespace horus::zoo {
namespace {

enum class Form { ImageNet, Florence };

using PerStage = std::array<std::int64_t, 4>;

struct Plan {
  std::int64_t width{};  ///< Of the first stage; each further one has twice that of the last.
  PerStage depths{1, 1, 9, 1};
  Form form{Form::ImageNet};
};

constexpr double kEpsilon = 1e-5;
constexpr std::int64_t kHeadWidth = 32;
constexpr std::int64_t kExpansion = 4;

/// x plus a depthwise convolution of it, which tells tokens their neighbours.
Value positions(Builder& b, const std::string& name, const Value& x) {
  ConvSpec spec = centred(x.shape[1], 3, 1, x.shape[1]);
  spec.bias = Bias::Trained;
  return binary(b, name, "Add", x, conv(b, name + ".proj", x, spec));
}

/// Attention within windows of a sequence of `height` by `width` tokens.
Value window_attention(Builder& b, const std::string& name, const Value& x, std::int64_t height,
                       std::int64_t width, Form form) {
  const std::int64_t side = form == Form::Florence ? 12 : 7;
  const std::int64_t channels = x.shape.back();
  Value y = shaped(b, name + ".map", x, {kBatch, height, width, channels});
  y = pad_to_windows(b, name + ".pad", y, side);
  const std::int64_t rows = y.shape[1];
  const std::int64_t columns = y.shape[2];
  y = part_windows(b, name + ".windows", y, side);
  y = self_attention(b, name, y, {.heads = channels / kHeadWidth});
  y = unite_windows(b, name + ".unite", y, rows, columns);
  if (rows != height) y = slice(b, name + ".crop_rows", y, 1, 0, height);
  if (columns != width) y = slice(b, name + ".crop_columns", y, 2, 0, width);
  return shaped(b, name + ".tokens", y, x.shape);
}

/// Attention between the channels of each head.
Value channel_attention(Builder& b, const std::string& name, const Value& x, Form form) {
  const bool florence = form == Form::Florence;
  const HeadTriple parts = project_heads(b, name + ".qkv", x, x.shape.back() / kHeadWidth);
  // The two forms differ in what plays which part, and in what the scores are divided by.
  const Value& left = florence ? parts.query : parts.key;
  const Value& right = florence ? parts.key : parts.value;
  const Value& mixed = florence ? parts.value : parts.query;
  const std::int64_t length = florence ? x.shape[1] : kHeadWidth;
  const double scale = 1 / std::sqrt(static_cast<double>(length));
  const Value scaled = binary(b, name + ".scale", "Mul", left, b.number(scale));
  Value y = matmul(b, name + ".scores", swap_last(b, name + ".left", scaled), right);
  y = weigh(b, name, y, swap_last(b, name + ".mixed", mixed));
  y = unite_heads(b, name + ".unite", swap_last(b, name + ".back", y));
  return linear(b, name + ".proj", y, x.shape.back());
}

enum class Attention { Windows, Channels };

Value block(Builder& b, const std::string& name, const Value& x, Attention kind, Form form) {
  const std::int64_t height = x.shape[2];
  const std::int64_t width = x.shape[3];
  Value tokens = map_to_tokens(b, name + ".cpe1.tokens", positions(b, name + ".cpe1", x));
  Value y = layer_norm(b, name + ".norm1", tokens, kEpsilon);
  y = kind == Attention::Windows ? window_attention(b, name + ".attn", y, height, width, form)
                                 : channel_attention(b, name + ".attn", y, form);
  tokens = binary(b, name + ".add1", "Add", tokens, y);
  y = positions(b, name + ".cpe2", tokens_to_map(b, name + ".cpe2.map", tokens, height, width));
  tokens = map_to_tokens(b, name + ".cpe2.tokens", y);
  y = layer_norm(b, name + ".norm2", tokens, kEpsilon);
  y = mlp(b, name + ".mlp", y, kExpansion * x.shape[1]);
  tokens = binary(b, name + ".add2", "Add", tokens, y);
  return tokens_to_map(b, name + ".map", tokens, height, width);
}

/// Half the side, twice the width.
Value halve(Builder& b, const std::string& name, const Value& x, Form form) {
  const Value y = layer_norm_of_map(b, name + ".norm", x, kEpsilon);
  ConvSpec spec{.channels = 2 * x.shape[1], .kernel = {2}, .stride = {2}, .bias = Bias::Trained};
  if (form == Form::Florence) {
    spec.kernel = {3};
    spec.padding = {1};
  }
  return conv(b, name + ".conv", y, spec);
}

void build_davit(Builder& b, const Plan& plan, std::int64_t image) {
  const bool florence = plan.form == Form::Florence;
  Value x = b.input("input", {kBatch, 3, image, image});
  x = conv(b, "stem.conv", x,
           {.channels = plan.width,
            .kernel = {7},
            .stride = {4},
            .padding = {3},
            .bias = Bias::Trained});
  x = layer_norm_of_map(b, "stem.norm", x, kEpsilon);
  for (std::size_t stage = 0; stage < plan.depths.size(); ++stage) {
    const std::string name = "stages." + std::to_string(stage);
    if (stage > 0) x = halve(b, name + ".downsample", x, plan.form);
    for (std::int64_t index = 0; index < plan.depths[stage]; ++index) {
      const std::string pair = name + ".blocks." + std::to_string(index);
      x = block(b, pair + (florence ? ".spatial_block" : ".0"), x, Attention::Windows, plan.form);
      x = block(b, pair + (florence ? ".channel_block" : ".1"), x, Attention::Channels, plan.form);
    }
  }
  x = layer_norm_of_map(b, "head.norm", global_average_pool(b, "head.global_pool", x), kEpsilon);
  x = flatten(b, "head.flatten", x);
  b.output(florence ? x : linear(b, "head.fc", x, 1000));
}

constexpr auto kModels =
    std::to_array<TimmModel<Plan>>({{"davit_tiny", 224, {96, {1, 1, 3, 1}}},
                                    {"davit_small", 224, {96}},
                                    {"davit_base", 224, {128}},
                                    {"davit_large", 224, {192}},
                                    {"davit_huge", 224, {256}},
                                    {"davit_giant", 224, {384, {1, 1, 12, 3}}},
                                    {"davit_base_fl", 768, {128, {1, 1, 9, 1}, Form::Florence}},
                                    {"davit_huge_fl", 768, {256, {1, 1, 9, 1}, Form::Florence}}});

}  // namespace

std::vector<Entry> timm_davit_family() {
  return timm_entries(kModels, "DaViT (arXiv:2204.03645, timm)", build_davit, {.step = 32});
}

}  // namespace horus::zoo
