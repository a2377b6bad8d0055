// SPDX-License-Identifier: Apache-2.0
// EdgeNeXt (Maaz et al. 2022, arXiv:2206.10589) as timm builds it: ConvNeXt blocks, and at the end
// of each stage a block of split depthwise convolutions and attention between channels.

#include <algorithm>
#include <array>
#include <string>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/cross_covariance.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {
namespace {

enum class Form {
  Paper,  ///< Patches of 4 and a layer of its own between stages.
  Own,    ///< timm's: overlapping patches, the first block of a stage halves the side, no biases.
};

using PerStage = std::array<std::int64_t, 4>;

struct Plan {
  PerStage depths{};
  PerStage widths{};
  std::int64_t heads{8};
  Form form{Form::Paper};
};

constexpr double kEpsilon = 1e-6;
constexpr std::int64_t kExpansion = 4;
constexpr PerStage kKernels{3, 5, 7, 9};
constexpr PerStage kScales{2, 2, 3, 4};  // Parts of the split convolutions, by stage.
constexpr std::size_t kPlacedStage = 1;  // The one whose attention is told places.

Bias bias_of(const Plan& plan) { return plan.form == Form::Own ? Bias::None : Bias::Trained; }

/// Norm, feed-forward and scale of channels-last `x`, back as a map.
Value bottleneck(Builder& b, const std::string& name, const Value& x) {
  Value y = layer_norm(b, name + ".norm", x, kEpsilon);
  y = layer_scale(b, name + ".ls", mlp(b, name + ".mlp", y, kExpansion * x.shape.back()));
  return channels_first(b, name + ".first", y);
}

Value conv_block(Builder& b, const std::string& name, const Value& x, const Plan& plan,
                 std::size_t stage, std::int64_t stride) {
  ConvSpec spec = centred(plan.widths[stage], kKernels[stage], stride, x.shape[1]);
  spec.bias = bias_of(plan);
  const Value y = conv(b, name + ".conv_dw", x, spec);
  const bool reshaped = stride != 1 || x.shape[1] != y.shape[1];
  const Value branch = bottleneck(b, name, channels_last(b, name + ".last", y));
  return binary(b, name + ".add", "Add", reshaped ? y : x, branch);
}

/// Each part of the channels is convolved together with the result of the part before it; the last
/// one stays.
Value split_convolutions(Builder& b, const std::string& name, const Value& x, const Plan& plan,
                         std::int64_t scales) {
  const std::int64_t channels = x.shape[1];
  const std::int64_t width = (channels + scales - 1) / scales;
  std::vector<std::int64_t> sizes;
  for (std::int64_t rest = channels; rest > 0; rest -= width) {
    sizes.push_back(std::min(width, rest));
  }
  const std::vector<Value> parts = split(b, name + ".chunk", x, 1, sizes);
  std::vector<Value> results;
  Value y = parts.front();
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const std::string place = name + ".convs." + std::to_string(i);
    if (i > 0) y = binary(b, place + ".add", "Add", y, parts[i]);
    ConvSpec spec = centred(width, 3, 1, width);
    spec.bias = bias_of(plan);
    y = conv(b, place, y, spec);
    results.push_back(y);
  }
  results.push_back(parts.back());
  return concat(b, name + ".concat", results, 1);
}

Value attention_block(Builder& b, const std::string& name, const Value& x, const Plan& plan,
                      std::size_t stage) {
  const std::int64_t height = x.shape[2];
  const std::int64_t width = x.shape[3];
  const std::int64_t channels = x.shape[1];
  Value y = split_convolutions(b, name, x, plan, kScales[stage]);
  y = map_to_tokens(b, name + ".tokens", y);
  if (stage == kPlacedStage) {
    y = binary(b, name + ".pos_embd.add", "Add", y,
               wave_positions(b, name + ".pos_embd", height, width, channels));
  }
  Value attended = layer_norm(b, name + ".norm_xca", y, kEpsilon);
  attended = cross_covariance(b, name + ".xca", attended, plan.heads);
  attended = layer_scale(b, name + ".gamma_xca", attended);
  y = binary(b, name + ".xca.add", "Add", y, attended);
  y = shaped(b, name + ".map", y, {kBatch, height, width, channels});
  return binary(b, name + ".add", "Add", x, bottleneck(b, name, y));
}

Value stem(Builder& b, const Value& image, const Plan& plan) {
  const std::int64_t width = plan.widths[0];
  Value x = plan.form == Form::Paper
                ? patchify(b, "stem.0", image, width, 4)
                : conv(b, "stem.0", image,
                       {.channels = width, .kernel = {9}, .stride = {4}, .padding = {4}});
  return layer_norm_of_map(b, "stem.1", x, kEpsilon);
}

void build_edgenext(Builder& b, const Plan& plan, std::int64_t image) {
  Value x = stem(b, b.input("input", {kBatch, 3, image, image}), plan);
  for (std::size_t stage = 0; stage < plan.depths.size(); ++stage) {
    const std::string name = "stages." + std::to_string(stage);
    const bool own_layer = stage > 0 && plan.form == Form::Paper;
    if (own_layer) {
      x = layer_norm_of_map(b, name + ".downsample.0", x, kEpsilon);
      x = patchify(b, name + ".downsample.1", x, plan.widths[stage], 2);
    }
    const std::int64_t depth = plan.depths[stage];
    for (std::int64_t index = 0; index < depth; ++index) {
      const std::string block = name + ".blocks." + std::to_string(index);
      const bool halves = stage > 0 && index == 0 && !own_layer;
      x = stage > 0 && index + 1 == depth ? attention_block(b, block, x, plan, stage)
                                          : conv_block(b, block, x, plan, stage, halves ? 2 : 1);
    }
  }
  x = layer_norm_of_map(b, "head.norm", global_average_pool(b, "head.global_pool", x), kEpsilon);
  b.output(linear(b, "head.fc", flatten(b, "head.flatten", x), 1000));
}

constexpr PerStage kDepths{3, 3, 9, 3};

constexpr auto kModels = std::to_array<TimmModel<Plan>>(
    {{"edgenext_xx_small", 256, {{2, 2, 6, 2}, {24, 48, 88, 168}, 4}},
     {"edgenext_x_small", 256, {kDepths, {32, 64, 100, 192}, 4}},
     {"edgenext_small", 256, {kDepths, {48, 96, 160, 304}}},
     {"edgenext_base", 256, {kDepths, {80, 160, 288, 584}}},
     {"edgenext_small_rw", 256, {kDepths, {48, 96, 192, 384}, 8, Form::Own}}});

}  // namespace

std::vector<Entry> timm_edgenext_family() {
  return timm_entries(kModels, "EdgeNeXt, ImageNet (arXiv:2206.10589, timm)", build_edgenext);
}

}  // namespace horus::zoo
