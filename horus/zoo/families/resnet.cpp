// SPDX-License-Identifier: Apache-2.0
// Residual networks (He et al. 2016, arXiv:1512.03385), grouped (ResNeXt, arXiv:1611.05431) and
// wide (arXiv:1605.07146): the ImageNet form of torchvision, with the stride in the 3x3 convolution
// ("v1.5"), and the common form for 32x32 images, with a 3x3 stem and no max pool.

#include <array>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

enum class Block { Basic, Bottleneck };
enum class Images { ImageNet, Cifar10 };

struct Plan {
  Block block{Block::Basic};
  std::array<int, 4> depths{};   ///< Blocks of each stage.
  std::int64_t groups{1};        ///< Of the 3x3 convolution of a bottleneck.
  std::int64_t group_width{64};  ///< Channels of one group in the first stage.
  Images images{Images::ImageNet};
};

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
ConvSpec wide(std::int64_t channels, std::int64_t stride, std::int64_t groups = 1) {
  return {
      .channels = channels, .kernel = {3}, .stride = {stride}, .padding = {1}, .groups = groups};
}

struct BlockSpec {
  Block kind{Block::Basic};
  std::int64_t width{};  ///< Output channels; of a bottleneck a quarter of them.
  std::int64_t stride{1};
  std::int64_t groups{1};
  std::int64_t group_width{64};
};

/// The branch of a block that is added to the shortcut.
Value residual_branch(Builder& b, const std::string& name, const Value& x, const BlockSpec& spec) {
  if (spec.kind == Block::Basic) {
    const Value y = conv_bn_relu(b, name, 1, x, wide(spec.width, spec.stride));
    return conv_bn(b, name, 2, y, wide(spec.width, 1));
  }
  const std::int64_t inner = spec.width * spec.group_width / 64 * spec.groups;
  Value y = conv_bn_relu(b, name, 1, x, {.channels = inner});
  y = conv_bn_relu(b, name, 2, y, wide(inner, spec.stride, spec.groups));
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

Value stem(Builder& b, Images images, std::int64_t image) {
  Value x = b.input("input", {kBatch, 3, image, image});
  if (images == Images::Cifar10) {
    return relu(b, "relu", batch_norm(b, "bn1", conv(b, "conv1", x, wide(64, 1))));
  }
  x = conv(b, "conv1", x, {.channels = 64, .kernel = {7}, .stride = {2}, .padding = {3}});
  x = relu(b, "relu", batch_norm(b, "bn1", x));
  return max_pool(b, "maxpool", x, {.kernel = {3}, .stride = {2}, .padding = {1}});
}

void build_resnet(Builder& b, const Plan& plan, std::int64_t image) {
  Value x = stem(b, plan.images, image);
  std::int64_t width = 64;
  for (std::size_t stage = 0; stage < plan.depths.size(); ++stage, width *= 2) {
    for (int block = 0; block < plan.depths[stage]; ++block) {
      const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(block);
      x = residual_block(b, name, x,
                         {.kind = plan.block,
                          .width = width,
                          .stride = stage > 0 && block == 0 ? 2 : 1,
                          .groups = plan.groups,
                          .group_width = plan.group_width});
    }
  }
  x = flatten(b, "flatten", global_average_pool(b, "avgpool", x));
  b.output(linear(b, "fc", x, plan.images == Images::Cifar10 ? 10 : 1000));
}

struct Row {
  const char* name;
  const char* what;
  Plan plan;
};

constexpr auto kRows = std::to_array<Row>({
    {"resnet18", "ResNet-18", {Block::Basic, {2, 2, 2, 2}}},
    {"resnet34", "ResNet-34", {Block::Basic, {3, 4, 6, 3}}},
    {"resnet50", "ResNet-50 v1.5", {Block::Bottleneck, {3, 4, 6, 3}}},
    {"resnet101", "ResNet-101 v1.5", {Block::Bottleneck, {3, 4, 23, 3}}},
    {"resnet152", "ResNet-152 v1.5", {Block::Bottleneck, {3, 8, 36, 3}}},
    {"resnext50-32x4d", "ResNeXt-50, 32 groups of 4", {Block::Bottleneck, {3, 4, 6, 3}, 32, 4}},
    {"resnext101-32x8d", "ResNeXt-101, 32 groups of 8", {Block::Bottleneck, {3, 4, 23, 3}, 32, 8}},
    {"resnext101-64x4d", "ResNeXt-101, 64 groups of 4", {Block::Bottleneck, {3, 4, 23, 3}, 64, 4}},
    {"wide-resnet50-2", "Wide ResNet-50", {Block::Bottleneck, {3, 4, 6, 3}, 1, 128}},
    {"wide-resnet101-2", "Wide ResNet-101", {Block::Bottleneck, {3, 4, 23, 3}, 1, 128}},
    {"resnet18-cifar", "ResNet-18", {Block::Basic, {2, 2, 2, 2}, 1, 64, Images::Cifar10}},
    {"resnet34-cifar", "ResNet-34", {Block::Basic, {3, 4, 6, 3}, 1, 64, Images::Cifar10}},
    {"resnet50-cifar", "ResNet-50", {Block::Bottleneck, {3, 4, 6, 3}, 1, 64, Images::Cifar10}},
    {"resnet101-cifar", "ResNet-101", {Block::Bottleneck, {3, 4, 23, 3}, 1, 64, Images::Cifar10}},
    {"resnet152-cifar", "ResNet-152", {Block::Bottleneck, {3, 8, 36, 3}, 1, 64, Images::Cifar10}},
});

Entry entry_of(const Row& row) {
  const bool cifar = row.plan.images == Images::Cifar10;
  const std::string form =
      cifar ? ", CIFAR-10: 3x3 stem, no max pool (arXiv:1512.03385, kuangliu/pytorch-cifar)"
            : ", ImageNet (arXiv:1512.03385, torchvision)";
  return {.architecture = {.name = row.name,
                           .description = row.what + form,
                           .input = cifar ? "3x32x32" : "3x224x224",
                           .default_batch = cifar ? 128 : 32,
                           .default_image = cifar ? 32 : 224},
          .build = [plan = row.plan](Builder& b, const Sizes& sizes) {
            build_resnet(b, plan, sizes.image);
          }};
}

}  // namespace

std::vector<Entry> resnet_family() {
  std::vector<Entry> entries;
  for (const Row& row : kRows) entries.push_back(entry_of(row));
  return entries;
}

}  // namespace horus::zoo
