// SPDX-License-Identifier: Apache-2.0
// MobileNetV2 (Sandler et al. 2018, arXiv:1801.04381), as torchvision builds it.

#include <array>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

struct Stage {
  std::int64_t expansion{};  ///< Of the inner width over the input channels.
  std::int64_t channels{};
  int depth{};
  std::int64_t stride{};  ///< Of the first block; the others keep the size.
};

// Table 2 of the paper.
constexpr auto kStages = std::to_array<Stage>({{1, 16, 1, 1},
                                               {6, 24, 2, 2},
                                               {6, 32, 3, 2},
                                               {6, 64, 4, 2},
                                               {6, 96, 3, 1},
                                               {6, 160, 3, 2},
                                               {6, 320, 1, 1}});

Value conv_bn_relu6(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec) {
  return relu6(b, name + ".2", batch_norm(b, name + ".1", conv(b, name + ".0", x, spec)));
}

Value inverted_residual(Builder& b, const std::string& name, const Value& x, const Stage& stage,
                        std::int64_t stride) {
  const std::int64_t inner = x.shape[1] * stage.expansion;
  int index = 0;
  const auto next = [&] { return name + ".conv." + std::to_string(index++); };
  Value y = x;
  if (stage.expansion != 1) y = conv_bn_relu6(b, next(), y, {.channels = inner});
  y = conv_bn_relu6(
      b, next(), y,
      {.channels = inner, .kernel = {3}, .stride = {stride}, .padding = {1}, .groups = inner});
  y = conv(b, next(), y, {.channels = stage.channels});
  y = batch_norm(b, next(), y);
  const bool residual = stride == 1 && x.shape[1] == stage.channels;
  return residual ? binary(b, name + ".add", "Add", x, y) : y;
}

void build_mobilenet_v2(Builder& b, const Sizes&) {
  Value x = b.input("input", {kBatch, 3, 224, 224});
  x = conv_bn_relu6(b, "features.0", x,
                    {.channels = 32, .kernel = {3}, .stride = {2}, .padding = {1}});
  int index = 1;
  for (const Stage& stage : kStages) {
    for (int block = 0; block < stage.depth; ++block) {
      const std::string name = "features." + std::to_string(index++);
      x = inverted_residual(b, name, x, stage, block == 0 ? stage.stride : 1);
    }
  }
  x = conv_bn_relu6(b, "features." + std::to_string(index), x, {.channels = 1280});
  x = flatten(b, "flatten", global_average_pool(b, "avgpool", x));
  b.output(linear(b, "classifier.1", dropout(b, "classifier.0", x, 0.2), 1000));
}

}  // namespace

std::vector<Entry> mobilenet_family() {
  return {{.architecture = {.name = "mobilenet-v2",
                            .description = "MobileNetV2, width 1.0, ImageNet (arXiv:1801.04381, "
                                           "torchvision)",
                            .input = "3x224x224",
                            .default_batch = 32},
           .aliases = {"mobilenet"},
           .build = build_mobilenet_v2}};
}

}  // namespace horus::zoo
