// SPDX-License-Identifier: Apache-2.0
// EfficientNet-B0 (Tan and Le 2019, arXiv:1905.11946), as torchvision builds it. Stochastic depth
// is left out: it drops whole residual branches at random and has no fixed graph.

#include <algorithm>
#include <array>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

struct Stage {
  std::int64_t expansion{};
  std::int64_t kernel{};
  std::int64_t stride{};  ///< Of the first block; the others keep the size.
  std::int64_t channels{};
  int depth{};
};

// Table 1 of the paper.
constexpr auto kStages = std::to_array<Stage>({{1, 3, 1, 16, 1},
                                               {6, 3, 2, 24, 2},
                                               {6, 5, 2, 40, 2},
                                               {6, 3, 2, 80, 3},
                                               {6, 5, 1, 112, 3},
                                               {6, 5, 2, 192, 4},
                                               {6, 3, 1, 320, 1}});

constexpr std::int64_t kSqueeze = 4;  // Channels of the block's input over those of the squeeze.

Value conv_bn(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec) {
  return batch_norm(b, name + ".1", conv(b, name + ".0", x, spec));
}

Value conv_bn_silu(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec) {
  return silu(b, name + ".2", conv_bn(b, name, x, spec));
}

/// Scales each channel by a gate computed from all of them.
Value squeeze_excite(Builder& b, const std::string& name, const Value& x, std::int64_t squeezed) {
  Value gate = global_average_pool(b, name + ".avgpool", x);
  gate = conv(b, name + ".fc1", gate, {.channels = squeezed, .bias = Bias::Trained});
  gate = silu(b, name + ".activation", gate);
  gate = conv(b, name + ".fc2", gate, {.channels = x.shape[1], .bias = Bias::Trained});
  gate = unary(b, name + ".scale_activation", "Sigmoid", gate);
  return binary(b, name, "Mul", x, gate);
}

Value mb_conv(Builder& b, const std::string& name, const Value& x, const Stage& stage,
              std::int64_t stride) {
  const std::int64_t channels = x.shape[1];
  const std::int64_t inner = channels * stage.expansion;
  int index = 0;
  const auto next = [&] { return name + ".block." + std::to_string(index++); };
  Value y = x;
  if (stage.expansion != 1) y = conv_bn_silu(b, next(), y, {.channels = inner});
  y = conv_bn_silu(b, next(), y,
                   {.channels = inner,
                    .kernel = {stage.kernel},
                    .stride = {stride},
                    .padding = {stage.kernel / 2},
                    .groups = inner});
  y = squeeze_excite(b, next(), y, std::max<std::int64_t>(1, channels / kSqueeze));
  y = conv_bn(b, next(), y, {.channels = stage.channels});
  const bool residual = stride == 1 && channels == stage.channels;
  return residual ? binary(b, name + ".add", "Add", y, x) : y;
}

void build_efficientnet_b0(Builder& b, const Sizes&) {
  Value x = b.input("input", {kBatch, 3, 224, 224});
  x = conv_bn_silu(b, "features.0", x,
                   {.channels = 32, .kernel = {3}, .stride = {2}, .padding = {1}});
  int index = 1;
  for (const Stage& stage : kStages) {
    const std::string name = "features." + std::to_string(index++) + ".";
    for (int block = 0; block < stage.depth; ++block) {
      x = mb_conv(b, name + std::to_string(block), x, stage, block == 0 ? stage.stride : 1);
    }
  }
  x = conv_bn_silu(b, "features." + std::to_string(index), x, {.channels = 1280});
  x = flatten(b, "flatten", global_average_pool(b, "avgpool", x));
  b.output(linear(b, "classifier.1", dropout(b, "classifier.0", x, 0.2), 1000));
}

}  // namespace

std::vector<Entry> efficientnet_family() {
  return {{.architecture = {.name = "efficientnet-b0",
                            .description = "EfficientNet-B0, ImageNet, without stochastic depth "
                                           "(arXiv:1905.11946, torchvision)",
                            .input = "3x224x224",
                            .default_batch = 32},
           .aliases = {"efficientnet"},
           .build = build_efficientnet_b0}};
}

}  // namespace horus::zoo
