// SPDX-License-Identifier: Apache-2.0
// MobileNetV2 (Sandler et al. 2018, arXiv:1801.04381) and MobileNetV3 (Howard et al. 2019,
// arXiv:1905.02244), as torchvision builds them.

#include <array>
#include <span>

#include "horus/zoo/channel_attention.hpp"
#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

/// Convolution, normalization, activation, numbered as in an nn.Sequential.
Value conv_bn_act_012(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec,
                      Activation activation) {
  const Value y = batch_norm(b, name + ".1", conv(b, name + ".0", x, spec));
  return activation(b, name + ".2", y);
}

struct Stage {
  std::int64_t expansion{};  ///< Of the inner width over the input channels.
  std::int64_t channels{};
  int depth{};
  std::int64_t stride{};  ///< Of the first block; the others keep the size.
};

// Table 2 of the paper of MobileNetV2.
constexpr auto kStages = std::to_array<Stage>({{1, 16, 1, 1},
                                               {6, 24, 2, 2},
                                               {6, 32, 3, 2},
                                               {6, 64, 4, 2},
                                               {6, 96, 3, 1},
                                               {6, 160, 3, 2},
                                               {6, 320, 1, 1}});

Value inverted_residual(Builder& b, const std::string& name, const Value& x, const Stage& stage,
                        std::int64_t stride) {
  const std::int64_t inner = x.shape[1] * stage.expansion;
  int index = 0;
  const auto next = [&] { return name + ".conv." + std::to_string(index++); };
  Value y = x;
  if (stage.expansion != 1) y = conv_bn_act_012(b, next(), y, {.channels = inner}, relu6);
  y = conv_bn_act_012(b, next(), y, centred(inner, 3, stride, inner), relu6);
  y = conv(b, next(), y, {.channels = stage.channels});
  y = batch_norm(b, next(), y);
  const bool residual = stride == 1 && x.shape[1] == stage.channels;
  return residual ? binary(b, name + ".add", "Add", x, y) : y;
}

void build_mobilenet_v2(Builder& b, const Sizes& sizes) {
  Value x = b.input("input", {kBatch, 3, sizes.image, sizes.image});
  x = conv_bn_act_012(b, "features.0", x, centred(32, 3, 2), relu6);
  int index = 1;
  for (const Stage& stage : kStages) {
    for (int block = 0; block < stage.depth; ++block) {
      const std::string name = "features." + std::to_string(index++);
      x = inverted_residual(b, name, x, stage, block == 0 ? stage.stride : 1);
    }
  }
  x = conv_bn_act_012(b, "features." + std::to_string(index), x, {.channels = 1280}, relu6);
  x = flatten(b, "flatten", global_average_pool(b, "avgpool", x));
  b.output(linear(b, "classifier.1", dropout(b, "classifier.0", x, 0.2), 1000));
}

enum class Squeeze { None, Quarter };

/// A block of MobileNetV3, tables 1 and 2 of its paper.
struct Bottleneck {
  std::int64_t kernel{};
  std::int64_t inner{};
  std::int64_t channels{};
  Squeeze squeeze{Squeeze::None};
  Activation activation{};
  std::int64_t stride{};
};

constexpr auto kLarge = std::to_array<Bottleneck>({
    {3, 16, 16, Squeeze::None, relu, 1},
    {3, 64, 24, Squeeze::None, relu, 2},
    {3, 72, 24, Squeeze::None, relu, 1},
    {5, 72, 40, Squeeze::Quarter, relu, 2},
    {5, 120, 40, Squeeze::Quarter, relu, 1},
    {5, 120, 40, Squeeze::Quarter, relu, 1},
    {3, 240, 80, Squeeze::None, hard_swish, 2},
    {3, 200, 80, Squeeze::None, hard_swish, 1},
    {3, 184, 80, Squeeze::None, hard_swish, 1},
    {3, 184, 80, Squeeze::None, hard_swish, 1},
    {3, 480, 112, Squeeze::Quarter, hard_swish, 1},
    {3, 672, 112, Squeeze::Quarter, hard_swish, 1},
    {5, 672, 160, Squeeze::Quarter, hard_swish, 2},
    {5, 960, 160, Squeeze::Quarter, hard_swish, 1},
    {5, 960, 160, Squeeze::Quarter, hard_swish, 1},
});

constexpr auto kSmall = std::to_array<Bottleneck>({
    {3, 16, 16, Squeeze::Quarter, relu, 2},
    {3, 72, 24, Squeeze::None, relu, 2},
    {3, 88, 24, Squeeze::None, relu, 1},
    {5, 96, 40, Squeeze::Quarter, hard_swish, 2},
    {5, 240, 40, Squeeze::Quarter, hard_swish, 1},
    {5, 240, 40, Squeeze::Quarter, hard_swish, 1},
    {5, 120, 48, Squeeze::Quarter, hard_swish, 1},
    {5, 144, 48, Squeeze::Quarter, hard_swish, 1},
    {5, 288, 96, Squeeze::Quarter, hard_swish, 2},
    {5, 576, 96, Squeeze::Quarter, hard_swish, 1},
    {5, 576, 96, Squeeze::Quarter, hard_swish, 1},
});

Value bottleneck(Builder& b, const std::string& name, const Value& x, const Bottleneck& row) {
  int index = 0;
  const auto next = [&] { return name + ".block." + std::to_string(index++); };
  Value y = x;
  if (row.inner != x.shape[1]) {
    y = conv_bn_act_012(b, next(), y, {.channels = row.inner}, row.activation);
  }
  y = conv_bn_act_012(b, next(), y, centred(row.inner, row.kernel, row.stride, row.inner),
                      row.activation);
  if (row.squeeze == Squeeze::Quarter) {
    const std::int64_t squeezed = rounded_to(static_cast<double>(row.inner / 4), 8);
    y = squeeze_excite(b, next(), y, {.squeezed = squeezed, .gate = hard_sigmoid});
  }
  y = conv_bn_act_012(b, next(), y, {.channels = row.channels}, identity);
  const bool residual = row.stride == 1 && x.shape[1] == row.channels;
  return residual ? binary(b, name + ".add", "Add", y, x) : y;
}

void build_mobilenet_v3(Builder& b, std::span<const Bottleneck> rows, std::int64_t hidden,
                        std::int64_t image) {
  Value x = b.input("input", {kBatch, 3, image, image});
  x = conv_bn_act_012(b, "features.0", x, centred(16, 3, 2), hard_swish);
  int index = 1;
  for (const Bottleneck& row : rows) {
    x = bottleneck(b, "features." + std::to_string(index++), x, row);
  }
  const std::string last = "features." + std::to_string(index);
  x = conv_bn_act_012(b, last, x, {.channels = 6 * x.shape[1]}, hard_swish);
  x = flatten(b, "flatten", global_average_pool(b, "avgpool", x));
  x = hard_swish(b, "classifier.1", linear(b, "classifier.0", x, hidden));
  b.output(linear(b, "classifier.3", dropout(b, "classifier.2", x, 0.2), 1000));
}

Entry mobilenet(std::string name, std::string description,
                std::function<void(Builder& b, const Sizes& sizes)> build) {
  return {.architecture = {.name = std::move(name),
                           .description = std::move(description),
                           .input = "3x224x224",
                           .default_batch = 32,
                           .default_image = 224},
          .build = std::move(build)};
}

}  // namespace

std::vector<Entry> mobilenet_family() {
  std::vector<Entry> entries{
      mobilenet("mobilenet-v2", "MobileNetV2, width 1.0, ImageNet (arXiv:1801.04381, torchvision)",
                build_mobilenet_v2),
      mobilenet(
          "mobilenet-v3-large", "MobileNetV3-Large, ImageNet (arXiv:1905.02244, torchvision)",
          [](Builder& b, const Sizes& sizes) { build_mobilenet_v3(b, kLarge, 1280, sizes.image); }),
      mobilenet(
          "mobilenet-v3-small", "MobileNetV3-Small, ImageNet (arXiv:1905.02244, torchvision)",
          [](Builder& b, const Sizes& sizes) { build_mobilenet_v3(b, kSmall, 1024, sizes.image); }),
  };
  entries.front().aliases = {"mobilenet", "mobilenetv2_100"};
  return entries;
}

}  // namespace horus::zoo
