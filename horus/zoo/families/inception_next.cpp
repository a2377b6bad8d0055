// SPDX-License-Identifier: Apache-2.0
// InceptionNeXt (Yu et al. 2024, arXiv:2303.16900), as timm builds it: ConvNeXt with its large
// depthwise kernel cut into a square and two bands. Stochastic depth is left out.

#include <array>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/image_entry.hpp"
#include "horus/zoo/layers.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {
namespace {

struct Plan {
  std::array<int, 4> depths{};
  std::array<std::int64_t, 4> widths{};
  std::int64_t band{11};  ///< Length of the bands.
  std::int64_t share{8};  ///< Channels over those of one branch.
};

constexpr double kEpsilon = 1e-6;
constexpr std::array<std::int64_t, 4> kExpansions{4, 4, 4, 3};
constexpr std::int64_t kHeadExpansion = 3;

ConvSpec band(std::int64_t channels, std::int64_t height, std::int64_t width) {
  return {.channels = channels,
          .kernel = {height, width},
          .padding = {height / 2, width / 2},
          .groups = channels,
          .bias = Bias::Trained};
}

/// A square, a wide and a tall depthwise convolution of a share of the channels each; the others
/// pass.
Value token_mixer(Builder& b, const std::string& name, const Value& x, const Plan& plan) {
  const std::int64_t share = x.shape[1] / plan.share;
  const std::vector<Value> parts =
      split(b, name + ".split", x, 1, {x.shape[1] - 3 * share, share, share, share});
  const Value square = conv(b, name + ".dwconv_hw", parts[1], band(share, 3, 3));
  const Value wide = conv(b, name + ".dwconv_w", parts[2], band(share, 1, plan.band));
  const Value tall = conv(b, name + ".dwconv_h", parts[3], band(share, plan.band, 1));
  return concat(b, name + ".concat", std::vector<Value>{parts[0], square, wide, tall}, 1);
}

Value block(Builder& b, const std::string& name, const Value& x, const Plan& plan,
            std::int64_t expansion) {
  const std::int64_t width = x.shape[1];
  Value y = batch_norm(b, name + ".norm", token_mixer(b, name + ".token_mixer", x, plan));
  y = mlp_of_map(b, name + ".mlp", y, expansion * width);
  y = layer_scale(b, name + ".layer_scale", y, {width, 1, 1});
  return binary(b, name + ".add", "Add", y, x);
}

void build_inception_next(Builder& b, const Plan& plan, std::int64_t image) {
  Value x = b.input("input", {kBatch, 3, image, image});
  x = batch_norm(b, "stem.1", patchify(b, "stem.0", x, plan.widths[0], 4));
  for (std::size_t stage = 0; stage < plan.widths.size(); ++stage) {
    const std::string name = "stages." + std::to_string(stage);
    if (stage > 0) {
      x = batch_norm(b, name + ".downsample.0", x);
      x = patchify(b, name + ".downsample.1", x, plan.widths[stage], 2);
    }
    for (int i = 0; i < plan.depths[stage]; ++i) {
      x = block(b, name + ".blocks." + std::to_string(i), x, plan, kExpansions[stage]);
    }
  }
  const std::int64_t hidden = kHeadExpansion * x.shape[1];
  x = flatten(b, "head.flatten", global_average_pool(b, "head.global_pool", x));
  x = gelu(b, "head.act", linear(b, "head.fc1", x, hidden));
  b.output(linear(b, "head.fc2", layer_norm(b, "head.norm", x, kEpsilon), 1000));
}

struct Row {
  const char* name;
  Plan plan;
};

constexpr auto kRows = std::to_array<Row>({
    {"inception_next_atto", {{2, 2, 6, 2}, {40, 80, 160, 320}, 9, 4}},
    {"inception_next_tiny", {{3, 3, 9, 3}, {96, 192, 384, 768}}},
    {"inception_next_small", {{3, 3, 27, 3}, {96, 192, 384, 768}}},
    {"inception_next_base", {{3, 3, 27, 3}, {128, 256, 512, 1024}}},
});

}  // namespace

std::vector<Entry> inception_next_family() {
  std::vector<Entry> entries;
  for (const Row& row : kRows) {
    entries.push_back(image_entry(row.name, "InceptionNeXt, ImageNet (arXiv:2303.16900, timm)", 224,
                                  {}, [plan = row.plan](Builder& b, std::int64_t image) {
                                    build_inception_next(b, plan, image);
                                  }));
  }
  return entries;
}

}  // namespace horus::zoo
