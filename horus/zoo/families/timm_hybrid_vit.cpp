// SPDX-License-Identifier: Apache-2.0
// timm's hybrid vision transformers (Dosovitskiy et al. 2021, arXiv:2010.11929): patches of the map
// that a residual network with standardized kernels and group normalization makes (Kolesnikov et
// al. 2020, arXiv:1912.11370), with TensorFlow's padding.

#include <array>
#include <limits>
#include <string>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/layers.hpp"
#include "horus/zoo/same_padding.hpp"
#include "horus/zoo/standardized_conv.hpp"
#include "horus/zoo/tokens.hpp"
#include "horus/zoo/vision_transformer.hpp"

namespace horus::zoo {
namespace {

struct Plan {
  std::array<int, 4> depths{};  ///< Blocks of the residual network's stages.
  std::int64_t patch{1};        ///< In places of its map.
  std::int64_t width{};
  std::int64_t depth{};
  std::int64_t heads{};
  std::int64_t classes{1000};
};

constexpr std::int64_t kGroups = 32;
constexpr std::int64_t kBottleneck = 4;  // Output channels over those in the middle.
constexpr std::int64_t kStem = 64;

/// A convolution with standardized filters and TensorFlow's padding.
Value conv_std(Builder& b, const std::string& name, const Value& x, std::int64_t channels,
               std::int64_t kernel, std::int64_t stride) {
  ConvSpec spec{.channels = channels, .kernel = {kernel}, .stride = {stride}};
  if (stride == 1) {
    spec.padding = {kernel / 2};
    return standardized_conv(b, name, x, spec);
  }
  return standardized_conv(b, name, pad_same(b, name + ".pad", x, kernel, stride), spec);
}

Value norm(Builder& b, const std::string& name, const Value& x) {
  return group_norm(b, name, x, kGroups);
}

Value norm_relu(Builder& b, const std::string& name, const Value& x) {
  return relu(b, name + ".act", norm(b, name, x));
}

Value block(Builder& b, const std::string& name, const Value& x, std::int64_t channels,
            std::int64_t stride) {
  Value carried = x;
  if (x.shape[1] != channels || stride != 1) {
    carried = conv_std(b, name + ".downsample.conv", x, channels, 1, stride);
    carried = norm(b, name + ".downsample.norm", carried);
  }
  const std::int64_t inner = channels / kBottleneck;
  Value y = norm_relu(b, name + ".norm1", conv_std(b, name + ".conv1", x, inner, 1, 1));
  y = norm_relu(b, name + ".norm2", conv_std(b, name + ".conv2", y, inner, 3, stride));
  y = norm(b, name + ".norm3", conv_std(b, name + ".conv3", y, channels, 1, 1));
  return relu(b, name + ".act3", binary(b, name + ".add", "Add", y, carried));
}

/// Max pool 3x3 of stride 2, the odd row and column of padding behind.
Value pool(Builder& b, const std::string& name, const Value& x) {
  const std::int64_t behind = x.shape[2] % 2 == 0 ? 1 : 2;
  const std::int64_t before = behind - 1;
  const Value pads = b.integers({0, 0, before, before, 0, 0, 1, 1});
  const Value lowest = b.number(static_cast<double>(std::numeric_limits<float>::lowest()));
  const std::int64_t side = x.shape[2] + behind;
  const Value framed =
      b.add({.name = name + ".pad", .op_type = "Pad", .inputs = {x.name, pads.name, lowest.name}},
            {kBatch, x.shape[1], side, side});
  return max_pool(b, name, framed, {.kernel = {3}, .stride = {2}});
}

Value backbone(Builder& b, const Value& image, const Plan& plan) {
  const std::string name = "patch_embed.backbone.";
  const bool stem_only = plan.depths[0] == 0;
  const std::string stem = stem_only ? name : name + "stem.";
  Value x = norm_relu(b, stem + "norm", conv_std(b, stem + "conv", image, kStem, 7, 2));
  x = pool(b, stem + "pool", x);
  std::int64_t channels = kStem * kBottleneck;
  for (std::size_t stage = 0; stage < plan.depths.size(); ++stage, channels *= 2) {
    for (int index = 0; index < plan.depths[stage]; ++index) {
      const std::string place =
          name + "stages." + std::to_string(stage) + ".blocks." + std::to_string(index);
      x = block(b, place, x, channels, stage > 0 && index == 0 ? 2 : 1);
    }
  }
  return x;
}

void build_hybrid(Builder& b, const Plan& plan, std::int64_t image) {
  const Value map = backbone(b, b.input("input", {kBatch, 3, image, image}), plan);
  continue_vision_transformer(b,
                              {.width = plan.width,
                               .depth = plan.depth,
                               .heads = plan.heads,
                               .inner = 4 * plan.width,
                               .classes = plan.classes},
                              patchify(b, "patch_embed.proj", map, plan.width, plan.patch));
}

constexpr Plan kTiny{{0, 0, 0, 0}, 8, 192, 12, 3};
constexpr Plan kSmall26{{2, 2, 2, 2}, 1, 384, 12, 6};
constexpr Plan kBase26{{2, 2, 2, 2}, 1, 768, 12, 12};
constexpr Plan kBase50{{3, 4, 9, 0}, 1, 768, 12, 12};
/// Trained to make features, and without a last layer.
constexpr Plan kBase50Features{{3, 4, 9, 0}, 1, 768, 12, 12, 0};
constexpr Plan kLarge50{{3, 4, 6, 3}, 1, 1024, 24, 16};

constexpr auto kModels =
    std::to_array<TimmModel<Plan>>({{"vit_tiny_r_s16_p8_224", 224, kTiny},
                                    {"vit_tiny_r_s16_p8_384", 384, kTiny},
                                    {"vit_small_r26_s32_224", 224, kSmall26},
                                    {"vit_small_r26_s32_384", 384, kSmall26},
                                    {"vit_base_r26_s32_224", 224, kBase26},
                                    {"vit_base_r50_s16_224", 224, kBase50Features},
                                    {"vit_base_r50_s16_384", 384, kBase50},
                                    {"vit_large_r50_s32_224", 224, kLarge50},
                                    {"vit_large_r50_s32_384", 384, kLarge50}});

}  // namespace

std::vector<Entry> timm_hybrid_vit_family() {
  return timm_entries(kModels, "Vision Transformer on a residual network (arXiv:2010.11929, timm)",
                      build_hybrid, {.step = 32});
}

}  // namespace horus::zoo
