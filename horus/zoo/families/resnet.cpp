// SPDX-License-Identifier: Apache-2.0
// Residual networks (He et al. 2016, arXiv:1512.03385): the ImageNet form of torchvision, with the
// stride in the 3x3 convolution ("v1.5"), and the common form for 32x32 images, with a 3x3 stem
// and no max pool.

#include <array>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

enum class Block { Basic, Bottleneck };
enum class Images { ImageNet, Cifar10 };

struct Plan {
  Block block{Block::Basic};
  std::array<int, 4> depths{};  ///< Blocks of each stage.
  Images images{Images::ImageNet};
};

constexpr Plan kResnet18{Block::Basic, {2, 2, 2, 2}, Images::ImageNet};
constexpr Plan kResnet34{Block::Basic, {3, 4, 6, 3}, Images::ImageNet};
constexpr Plan kResnet50{Block::Bottleneck, {3, 4, 6, 3}, Images::ImageNet};
constexpr Plan kResnet101{Block::Bottleneck, {3, 4, 23, 3}, Images::ImageNet};
constexpr Plan kResnet152{Block::Bottleneck, {3, 8, 36, 3}, Images::ImageNet};
constexpr Plan kResnet18Cifar{Block::Basic, {2, 2, 2, 2}, Images::Cifar10};
constexpr Plan kResnet50Cifar{Block::Bottleneck, {3, 4, 6, 3}, Images::Cifar10};

constexpr std::int64_t kBottleneckExpansion = 4;

/// Convolution and batch normalization number `index` of a block.
Value conv_bn(Builder& b, const std::string& block, int index, const Value& x,
              const ConvSpec& spec) {
  const std::string number = std::to_string(index);
  return batch_norm(b, block + ".bn" + number, conv(b, block + ".conv" + number, x, spec));
}

Value conv_bn_relu(Builder& b, const std::string& block, int index, const Value& x,
                   const ConvSpec& spec) {
  return relu(b, block + ".relu" + std::to_string(index), conv_bn(b, block, index, x, spec));
}

/// The three by three convolution that both blocks have.
ConvSpec wide(std::int64_t channels, std::int64_t stride) {
  return {.channels = channels, .kernel = {3}, .stride = {stride}, .padding = {1}};
}

struct BlockSpec {
  Block kind{Block::Basic};
  std::int64_t width{};
  std::int64_t stride{1};
};

/// The branch of a block that is added to the shortcut.
Value residual_branch(Builder& b, const std::string& name, const Value& x, const BlockSpec& spec) {
  if (spec.kind == Block::Basic) {
    const Value y = conv_bn_relu(b, name, 1, x, wide(spec.width, spec.stride));
    return conv_bn(b, name, 2, y, wide(spec.width, 1));
  }
  Value y = conv_bn_relu(b, name, 1, x, {.channels = spec.width});
  y = conv_bn_relu(b, name, 2, y, wide(spec.width, spec.stride));
  return conv_bn(b, name, 3, y, {.channels = spec.width * kBottleneckExpansion});
}

Value residual_block(Builder& b, const std::string& name, const Value& x, const BlockSpec& spec) {
  const Value y = residual_branch(b, name, x, spec);
  const std::int64_t channels = y.shape[1];
  Value shortcut = x;
  if (spec.stride != 1 || x.shape[1] != channels) {
    shortcut = conv(b, name + ".downsample.0", x, {.channels = channels, .stride = {spec.stride}});
    shortcut = batch_norm(b, name + ".downsample.1", shortcut);
  }
  return relu(b, name + ".relu", binary(b, name + ".add", "Add", y, shortcut));
}

Value stem(Builder& b, Images images) {
  if (images == Images::Cifar10) {
    const Value x = conv(b, "conv1", b.input("input", {kBatch, 3, 32, 32}), wide(64, 1));
    return relu(b, "relu", batch_norm(b, "bn1", x));
  }
  Value x = b.input("input", {kBatch, 3, 224, 224});
  x = conv(b, "conv1", x, {.channels = 64, .kernel = {7}, .stride = {2}, .padding = {3}});
  x = relu(b, "relu", batch_norm(b, "bn1", x));
  return max_pool(b, "maxpool", x, {.kernel = {3}, .stride = {2}, .padding = {1}});
}

void build_resnet(Builder& b, const Plan& plan) {
  Value x = stem(b, plan.images);
  std::int64_t width = 64;
  for (std::size_t stage = 0; stage < plan.depths.size(); ++stage, width *= 2) {
    for (int block = 0; block < plan.depths[stage]; ++block) {
      const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(block);
      const std::int64_t stride = stage > 0 && block == 0 ? 2 : 1;
      x = residual_block(b, name, x, {.kind = plan.block, .width = width, .stride = stride});
    }
  }
  x = flatten(b, "flatten", global_average_pool(b, "avgpool", x));
  b.output(linear(b, "fc", x, plan.images == Images::Cifar10 ? 10 : 1000));
}

Entry imagenet(std::string name, const std::string& what, void (*build)(Builder&, const Sizes&)) {
  return {.architecture = {.name = std::move(name),
                           .description = what + ", ImageNet (arXiv:1512.03385, torchvision)",
                           .input = "3x224x224",
                           .default_batch = 32},
          .build = build};
}

Entry cifar(std::string name, const std::string& what, void (*build)(Builder&, const Sizes&)) {
  return {.architecture = {.name = std::move(name),
                           .description = what + ", CIFAR-10: 3x3 stem, no max pool "
                                                 "(arXiv:1512.03385, kuangliu/pytorch-cifar)",
                           .input = "3x32x32",
                           .default_batch = 128},
          .build = build};
}

}  // namespace

std::vector<Entry> resnet_family() {
  return {
      imagenet("resnet18", "ResNet-18",
               [](Builder& b, const Sizes&) { build_resnet(b, kResnet18); }),
      imagenet("resnet34", "ResNet-34",
               [](Builder& b, const Sizes&) { build_resnet(b, kResnet34); }),
      imagenet("resnet50", "ResNet-50 v1.5",
               [](Builder& b, const Sizes&) { build_resnet(b, kResnet50); }),
      imagenet("resnet101", "ResNet-101 v1.5",
               [](Builder& b, const Sizes&) { build_resnet(b, kResnet101); }),
      imagenet("resnet152", "ResNet-152 v1.5",
               [](Builder& b, const Sizes&) { build_resnet(b, kResnet152); }),
      cifar("resnet18-cifar", "ResNet-18",
            [](Builder& b, const Sizes&) { build_resnet(b, kResnet18Cifar); }),
      cifar("resnet50-cifar", "ResNet-50",
            [](Builder& b, const Sizes&) { build_resnet(b, kResnet50Cifar); }),
  };
}

}  // namespace horus::zoo
