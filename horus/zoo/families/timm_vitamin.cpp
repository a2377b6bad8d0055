// SPDX-License-Identifier: Apache-2.0
// ViTamin (Chen et al. 2024, arXiv:2404.02132) as timm builds it: two stages of inverted
// bottlenecks make the patches of a vision transformer with gated feed-forwards.

#include <array>
#include <string>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/tokens.hpp"
#include "horus/zoo/vision_transformer.hpp"

namespace horus::zoo {
namespace {

struct Plan {
  std::array<std::int64_t, 2> widths{};  ///< Of the two convolutional stages.
  std::int64_t width{};
  std::int64_t depth{};
  std::int64_t heads{};
  std::int64_t classes{};
  VitPositions positions{VitPositions::AllTokens};
};

constexpr double kEpsilon = 1e-6;
constexpr std::int64_t kExpansion = 4;
constexpr std::array<int, 2> kDepths{2, 4};

ConvSpec biased(ConvSpec spec) {
  spec.bias = Bias::Trained;
  return spec;
}

/// The input of a block as its output needs it.
Value shortcut(Builder& b, const std::string& name, const Value& x, std::int64_t width,
               std::int64_t stride) {
  if (stride == 1) return x;
  const Value y = average_pool(
      b, name + ".pool", x,
      {.kernel = {3}, .stride = {2}, .padding = {1}, .padding_counts = PaddingCounts::No});
  if (width == x.shape[1]) return y;
  return conv(b, name + ".expand", y, biased({.channels = width}));
}

Value block(Builder& b, const std::string& name, const Value& x, std::int64_t width,
            std::int64_t stride) {
  const std::int64_t inner = kExpansion * width;
  const Value carried = shortcut(b, name + ".shortcut", x, width, stride);
  Value y = layer_norm_of_map(b, name + ".pre_norm", x, kEpsilon);
  y = gelu(b, name + ".act1", conv(b, name + ".conv1_1x1", y, biased({.channels = inner})));
  y = conv(b, name + ".conv2_kxk", y, biased(centred(inner, 3, stride, inner)));
  y = conv(b, name + ".conv3_1x1", gelu(b, name + ".act2", y), biased({.channels = width}));
  return binary(b, name + ".add", "Add", y, carried);
}

Value patches(Builder& b, const Value& image, const Plan& plan) {
  const std::string name = "patch_embed.backbone";
  Value x = conv(b, name + ".stem.conv1", image, biased(centred(plan.widths[0], 3, 2)));
  x = layer_norm_of_map(b, name + ".stem.norm1", x, kEpsilon);
  x = gelu(b, name + ".stem.norm1.act", x);
  x = conv(b, name + ".stem.conv2", x, biased(centred(plan.widths[0], 3)));
  for (std::size_t stage = 0; stage < kDepths.size(); ++stage) {
    for (int index = 0; index < kDepths[stage]; ++index) {
      const std::string place =
          name + ".stages." + std::to_string(stage) + "." + std::to_string(index);
      x = block(b, place, x, plan.widths[stage], index == 0 ? 2 : 1);
    }
  }
  x = layer_norm_of_map(b, name + ".pool.norm", x, kEpsilon);
  return conv(b, name + ".pool.proj", x, biased(centred(plan.width, 3, 2)));
}

void build_vitamin(Builder& b, const Plan& plan, std::int64_t image) {
  const Value map = patches(b, b.input("input", {kBatch, 3, image, image}), plan);
  continue_vision_transformer(b,
                              {.width = plan.width,
                               .depth = plan.depth,
                               .heads = plan.heads,
                               .inner = 2 * plan.width,
                               .classes = plan.classes,
                               .feed_forward = VitFeedForward::GeluGate,
                               .positions = plan.positions,
                               .head = VitHead::AverageThenNorm,
                               .class_token = VitClassToken::Absent},
                              map);
}

constexpr Plan kSmall{{64, 128}, 384, 14, 6, 384};
constexpr Plan kBase{{128, 256}, 768, 14, 12, 768};
constexpr Plan kLarge{{160, 320}, 1024, 31, 16, 768};
constexpr Plan kLarge2{{160, 320}, 1024, 31, 16, 1024};
constexpr Plan kXLarge{{192, 384}, 1152, 32, 16, 1152, VitPositions::None};

constexpr auto kModels = std::to_array<TimmModel<Plan>>({{"vitamin_small_224", 224, kSmall},
                                                         {"vitamin_base_224", 224, kBase},
                                                         {"vitamin_large_224", 224, kLarge},
                                                         {"vitamin_large_256", 256, kLarge},
                                                         {"vitamin_large_336", 336, kLarge},
                                                         {"vitamin_large_384", 384, kLarge},
                                                         {"vitamin_large2_224", 224, kLarge2},
                                                         {"vitamin_large2_256", 256, kLarge2},
                                                         {"vitamin_large2_336", 336, kLarge2},
                                                         {"vitamin_large2_384", 384, kLarge2},
                                                         {"vitamin_xlarge_256", 256, kXLarge},
                                                         {"vitamin_xlarge_336", 336, kXLarge},
                                                         {"vitamin_xlarge_384", 384, kXLarge}});

}  // namespace

std::vector<Entry> timm_vitamin_family() {
  return timm_entries(kModels, "ViTamin, the image tower of a CLIP (arXiv:2404.02132, timm)",
                      build_vitamin, {.step = 16});
}

}  // namespace horus::zoo
