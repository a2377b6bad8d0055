// SPDX-License-Identifier: Apache-2.0
// Networks for the 32x32 images of CIFAR-10, as kuangliu/pytorch-cifar builds them: the ImageNet
// architectures with a stride of 1 at the front. The residual networks stand in resnet.cpp.

#include <array>
#include <functional>
#include <span>
#include <utility>

#include "horus/zoo/channel_attention.hpp"
#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

constexpr std::int64_t kClasses = 10;

Value image_input(Builder& b) { return b.input("input", {kBatch, 3, 32, 32}); }

/// Mean over the image and one linear layer.
void finish(Builder& b, const Value& x, double dropout_rate = 0) {
  const Value mean = flatten(b, "flatten", global_average_pool(b, "avgpool", x));
  b.output(linear(b, "linear", dropout(b, "dropout", mean, dropout_rate), kClasses));
}

/// conv1 and bn1, conv2 and bn2, ... of a block.
Value numbered_conv_bn(Builder& b, const std::string& block, int index, const Value& x,
                       const ConvSpec& spec) {
  const std::string number = std::to_string(index);
  return batch_norm(b, block + "bn" + number, conv(b, block + "conv" + number, x, spec));
}

Value numbered_conv_bn_act(Builder& b, const std::string& block, int index, const Value& x,
                           const ConvSpec& spec, Activation activation) {
  const Value y = numbered_conv_bn(b, block, index, x, spec);
  return activation(b, block + "act" + std::to_string(index), y);
}

// VGG (arXiv:1409.1556) with batch normalization and one linear layer.

/// Convolutions of each of the five stages; a pooling ends each.
using VggDepths = std::array<int, 5>;

void build_vgg(Builder& b, const VggDepths& depths) {
  Value x = image_input(b);
  int index = 0;
  const auto next = [&index] { return "features." + std::to_string(index++); };
  std::int64_t channels = 64;
  for (const int depth : depths) {
    for (int layer = 0; layer < depth; ++layer) {
      x = conv(b, next(), x,
               {.channels = channels, .kernel = {3}, .padding = {1}, .bias = Bias::Trained});
      x = batch_norm(b, next(), x);
      x = relu(b, next(), x);
    }
    x = max_pool(b, next(), x, {.kernel = {2}, .stride = {2}});
    channels = std::min<std::int64_t>(2 * channels, 512);
  }
  // One pixel is left; the pool of one pixel changes nothing, but it is a kernel all the same.
  x = flatten(b, "flatten", average_pool(b, next(), x, {}));
  b.output(linear(b, "classifier", x, kClasses));
}

// MobileNet (arXiv:1704.04861).

void build_mobilenet(Builder& b) {
  constexpr auto kChannels = std::to_array<std::int64_t>(
      {64, 128, 128, 256, 256, 512, 512, 512, 512, 512, 512, 1024, 1024});
  Value x = numbered_conv_bn_act(b, "", 1, image_input(b), centred(32, 3), relu);
  int index = 0;
  for (const std::int64_t channels : kChannels) {
    const std::string name = "layers." + std::to_string(index) + ".";
    const bool halves = index == 1 || index == 3 || index == 5 || index == 11;
    const std::int64_t width = x.shape[1];
    x = numbered_conv_bn_act(b, name, 1, x, centred(width, 3, halves ? 2 : 1, width), relu);
    x = numbered_conv_bn_act(b, name, 2, x, {.channels = channels}, relu);
    ++index;
  }
  finish(b, x);
}

// MobileNetV2 (arXiv:1801.04381). Here a block of stride 1 has a shortcut even where it changes the
// channels, by a convolution.

struct Stage {
  std::int64_t expansion{};
  std::int64_t channels{};
  int depth{};
  std::int64_t stride{};  ///< Of the first block.
  std::int64_t kernel{3};
};

Value shortcut_of(Builder& b, const std::string& name, const Value& x, std::int64_t channels) {
  if (x.shape[1] == channels) return x;
  const Value y = conv(b, name + "shortcut.0", x, {.channels = channels});
  return batch_norm(b, name + "shortcut.1", y);
}

/// Wider, over the image, and narrow again.
Value inverted_bottleneck(Builder& b, const std::string& name, const Value& x, const Stage& stage,
                          std::int64_t stride) {
  const std::int64_t inner = stage.expansion * x.shape[1];
  Value y = numbered_conv_bn_act(b, name, 1, x, {.channels = inner}, relu);
  y = numbered_conv_bn_act(b, name, 2, y, centred(inner, 3, stride, inner), relu);
  return numbered_conv_bn(b, name, 3, y, {.channels = stage.channels});
}

Value inverted_residual(Builder& b, const std::string& name, const Value& x, const Stage& stage,
                        std::int64_t stride) {
  const Value y = inverted_bottleneck(b, name, x, stage, stride);
  if (stride != 1) return y;
  return binary(b, name + "add", "Add", y, shortcut_of(b, name, x, stage.channels));
}

/// Applies `block` as often as the stages say: "layers.0.", "layers.1.", ...
template <class Block>
Value stack(Builder& b, Value x, std::span<const Stage> stages, Block block) {
  int index = 0;
  for (const Stage& stage : stages) {
    for (int layer = 0; layer < stage.depth; ++layer) {
      const std::string name = "layers." + std::to_string(index++) + ".";
      x = block(b, name, x, stage, layer == 0 ? stage.stride : 1);
    }
  }
  return x;
}

void build_mobilenet_v2(Builder& b) {
  constexpr auto kStages = std::to_array<Stage>({{1, 16, 1, 1},
                                                 {6, 24, 2, 1},
                                                 {6, 32, 3, 2},
                                                 {6, 64, 4, 2},
                                                 {6, 96, 3, 1},
                                                 {6, 160, 3, 2},
                                                 {6, 320, 1, 1}});
  Value x = numbered_conv_bn_act(b, "", 1, image_input(b), centred(32, 3), relu);
  x = stack(b, x, kStages, inverted_residual);
  finish(b, numbered_conv_bn_act(b, "", 2, x, {.channels = 1280}, relu));
}

// EfficientNet-B0 (arXiv:1905.11946), without the last 1x1 convolution.

Value mobile_block(Builder& b, const std::string& name, const Value& x, const Stage& stage,
                   std::int64_t stride) {
  const std::int64_t inner = stage.expansion * x.shape[1];
  Value y = x;
  if (stage.expansion != 1) y = numbered_conv_bn_act(b, name, 1, y, {.channels = inner}, silu);
  y = numbered_conv_bn_act(b, name, 2, y, centred(inner, stage.kernel, stride, inner), silu);
  y = squeeze_excite(b, name + "se", y, {.squeezed = x.shape[1] / 4, .activation = silu});
  y = numbered_conv_bn(b, name, 3, y, {.channels = stage.channels});
  if (stride != 1 || x.shape[1] != stage.channels) return y;
  return binary(b, name + "add", "Add", y, x);
}

void build_efficientnet(Builder& b) {
  constexpr auto kStages = std::to_array<Stage>({{1, 16, 1, 1, 3},
                                                 {6, 24, 2, 2, 3},
                                                 {6, 40, 2, 2, 5},
                                                 {6, 80, 3, 2, 3},
                                                 {6, 112, 3, 1, 5},
                                                 {6, 192, 4, 2, 5},
                                                 {6, 320, 1, 1, 3}});
  Value x = numbered_conv_bn_act(b, "", 1, image_input(b), centred(32, 3), silu);
  finish(b, stack(b, x, kStages, mobile_block), 0.2);
}

// The same as that repository had it until 2020: ReLU, kernels of 3 only, the squeeze behind the
// block, shortcuts with a convolution, and one pixel left at the end.

Value early_mobile_block(Builder& b, const std::string& name, const Value& x, const Stage& stage,
                         std::int64_t stride) {
  Value y = inverted_bottleneck(b, name, x, stage, stride);
  const Value shortcut = stride == 1 ? shortcut_of(b, name, x, stage.channels) : y;
  y = squeeze_excite(b, name + "se", y, {.squeezed = stage.channels / 16, .activation = relu});
  return binary(b, name + "add", "Add", y, shortcut);
}

void build_early_efficientnet(Builder& b) {
  constexpr auto kStages = std::to_array<Stage>({{1, 16, 1, 2},
                                                 {6, 24, 2, 1},
                                                 {6, 40, 2, 2},
                                                 {6, 80, 3, 2},
                                                 {6, 112, 3, 1},
                                                 {6, 192, 4, 2},
                                                 {6, 320, 1, 2}});
  Value x = numbered_conv_bn_act(b, "", 1, image_input(b), centred(32, 3), relu);
  x = flatten(b, "flatten", stack(b, x, kStages, early_mobile_block));
  b.output(linear(b, "linear", x, kClasses));
}

// DenseNet-121 (arXiv:1608.06993).

void build_densenet(Builder& b) {
  constexpr std::int64_t kGrowth = 32;
  constexpr auto kDepths = std::to_array<int>({6, 12, 24, 16});
  const auto norm_relu = [&b](const std::string& name, const Value& x) {
    return relu(b, name + ".relu", batch_norm(b, name, x));
  };
  Value x = conv(b, "conv1", image_input(b), centred(2 * kGrowth, 3));
  int index = 1;
  for (const int depth : kDepths) {
    const std::string number = std::to_string(index++);
    for (int layer = 0; layer < depth; ++layer) {
      const std::string name = "dense" + number + "." + std::to_string(layer);
      Value y = conv(b, name + ".conv1", norm_relu(name + ".bn1", x), {.channels = 4 * kGrowth});
      y = conv(b, name + ".conv2", norm_relu(name + ".bn2", y), centred(kGrowth, 3));
      x = concat(b, name + ".concat", std::vector<Value>{y, x}, 1);
    }
    if (index > 4) break;
    const std::string name = "trans" + number;
    x = conv(b, name + ".conv", norm_relu(name + ".bn", x), {.channels = x.shape[1] / 2});
    x = average_pool(b, name + ".pool", x, {.kernel = {2}, .stride = {2}});
  }
  finish(b, norm_relu("bn", x));
}

struct Row {
  const char* name;
  const char* what;
  std::function<void(Builder& b)> build;
};

std::function<void(Builder& b)> vgg(const VggDepths& depths) {
  return [depths](Builder& b) { build_vgg(b, depths); };
}

}  // namespace

std::vector<Entry> cifar_family() {
  const auto rows = std::to_array<Row>({
      {"densenet121-cifar", "DenseNet-121", build_densenet},
      {"efficientnet-b0-cifar", "EfficientNet-B0", build_efficientnet},
      {"efficientnet-b0-cifar-early", "EfficientNet-B0 as it was until 2020",
       build_early_efficientnet},
      {"mobilenet-cifar", "MobileNet", build_mobilenet},
      {"mobilenet-v2-cifar", "MobileNetV2", build_mobilenet_v2},
      {"vgg11-cifar", "VGG-11 with batch normalization", vgg({1, 1, 2, 2, 2})},
      {"vgg13-cifar", "VGG-13 with batch normalization", vgg({2, 2, 2, 2, 2})},
      {"vgg16-cifar", "VGG-16 with batch normalization", vgg({2, 2, 3, 3, 3})},
      {"vgg19-cifar", "VGG-19 with batch normalization", vgg({2, 2, 4, 4, 4})},
  });
  std::vector<Entry> entries;
  for (const Row& row : rows) {
    Architecture architecture{
        .name = row.name,
        .description = std::string{row.what} + ", CIFAR-10 (kuangliu/pytorch-cifar)",
        .input = "3x32x32",
        .default_batch = 128};
    entries.push_back({.architecture = std::move(architecture),
                       .build = [build = row.build](Builder& b, const Sizes&) { build(b); }});
  }
  return entries;
}

}  // namespace horus::zoo
