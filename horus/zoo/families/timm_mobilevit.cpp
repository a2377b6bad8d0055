// SPDX-License-Identifier: Apache-2.0
// MobileViT (Mehta and Rastegari 2021, arXiv:2110.02178) and its second version (arXiv:2206.02680)
// as timm builds them: inverted bottlenecks, and transformers over the pixels that have the same
// place in patches of two by two.

#include <array>
#include <string>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/tokens.hpp"
#include "horus/zoo/vision_transformer.hpp"

namespace horus::zoo {
namespace {

enum class Version { One, Two };

struct Plan {
  Version version{};
  std::array<std::int64_t, 5> widths{};
  std::array<std::int64_t, 3> inner{};  ///< Widths of the transformers; version 1.
  std::int64_t expansion{};
  std::int64_t stem{16};
  std::int64_t features{};  ///< Of a last 1x1 convolution; version 1.
};

constexpr double kEpsilon = 1e-5;
constexpr std::int64_t kPatch = 2;
constexpr std::int64_t kHeads = 4;
constexpr std::int64_t kFeedForward = 2;
constexpr std::int64_t kDivisor = 8;
constexpr std::array<int, 5> kStrides{1, 2, 2, 2, 2};
constexpr std::array<int, 3> kDepths{2, 4, 3};  // Of the transformers.
constexpr std::size_t kFirstTransformer = 2;

Value inverted(Builder& b, const std::string& name, const Value& x, std::int64_t width,
               std::int64_t stride, std::int64_t expansion) {
  const std::int64_t inner = rounded_to(static_cast<double>(x.shape[1] * expansion), kDivisor);
  Value y = conv_bn_act(b, name + ".conv1_1x1", x, {.channels = inner}, silu);
  y = conv_bn_act(b, name + ".conv2_kxk", y, centred(inner, 3, stride, inner), silu);
  y = conv_bn(b, name + ".conv3_1x1", y, {.channels = width});
  const bool residual = stride == 1 && width == x.shape[1];
  return residual ? binary(b, name + ".add", "Add", y, x) : y;
}

/// (batch, channels, height, width) to (batch, channels, rows, 2, columns, 2).
Value cut(Builder& b, const std::string& name, const Value& x) {
  return shaped(b, name, x,
                {kBatch, x.shape[1], x.shape[2] / kPatch, kPatch, x.shape[3] / kPatch, kPatch});
}

/// Transformer layers over the patches, for each place in a patch on its own.
Value transformer(Builder& b, const std::string& name, const Value& x, int depth) {
  const std::int64_t width = x.shape[1];
  const Value parts = cut(b, name + ".cut", x);
  const std::int64_t rows = parts.shape[2];
  const std::int64_t columns = parts.shape[4];
  Value y = transpose(b, name + ".unfold", parts, {0, 3, 5, 2, 4, 1});
  y = shaped(b, name + ".patches", y, {kBatch, kPatch * kPatch, rows * columns, width});
  const VitPlan plan{.width = width,
                     .heads = kHeads,
                     .inner = kFeedForward * width,
                     .epsilon = kEpsilon,
                     .activation = silu};
  for (int layer = 0; layer < depth; ++layer) {
    y = vit_block(b, name + ".transformer." + std::to_string(layer), y, plan);
  }
  y = layer_norm(b, name + ".norm", y, kEpsilon);
  y = shaped(b, name + ".parts", y, {kBatch, kPatch, kPatch, rows, columns, width});
  y = transpose(b, name + ".fold", y, {0, 5, 3, 1, 4, 2});
  return shaped(b, name + ".map", y, x.shape);
}

Value first_block(Builder& b, const std::string& name, const Value& x, std::int64_t inner,
                  int depth) {
  const std::int64_t width = x.shape[1];
  Value y = conv_bn_act(b, name + ".conv_kxk", x, centred(width, 3), silu);
  y = transformer(b, name, conv(b, name + ".conv_1x1", y, {.channels = inner}), depth);
  y = conv_bn_act(b, name + ".conv_proj", y, {.channels = width}, silu);
  y = concat(b, name + ".concat", std::vector<Value>{x, y}, 1);
  return conv_bn_act(b, name + ".conv_fusion", y, centred(width, 3), silu);
}

/// One weight for each patch sums the keys to one vector, which multiplies all values.
Value separable_attention(Builder& b, const std::string& name, const Value& x) {
  const std::int64_t width = x.shape[1];
  const Value all =
      conv(b, name + ".qkv_proj", x, {.channels = 1 + 2 * width, .bias = Bias::Trained});
  const std::vector<Value> parts = split(b, name + ".split", all, 1, {1, width, width});
  const Value scores = softmax(b, name + ".softmax", parts[0]);
  const Value weighed = binary(b, name + ".weigh", "Mul", parts[1], scores);
  const Value axes = b.integers({-1});
  const Value context = b.add(
      {.name = name + ".context", .op_type = "ReduceSum", .inputs = {weighed.name, axes.name}},
      {kBatch, width, x.shape[2], 1});
  const Value y = binary(b, name + ".mul", "Mul", relu(b, name + ".relu", parts[2]), context);
  return conv(b, name + ".out_proj", y, {.channels = width, .bias = Bias::Trained});
}

Value separable_layer(Builder& b, const std::string& name, const Value& x) {
  Value y = separable_attention(b, name + ".attn", group_norm(b, name + ".norm1", x, 1));
  const Value middle = binary(b, name + ".add1", "Add", x, y);
  y = group_norm(b, name + ".norm2", middle, 1);
  y = mlp_of_map(b, name + ".mlp", y, kFeedForward * x.shape[1], silu);
  return binary(b, name + ".add2", "Add", middle, y);
}

Value second_block(Builder& b, const std::string& name, const Value& x, int depth) {
  const std::int64_t width = x.shape[1];
  Value y = conv_bn_act(b, name + ".conv_kxk", x, centred(width, 3, 1, width), silu);
  const std::int64_t inner = rounded_to(static_cast<double>(width) / 2, kDivisor);
  const Value narrow = conv(b, name + ".conv_1x1", y, {.channels = inner});
  const Value parts = cut(b, name + ".cut", narrow);
  const std::int64_t rows = parts.shape[2];
  const std::int64_t columns = parts.shape[4];
  y = transpose(b, name + ".unfold", parts, {0, 1, 3, 5, 2, 4});
  y = shaped(b, name + ".patches", y, {kBatch, inner, kPatch * kPatch, rows * columns});
  for (int layer = 0; layer < depth; ++layer) {
    y = separable_layer(b, name + ".transformer." + std::to_string(layer), y);
  }
  y = group_norm(b, name + ".norm", y, 1);
  y = shaped(b, name + ".parts", y, {kBatch, inner, kPatch, kPatch, rows, columns});
  y = transpose(b, name + ".fold", y, {0, 1, 4, 2, 5, 3});
  y = shaped(b, name + ".map", y, narrow.shape);
  return conv_bn(b, name + ".conv_proj", y, {.channels = width});
}

void build_mobilevit(Builder& b, const Plan& plan, std::int64_t image) {
  Value x = conv_bn_act(b, "stem", b.input("input", {kBatch, 3, image, image}),
                        centred(plan.stem, 3, 2), silu);
  for (std::size_t stage = 0; stage < plan.widths.size(); ++stage) {
    const std::string name = "stages." + std::to_string(stage) + ".";
    const bool transforms = stage >= kFirstTransformer;
    const int blocks = stage != 1 ? 1 : plan.version == Version::One ? 3 : 2;
    for (int index = 0; index < blocks; ++index) {
      x = inverted(b, name + std::to_string(index), x, plan.widths[stage],
                   index == 0 ? kStrides[stage] : 1, plan.expansion);
    }
    if (!transforms) continue;
    const std::size_t which = stage - kFirstTransformer;
    x = plan.version == Version::One
            ? first_block(b, name + "1", x, plan.inner[which], kDepths[which])
            : second_block(b, name + "1", x, kDepths[which]);
  }
  if (plan.features != 0) {
    x = conv_bn_act(b, "final_conv", x, {.channels = plan.features}, silu);
  }
  b.output(classifier(b, "head", "head.fc", x));
}

constexpr Plan kXxs{Version::One, {16, 24, 48, 64, 80}, {64, 80, 96}, 2, 16, 320};
constexpr Plan kXs{Version::One, {32, 48, 64, 80, 96}, {96, 120, 144}, 4, 16, 384};
constexpr Plan kS{Version::One, {32, 64, 96, 128, 160}, {144, 192, 240}, 4, 16, 640};

/// Version 2 in `percent` of its customary widths.
constexpr Plan second(std::int64_t percent) {
  Plan plan{.version = Version::Two,
            .widths = {64, 128, 256, 384, 512},
            .expansion = 2,
            .stem = 32 * percent / 100};
  for (std::int64_t& width : plan.widths) width = width * percent / 100;
  return plan;
}

constexpr auto kFirst = std::to_array<TimmModel<Plan>>(
    {{"mobilevit_xxs", 256, kXxs}, {"mobilevit_xs", 256, kXs}, {"mobilevit_s", 256, kS}});

constexpr auto kSecond = std::to_array<TimmModel<Plan>>({{"mobilevitv2_050", 256, second(50)},
                                                         {"mobilevitv2_075", 256, second(75)},
                                                         {"mobilevitv2_100", 256, second(100)},
                                                         {"mobilevitv2_125", 256, second(125)},
                                                         {"mobilevitv2_150", 256, second(150)},
                                                         {"mobilevitv2_175", 256, second(175)},
                                                         {"mobilevitv2_200", 256, second(200)}});

}  // namespace

std::vector<Entry> timm_mobilevit_family() {
  const ImageRange images{.min = 64, .step = 64};
  std::vector<Entry> entries =
      timm_entries(kFirst, "MobileViT, ImageNet (arXiv:2110.02178, timm)", build_mobilevit, images);
  for (Entry& entry : timm_entries(kSecond, "MobileViT V2, ImageNet (arXiv:2206.02680, timm)",
                                   build_mobilevit, images)) {
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace horus::zoo
