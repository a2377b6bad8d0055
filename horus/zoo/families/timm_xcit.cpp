// SPDX-License-Identifier: Apache-2.0
// XCiT (Ali et al. 2021, arXiv:2106.09681) as timm builds it: attention between channels instead of
// tokens, a local convolution in each block, and two layers of class attention at the end.

#include <array>
#include <string>

#include "horus/zoo/class_attention.hpp"
#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/cross_covariance.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {
namespace {

/// What the class layers normalize before their feed-forward (the nano networks: the class only).
enum class ClassNorm { AllTokens, ClassToken };

struct Plan {
  std::int64_t width{};
  std::int64_t depth{};
  std::int64_t heads{};
  std::int64_t patch{};
  ClassNorm norm{ClassNorm::AllTokens};
};

constexpr double kEpsilon = 1e-6;
constexpr std::int64_t kClassLayers = 2;

/// 3x3 convolutions of stride 2 until one pixel is left of each patch, each twice as wide as the
/// one before it.
Value patch_embed(Builder& b, const Value& image, const Plan& plan) {
  const int layers = plan.patch == 16 ? 4 : 3;
  Value x = image;
  for (int layer = 0; layer < layers; ++layer) {
    const std::string name = "patch_embed.proj." + std::to_string(2 * layer);
    const std::int64_t width = plan.width >> (layers - 1 - layer);
    if (layer > 0) x = gelu(b, "patch_embed.proj." + std::to_string(2 * layer - 1), x);
    x = conv(b, name + ".0", x, {.channels = width, .kernel = {3}, .stride = {2}, .padding = {1}});
    x = batch_norm(b, name + ".1", x);
  }
  return x;
}

Value with_positions(Builder& b, const Value& map, const Plan& plan) {
  const Value places = wave_positions(b, "pos_embed", map.shape[2], map.shape[3], plan.width);
  return binary(b, "pos_embed.add", "Add", map_to_tokens(b, "patch_embed", map), places);
}

/// Two depthwise 3x3 convolutions over the tokens' map of `side` by `side`.
Value local_interaction(Builder& b, const std::string& name, const Value& x, std::int64_t side) {
  const std::int64_t width = x.shape.back();
  const ConvSpec depthwise{
      .channels = width, .kernel = {3}, .padding = {1}, .groups = width, .bias = Bias::Trained};
  Value y = tokens_to_map(b, name + ".map", x, side, side);
  y = gelu(b, name + ".act", conv(b, name + ".conv1", y, depthwise));
  y = conv(b, name + ".conv2", batch_norm(b, name + ".bn", y), depthwise);
  return map_to_tokens(b, name + ".tokens", y);
}

Value residual(Builder& b, const std::string& name, const std::string& index, const Value& x,
               const Value& branch) {
  return binary(b, name + ".add" + index, "Add", x,
                layer_scale(b, name + ".gamma" + index, branch));
}

Value block(Builder& b, const std::string& name, Value x, const Plan& plan, std::int64_t side) {
  Value y = layer_norm(b, name + ".norm1", x, kEpsilon);
  x = residual(b, name, "1", x, cross_covariance(b, name + ".attn", y, plan.heads));
  y = layer_norm(b, name + ".norm3", x, kEpsilon);
  x = residual(b, name, "3", x, local_interaction(b, name + ".local_mp", y, side));
  y = layer_norm(b, name + ".norm2", x, kEpsilon);
  return residual(b, name, "2", x, mlp(b, name + ".mlp", y, 4 * plan.width));
}

/// The class token attends to all tokens; then it alone passes the feed-forward.
Value class_block(Builder& b, const std::string& name, Value x, const Plan& plan) {
  const std::int64_t tokens = x.shape[1];
  const Value normed = layer_norm(b, name + ".norm1", x, kEpsilon);
  const Value rest = slice(b, name + ".norm1.rest", normed, 1, 1, tokens);
  const Value attended = class_attention(b, name + ".attn", normed, plan.heads);
  Value y = concat(b, name + ".attended", std::vector<Value>{attended, rest}, 1);
  x = residual(b, name, "1", x, y);
  if (plan.norm == ClassNorm::AllTokens) {
    x = layer_norm(b, name + ".norm2", x, kEpsilon);
  } else {
    const Value first = slice(b, name + ".norm2.class", x, 1, 0, 1);
    const Value others = slice(b, name + ".norm2.rest", x, 1, 1, tokens);
    const Value normed_class = layer_norm(b, name + ".norm2", first, kEpsilon);
    x = concat(b, name + ".norm2.tokens", std::vector<Value>{normed_class, others}, 1);
  }
  y = mlp(b, name + ".mlp", slice(b, name + ".class", x, 1, 0, 1), 4 * plan.width);
  y = layer_scale(b, name + ".gamma2", y);
  const Value others = slice(b, name + ".rest", x, 1, 1, tokens);
  y = concat(b, name + ".tokens", std::vector<Value>{y, others}, 1);
  return binary(b, name + ".add2", "Add", x, y);
}

void build_xcit(Builder& b, const Plan& plan, std::int64_t image) {
  const Value input = b.input("input", {kBatch, 3, image, image});
  const Value map = patch_embed(b, input, plan);
  Value x = with_positions(b, map, plan);
  for (std::int64_t layer = 0; layer < plan.depth; ++layer) {
    x = block(b, "blocks." + std::to_string(layer), x, plan, map.shape[2]);
  }
  const Value token = b.parameter("cls_token", {1, 1, plan.width});
  const Value first = repeat_for_batch(b, "cls_token.expand", token, x);
  x = concat(b, "tokens", std::vector<Value>{first, x}, 1);
  for (std::int64_t layer = 0; layer < kClassLayers; ++layer) {
    x = class_block(b, "cls_attn_blocks." + std::to_string(layer), x, plan);
  }
  x = layer_norm(b, "norm", x, kEpsilon);
  b.output(linear(b, "head", pick(b, "pool", x, 1, 0), 1000));
}

struct Size {
  const char* name{};
  std::int64_t width{};
  std::int64_t depth{};
  std::int64_t heads{};
  ClassNorm norm{ClassNorm::AllTokens};
};

// Table 1 of the paper.
constexpr auto kSizes = std::to_array<Size>({{"xcit_nano_12", 128, 12, 4, ClassNorm::ClassToken},
                                             {"xcit_tiny_12", 192, 12, 4},
                                             {"xcit_small_12", 384, 12, 8},
                                             {"xcit_tiny_24", 192, 24, 4},
                                             {"xcit_small_24", 384, 24, 8},
                                             {"xcit_medium_24", 512, 24, 8},
                                             {"xcit_large_24", 768, 24, 16}});

Entry entry(const Size& size, std::int64_t patch, std::int64_t image) {
  const Plan plan{size.width, size.depth, size.heads, patch, size.norm};
  return image_entry(
      std::string{size.name} + "_p" + std::to_string(patch) + "_" + std::to_string(image),
      "XCiT, ImageNet (arXiv:2106.09681, timm)", image, {.step = patch},
      [plan](Builder& b, std::int64_t side) { build_xcit(b, plan, side); });
}

}  // namespace

std::vector<Entry> timm_xcit_family() {
  std::vector<Entry> entries;
  for (const Size& size : kSizes) {
    for (const std::int64_t patch : {8, 16}) {
      for (const std::int64_t image : {224, 384}) entries.push_back(entry(size, patch, image));
    }
  }
  return entries;
}

}  // namespace horus::zoo
