// SPDX-License-Identifier: Apache-2.0
// Squeeze-and-excitation networks in their first published form (Hu et al. 2018, arXiv:1709.01507;
// Cadene/pretrained-models.pytorch), as huggingface/pytorch-image-models (timm, models/senet.py)
// keeps them: the first pool has no padding, and bottlenecks of the plain form reduce in their
// first convolution.

#include <array>

#include "horus/zoo/channel_attention.hpp"
#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/layers.hpp"
#include "horus/zoo/numbered_conv.hpp"

namespace horus::zoo {
namespace {

/// Wide: SENet-154, whose 3x3 convolution is twice as wide as the 1x1 in front of it.
enum class Block { Basic, Bottleneck, Grouped, Wide };

struct Plan {
  Block block{Block::Bottleneck};
  std::array<int, 4> depths{};
};

constexpr std::int64_t kSqueeze = 16;
constexpr double kDropout = 0.2;
constexpr std::int64_t kGroups = 32;
constexpr std::int64_t kWideGroups = 64;

struct Place {
  std::string name;
  std::int64_t width{};
  std::int64_t stride{1};
};

Value branch(Builder& b, Block block, const Place& place, const Value& x) {
  const std::string& name = place.name;
  const std::int64_t width = place.width;
  const ConvSpec last{.channels = 4 * width};
  Value y;
  switch (block) {
    case Block::Basic:
      y = numbered_conv_relu(b, name, 1, x, centred(width, 3, place.stride));
      return numbered_conv_relu(b, name, 2, y, centred(width, 3));
    case Block::Bottleneck:
      y = numbered_conv_relu(b, name, 1, x, {.channels = width, .stride = {place.stride}});
      y = numbered_conv_relu(b, name, 2, y, centred(width, 3));
      return numbered_conv(b, name, 3, y, last);
    case Block::Grouped:
      y = numbered_conv_relu(b, name, 1, x, {.channels = 2 * width});
      y = numbered_conv_relu(b, name, 2, y, centred(2 * width, 3, place.stride, kGroups));
      return numbered_conv(b, name, 3, y, last);
    case Block::Wide:
      break;
  }
  y = numbered_conv_relu(b, name, 1, x, {.channels = 2 * width});
  y = numbered_conv_relu(b, name, 2, y, centred(4 * width, 3, place.stride, kWideGroups));
  return numbered_conv(b, name, 3, y, last);
}

Value residual(Builder& b, Block block, const Place& place, const Value& x) {
  Value y = branch(b, block, place, x);
  const std::int64_t channels = y.shape[1];
  Value past = x;
  if (place.stride != 1 || x.shape[1] != channels) {
    const std::int64_t kernel = block == Block::Wide && place.stride != 1 ? 3 : 1;
    past = conv(b, place.name + ".downsample.0", x, centred(channels, kernel, place.stride));
    past = batch_norm(b, place.name + ".downsample.1", past);
  }
  y = squeeze_excite(b, place.name + ".se_module", y, {.squeezed = channels / kSqueeze});
  return relu(b, place.name + ".relu", binary(b, place.name + ".add", "Add", y, past));
}

Value stem(Builder& b, Block block, const Value& image) {
  Value x = image;
  if (block == Block::Wide) {
    x = numbered_conv_relu(b, "layer0", 1, x, centred(64, 3, 2));
    x = numbered_conv_relu(b, "layer0", 2, x, centred(64, 3));
    x = numbered_conv_relu(b, "layer0", 3, x, centred(128, 3));
  } else {
    x = numbered_conv_relu(b, "layer0", 1, x, centred(64, 7, 2));
  }
  return max_pool(b, "pool0", x, {.kernel = {3}, .stride = {2}, .rounding = Rounding::Up});
}

void build_network(Builder& b, const Plan& plan, std::int64_t image) {
  Value x = stem(b, plan.block, b.input("input", {kBatch, 3, image, image}));
  std::int64_t width = 64;
  for (std::size_t stage = 0; stage < plan.depths.size(); ++stage, width *= 2) {
    for (int i = 0; i < plan.depths[stage]; ++i) {
      const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(i);
      x = residual(b, plan.block, {name, width, stage > 0 && i == 0 ? 2 : 1}, x);
    }
  }
  b.output(classifier(b, "global_pool", "last_linear", x, kDropout));
}

constexpr auto kModels = std::to_array<TimmModel<Plan>>({
    {"legacy_senet154", 224, {Block::Wide, {3, 8, 36, 3}}},
    {"legacy_seresnet101", 224, {Block::Bottleneck, {3, 4, 23, 3}}},
    {"legacy_seresnet152", 224, {Block::Bottleneck, {3, 8, 36, 3}}},
    {"legacy_seresnet18", 224, {Block::Basic, {2, 2, 2, 2}}},
    {"legacy_seresnet34", 224, {Block::Basic, {3, 4, 6, 3}}},
    {"legacy_seresnet50", 224, {Block::Bottleneck, {3, 4, 6, 3}}},
    {"legacy_seresnext101_32x4d", 224, {Block::Grouped, {3, 4, 23, 3}}},
    {"legacy_seresnext26_32x4d", 224, {Block::Grouped, {2, 2, 2, 2}}},
    {"legacy_seresnext50_32x4d", 224, {Block::Grouped, {3, 4, 6, 3}}},
});

}  // namespace

std::vector<Entry> timm_senet_family() {
  return timm_entries(kModels, "squeeze and excitation, ImageNet (timm, models/senet.py)",
                      build_network);
}

}  // namespace horus::zoo
