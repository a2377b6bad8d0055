// SPDX-License-Identifier: Apache-2.0
// MaxViT (Tu et al. 2022, arXiv:2204.01697), tiny, as torchvision builds it: each layer is an
// inverted residual, attention in windows and attention over a grid. Stochastic depth is left out.

#include <array>

#include "horus/zoo/channel_attention.hpp"
#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/image_entry.hpp"
#include "horus/zoo/layers.hpp"
#include "horus/zoo/multi_head.hpp"
#include "horus/zoo/tokens.hpp"
#include "horus/zoo/windows.hpp"

namespace horus::zoo {
namespace {

constexpr double kEpsilon = 1e-5;
constexpr std::int64_t kStem = 64;
constexpr std::array<std::int64_t, 4> kWidths{64, 128, 256, 512};
constexpr std::array<int, 4> kDepths{2, 2, 5, 2};
constexpr std::int64_t kHeadWidth = 32;
constexpr std::int64_t kWindow = 7;
constexpr std::int64_t kExpansion = 4;  // Of the convolutions and of the feed-forward layers.
constexpr std::int64_t kReduction = 32;

Value conv_bn_gelu(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec) {
  return gelu(b, name + ".2", batch_norm(b, name + ".1", conv(b, name + ".0", x, spec)));
}

Value shortcut(Builder& b, const std::string& name, const Value& x, std::int64_t channels,
               std::int64_t stride) {
  if (stride == 1 && x.shape[1] == channels) return x;
  Value y = x;
  if (stride == 2) {
    y = average_pool(b, name + ".0", y, {.kernel = {3}, .stride = {2}, .padding = {1}});
  }
  return conv(b, name + ".1", y, {.channels = channels, .bias = Bias::Trained});
}

Value inverted_residual(Builder& b, const std::string& name, const Value& x, std::int64_t channels,
                        std::int64_t stride) {
  const std::int64_t inner = kExpansion * channels;
  const std::string layers = name + ".layers";
  const Value kept = shortcut(b, name + ".proj", x, channels, stride);
  Value y = batch_norm(b, layers + ".pre_norm", x);
  y = conv_bn_gelu(b, layers + ".conv_a", y, {.channels = inner});
  y = conv_bn_gelu(b, layers + ".conv_b", y, centred(inner, 3, stride, inner));
  y = squeeze_excite(b, layers + ".squeeze_excitation", y,
                     {.squeezed = channels / 4, .activation = silu});
  y = conv(b, layers + ".conv_c", y, {.channels = channels, .bias = Bias::Trained});
  return binary(b, name + ".add", "Add", kept, y);
}

/// Attention and feed-forward layers over sets of tokens, (batch, sets, tokens, width).
Value attend_in_sets(Builder& b, const std::string& name, const Value& x) {
  const std::int64_t width = x.shape.back();
  const std::int64_t heads = width / kHeadWidth;
  const std::string layer = name + ".attn_layer.1";
  Value y = layer_norm(b, name + ".attn_layer.0", x, kEpsilon);
  const HeadTriple triple = project_heads(b, layer + ".to_qkv", y, heads);
  const Value bias = relative_bias(b, layer, kWindow, kWindow, heads);
  y = unite_heads(b, layer + ".context", attend(b, layer, triple, {bias}));
  y = linear(b, layer + ".merge", y, width);
  const Value middle = binary(b, name + ".add_1", "Add", x, y);
  y = layer_norm(b, name + ".mlp_layer.0", middle, kEpsilon);
  y = gelu(b, name + ".mlp_layer.2", linear(b, name + ".mlp_layer.1", y, kExpansion * width));
  y = linear(b, name + ".mlp_layer.3", y, width);
  return binary(b, name + ".add_2", "Add", middle, y);
}

Value layer(Builder& b, const std::string& name, const Value& x, std::int64_t channels,
            std::int64_t stride) {
  Value y = inverted_residual(b, name + ".MBconv", x, channels, stride);
  const std::int64_t side = y.shape[2];
  const std::string window = name + ".window_attention";
  const std::string grid = name + ".grid_attention";
  y = part_windows(b, window + ".partition", channels_last(b, window + ".permute", y), kWindow);
  y = unite_windows(b, window + ".departition", attend_in_sets(b, window, y), side, side);
  y = part_grid(b, grid + ".partition", y, kWindow);
  y = unite_grid(b, grid + ".departition", attend_in_sets(b, grid, y), side, side);
  return channels_first(b, grid + ".permute", y);
}

void build_maxvit(Builder& b, std::int64_t image) {
  Value x = b.input("input", {kBatch, 3, image, image});
  x = conv_bn_gelu(b, "stem.0", x, centred(kStem, 3, 2));
  ConvSpec second = centred(kStem, 3);
  second.bias = Bias::Trained;
  x = conv(b, "stem.1.0", x, second);
  for (std::size_t stage = 0; stage < kWidths.size(); ++stage) {
    const std::string name = "blocks." + std::to_string(stage) + ".layers.";
    for (int i = 0; i < kDepths[stage]; ++i) {
      x = layer(b, name + std::to_string(i), x, kWidths[stage], i == 0 ? 2 : 1);
    }
  }
  x = flatten(b, "classifier.1", global_average_pool(b, "classifier.0", x));
  x = layer_norm(b, "classifier.2", x, kEpsilon);
  x = tanh(b, "classifier.4", linear(b, "classifier.3", x, kWidths.back()));
  b.output(linear(b, "classifier.5", x, 1000, Bias::None));
}

}  // namespace

std::vector<Entry> maxvit_family() {
  // Windows divide the map of every stage.
  constexpr std::int64_t kStep = kWindow * kReduction;
  return {image_entry("maxvit-t", "MaxViT-T, ImageNet (arXiv:2204.01697, torchvision)", kStep,
                      {.min = kStep, .step = kStep}, build_maxvit)};
}

}  // namespace horus::zoo
