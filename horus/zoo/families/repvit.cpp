// SPDX-License-Identifier: Apache-2.0
// RepViT (Wang et al. 2024, arXiv:2307.09283), as timm builds it for training: with the parallel
// branches that are merged into one convolution afterwards, and two classifiers.

#include <array>

#include "horus/zoo/channel_attention.hpp"
#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/image_entry.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

/// The first release normalizes each branch, the second their sum.
enum class Release { First, Second };

struct Plan {
  Release release{};
  std::array<std::int64_t, 4> widths{};
  std::array<int, 4> depths{};
};

constexpr std::int64_t kExpansion = 2;
constexpr std::int64_t kSqueezeDivisor = 8;

Value conv_norm(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec) {
  return batch_norm(b, name + ".bn", conv(b, name + ".c", x, spec));
}

/// A 3x3, a 1x1 and the input itself, added.
Value token_mixer(Builder& b, const std::string& name, const Value& x, Release release) {
  const std::int64_t width = x.shape[1];
  const Value wide = conv_norm(b, name + ".conv", x, centred(width, 3, 1, width));
  ConvSpec point = centred(width, 1, 1, width);
  if (release == Release::Second) point.bias = Bias::Trained;
  const Value narrow = release == Release::First ? conv_norm(b, name + ".conv1", x, point)
                                                 : conv(b, name + ".conv1", x, point);
  Value y = binary(b, name + ".add", "Add", wide, narrow);
  y = binary(b, name + ".add_1", "Add", y, x);
  return release == Release::First ? y : batch_norm(b, name + ".bn", y);
}

/// x + two 1x1 convolutions of it.
Value channel_mixer(Builder& b, const std::string& name, const Value& x) {
  Value y = conv_norm(b, name + ".conv1", x, {.channels = kExpansion * x.shape[1]});
  y = conv_norm(b, name + ".conv2", gelu(b, name + ".act", y), {.channels = x.shape[1]});
  return binary(b, name + ".add", "Add", x, y);
}

Value block(Builder& b, const std::string& name, const Value& x, Release release, bool squeezes) {
  Value y = token_mixer(b, name + ".token_mixer", x, release);
  if (squeezes) {
    const double quarter = static_cast<double>(x.shape[1]) / 4;
    y = squeeze_excite(b, name + ".se", y, {.squeezed = rounded_to(quarter, kSqueezeDivisor, 0)});
  }
  return channel_mixer(b, name + ".channel_mixer", y);
}

Value downsample(Builder& b, const std::string& name, const Value& x, std::int64_t width,
                 Release release) {
  Value y = block(b, name + ".pre_block", x, release, false);
  y = conv_norm(b, name + ".spatial_downsample", y, centred(x.shape[1], 3, 2, x.shape[1]));
  y = conv_norm(b, name + ".channel_downsample", y, {.channels = width});
  return channel_mixer(b, name + ".ffn", y);
}

Value norm_linear(Builder& b, const std::string& name, const Value& x) {
  return linear(b, name + ".l", batch_norm(b, name + ".bn", x), 1000);
}

void build_repvit(Builder& b, const Plan& plan, std::int64_t image) {
  Value x = b.input("input", {kBatch, 3, image, image});
  x = conv_norm(b, "stem.conv1", x, centred(plan.widths[0] / 2, 3, 2));
  x = conv_norm(b, "stem.conv2", gelu(b, "stem.act1", x), centred(plan.widths[0], 3, 2));
  for (std::size_t stage = 0; stage < plan.widths.size(); ++stage) {
    const std::string name = "stages." + std::to_string(stage);
    if (stage > 0) x = downsample(b, name + ".downsample", x, plan.widths[stage], plan.release);
    for (int i = 0; i < plan.depths[stage]; ++i) {
      x = block(b, name + ".blocks." + std::to_string(i), x, plan.release, i % 2 == 0);
    }
  }
  x = flatten(b, "flatten", global_average_pool(b, "global_pool", x));
  const Value first = norm_linear(b, "head.head", x);
  const Value second = norm_linear(b, "head.head_dist", x);
  const Value sum = binary(b, "head.add", "Add", first, second);
  b.output(binary(b, "head.mean", "Div", sum, b.number(2)));
}

struct Row {
  const char* name;
  Plan plan;
};

constexpr std::array<std::int64_t, 4> kWidths48{48, 96, 192, 384};
constexpr std::array<std::int64_t, 4> kWidths56{56, 112, 224, 448};
constexpr std::array<std::int64_t, 4> kWidths64{64, 128, 256, 512};
constexpr std::array<std::int64_t, 4> kWidths80{80, 160, 320, 640};

constexpr auto kRows = std::to_array<Row>({
    {"repvit_m1", {Release::First, kWidths48, {2, 2, 14, 2}}},
    {"repvit_m2", {Release::First, kWidths64, {2, 2, 12, 2}}},
    {"repvit_m3", {Release::First, kWidths64, {4, 4, 18, 2}}},
    {"repvit_m0_9", {Release::Second, kWidths48, {2, 2, 14, 2}}},
    {"repvit_m1_0", {Release::Second, kWidths56, {2, 2, 14, 2}}},
    {"repvit_m1_1", {Release::Second, kWidths64, {2, 2, 12, 2}}},
    {"repvit_m1_5", {Release::Second, kWidths64, {4, 4, 24, 4}}},
    {"repvit_m2_3", {Release::Second, kWidths80, {6, 6, 34, 2}}},
});

}  // namespace

std::vector<Entry> repvit_family() {
  std::vector<Entry> entries;
  for (const Row& row : kRows) {
    entries.push_back(image_entry(
        row.name, "RepViT, ImageNet (arXiv:2307.09283, timm)", 224, {},
        [plan = row.plan](Builder& b, std::int64_t image) { build_repvit(b, plan, image); }));
  }
  return entries;
}

}  // namespace horus::zoo
