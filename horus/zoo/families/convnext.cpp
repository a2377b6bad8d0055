// SPDX-License-Identifier: Apache-2.0
// ConvNeXt (Liu et al. 2022, arXiv:2201.03545) and ConvNeXt V2 (Woo et al. 2023, arXiv:2301.00808):
// the four sizes of torchvision and those of timm. Names are those of timm; stochastic depth is
// left out.

#include <array>
#include <utility>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {
namespace {

/// One convolution over 4x4 patches, or two of 3x3; "tiered": the first of half the width.
enum class Stem { Patches, Overlapping, OverlappingTiered };
/// The two layers of a block: linear on channels that stand last, or 1x1 convolutions.
enum class Layers { Linear, Convolution };
enum class Version { One, Two };  ///< Two: global response normalization, no layer scale.
enum class Head { PoolFirst, NormFirst, Hidden };

struct Plan {
  std::array<int, 4> depths{};
  std::array<std::int64_t, 4> widths{};
  Layers layers{Layers::Linear};
  Stem stem{Stem::Patches};
  Head head{Head::PoolFirst};
  Version version{Version::One};
};

constexpr double kEpsilon = 1e-6;
constexpr std::int64_t kExpansion = 4;

/// Global response normalization: each channel's norm over the image, over the mean of all norms.
Value response_norm(Builder& b, const std::string& name, const Value& x, Layers layers) {
  const bool last = layers == Layers::Linear;
  const std::int64_t channels = last ? x.shape[3] : x.shape[1];
  const Shape per_image = last ? Shape{kBatch, 1, 1, channels} : Shape{kBatch, channels, 1, 1};
  const std::vector<std::int64_t> spatial =
      last ? std::vector<std::int64_t>{1, 2} : std::vector<std::int64_t>{2, 3};
  const std::vector<std::int64_t> channel{last ? std::int64_t{3} : std::int64_t{1}};
  const Value size = b.add({.name = name + ".norm",
                            .op_type = "ReduceL2",
                            .inputs = {x.name},
                            .attributes = {{"axes", spatial}, {"keepdims", std::int64_t{1}}}},
                           per_image);
  const Value mean = b.add({.name = name + ".mean",
                            .op_type = "ReduceMean",
                            .inputs = {size.name},
                            .attributes = {{"axes", channel}, {"keepdims", std::int64_t{1}}}},
                           {kBatch, 1, 1, 1});
  const Value floor = binary(b, name + ".add", "Add", mean, b.number(kEpsilon));
  const Value share = binary(b, name + ".div", "Div", size, floor);
  Value y = binary(b, name + ".mul", "Mul", x, share);
  const Shape broadcast = last ? Shape{channels} : Shape{channels, 1, 1};
  y = binary(b, name + ".scale", "Mul", y, b.parameter(name + ".weight", broadcast));
  y = binary(b, name + ".offset", "Add", y, b.parameter(name + ".bias", broadcast));
  return binary(b, name, "Add", x, y);
}

Value dense(Builder& b, const std::string& name, const Value& x, std::int64_t width,
            Layers layers) {
  if (layers == Layers::Linear) return linear(b, name, x, width);
  return conv(b, name, x, {.channels = width, .bias = Bias::Trained});
}

Value block_mlp(Builder& b, const std::string& name, const Value& x, std::int64_t width,
                const Plan& plan) {
  Value y = dense(b, name + ".fc1", x, kExpansion * width, plan.layers);
  y = gelu(b, name + ".act", y);
  if (plan.version == Version::Two) y = response_norm(b, name + ".grn", y, plan.layers);
  return dense(b, name + ".fc2", y, width, plan.layers);
}

Value block(Builder& b, const std::string& name, const Value& x, const Plan& plan) {
  const std::int64_t width = x.shape[1];
  ConvSpec depthwise = centred(width, 7, 1, width);
  depthwise.bias = Bias::Trained;
  Value y = conv(b, name + ".conv_dw", x, depthwise);
  if (plan.layers == Layers::Linear) {
    y = layer_norm(b, name + ".norm", channels_last(b, name + ".permute", y), kEpsilon);
    y = channels_first(b, name + ".permute_back", block_mlp(b, name + ".mlp", y, width, plan));
  } else {
    y = block_mlp(b, name + ".mlp", layer_norm_of_map(b, name + ".norm", y, kEpsilon), width, plan);
  }
  if (plan.version == Version::One) {
    y = layer_scale(b, name + ".layer_scale", y, {width, 1, 1});
  }
  return binary(b, name + ".add", "Add", y, x);
}

Value stem(Builder& b, const Value& image, const Plan& plan) {
  const std::int64_t width = plan.widths[0];
  if (plan.stem == Stem::Patches) {
    return layer_norm_of_map(b, "stem.1", patchify(b, "stem.0", image, width, 4), kEpsilon);
  }
  const bool tiered = plan.stem == Stem::OverlappingTiered;
  ConvSpec first = centred(tiered ? rounded_to(static_cast<double>(width / 2), 8) : width, 3, 2);
  first.bias = Bias::Trained;
  ConvSpec second = centred(width, 3, 2);
  second.bias = Bias::Trained;
  const Value y = conv(b, "stem.1", conv(b, "stem.0", image, first), second);
  return layer_norm_of_map(b, "stem.2", y, kEpsilon);
}

Value head(Builder& b, const Value& x, const Plan& plan) {
  Value y = x;
  if (plan.head == Head::NormFirst) y = layer_norm_of_map(b, "norm_pre", y, kEpsilon);
  y = global_average_pool(b, "head.global_pool", y);
  if (plan.head != Head::NormFirst) y = layer_norm_of_map(b, "head.norm", y, kEpsilon);
  y = flatten(b, "head.flatten", y);
  if (plan.head == Head::Hidden) {
    const Value hidden = linear(b, "head.pre_logits.fc", y, plan.widths[3]);
    y = gelu(b, "head.pre_logits.act", hidden);
  }
  return linear(b, "head.fc", y, 1000);
}

void build_convnext(Builder& b, const Plan& plan, std::int64_t image) {
  Value x = stem(b, b.input("input", {kBatch, 3, image, image}), plan);
  for (std::size_t stage = 0; stage < plan.depths.size(); ++stage) {
    const std::string name = "stages." + std::to_string(stage);
    if (stage > 0) {
      x = layer_norm_of_map(b, name + ".downsample.0", x, kEpsilon);
      x = patchify(b, name + ".downsample.1", x, plan.widths[stage], 2);
    }
    for (int i = 0; i < plan.depths[stage]; ++i) {
      x = block(b, name + ".blocks." + std::to_string(i), x, plan);
    }
  }
  b.output(head(b, x, plan));
}

struct Row {
  const char* name;
  const char* source;
  std::int64_t image{};
  Plan plan;
};

constexpr const char* kTorchvision = "ConvNeXt, ImageNet (arXiv:2201.03545, torchvision)";
constexpr const char* kTimm = "ConvNeXt, ImageNet (arXiv:2201.03545, timm)";
constexpr const char* kTwo = "ConvNeXt V2, ImageNet (arXiv:2301.00808, timm)";

constexpr std::array<int, 4> kShallow{2, 2, 6, 2};
constexpr std::array<int, 4> kNano{2, 2, 8, 2};
constexpr std::array<int, 4> kTiny{3, 3, 9, 3};
constexpr std::array<int, 4> kDeep{3, 3, 27, 3};
constexpr auto kConv = Layers::Convolution;
constexpr auto kLinear = Layers::Linear;
constexpr auto kPatches = Stem::Patches;
constexpr auto kTiered = Stem::OverlappingTiered;
constexpr auto kPoolFirst = Head::PoolFirst;
constexpr auto kV2 = Version::Two;

constexpr auto kRows = std::to_array<Row>({
    {"convnext-tiny", kTorchvision, 224, {kTiny, {96, 192, 384, 768}}},
    {"convnext-small", kTorchvision, 224, {kDeep, {96, 192, 384, 768}}},
    {"convnext-base", kTorchvision, 224, {kDeep, {128, 256, 512, 1024}}},
    {"convnext-large", kTorchvision, 224, {kDeep, {192, 384, 768, 1536}}},
    {"convnext_atto", kTimm, 224, {kShallow, {40, 80, 160, 320}, kConv}},
    {"convnext_atto_ols", kTimm, 224, {kShallow, {40, 80, 160, 320}, kConv, kTiered}},
    {"convnext_femto", kTimm, 224, {kShallow, {48, 96, 192, 384}, kConv}},
    {"convnext_femto_ols", kTimm, 224, {kShallow, {48, 96, 192, 384}, kConv, kTiered}},
    {"convnext_pico", kTimm, 224, {kShallow, {64, 128, 256, 512}, kConv}},
    {"convnext_pico_ols", kTimm, 224, {kShallow, {64, 128, 256, 512}, kConv, kTiered}},
    {"convnext_nano", kTimm, 224, {kNano, {80, 160, 320, 640}, kConv}},
    {"convnext_nano_ols", kTimm, 224, {kNano, {80, 160, 320, 640}, kConv, Stem::Overlapping}},
    {"convnext_tiny_hnf",
     kTimm,
     224,
     {kTiny, {96, 192, 384, 768}, kConv, kPatches, Head::NormFirst}},
    {"convnext_large_mlp",
     kTimm,
     256,
     {kDeep, {192, 384, 768, 1536}, kLinear, kPatches, Head::Hidden}},
    {"convnext_xlarge", kTimm, 224, {kDeep, {256, 512, 1024, 2048}}},
    {"convnext_xxlarge", kTimm, 256, {{3, 4, 30, 3}, {384, 768, 1536, 3072}}},
    {"convnextv2_atto",
     kTwo,
     224,
     {kShallow, {40, 80, 160, 320}, kConv, kPatches, kPoolFirst, kV2}},
    {"convnextv2_femto",
     kTwo,
     224,
     {kShallow, {48, 96, 192, 384}, kConv, kPatches, kPoolFirst, kV2}},
    {"convnextv2_pico",
     kTwo,
     224,
     {kShallow, {64, 128, 256, 512}, kConv, kPatches, kPoolFirst, kV2}},
    {"convnextv2_nano", kTwo, 224, {kNano, {80, 160, 320, 640}, kConv, kPatches, kPoolFirst, kV2}},
    {"convnextv2_tiny",
     kTwo,
     224,
     {kTiny, {96, 192, 384, 768}, kLinear, kPatches, kPoolFirst, kV2}},
    {"convnextv2_small",
     kTwo,
     224,
     {kDeep, {96, 192, 384, 768}, kLinear, kPatches, kPoolFirst, kV2}},
    {"convnextv2_base",
     kTwo,
     224,
     {kDeep, {128, 256, 512, 1024}, kLinear, kPatches, kPoolFirst, kV2}},
    {"convnextv2_large",
     kTwo,
     224,
     {kDeep, {192, 384, 768, 1536}, kLinear, kPatches, kPoolFirst, kV2}},
    {"convnextv2_huge",
     kTwo,
     224,
     {kDeep, {352, 704, 1408, 2816}, kLinear, kPatches, kPoolFirst, kV2}},
});

}  // namespace

std::vector<Entry> convnext_family() {
  std::vector<Entry> entries;
  for (const Row& row : kRows) {
    const std::string side = std::to_string(row.image);
    Architecture architecture{.name = row.name,
                              .description = row.source,
                              .input = "3x" + side + "x" + side,
                              .default_batch = 32,
                              .default_image = row.image};
    entries.push_back({.architecture = std::move(architecture),
                       .build = [plan = row.plan](Builder& b, const Sizes& sizes) {
                         build_convnext(b, plan, sizes.image);
                       }});
  }
  return entries;
}

}  // namespace horus::zoo
