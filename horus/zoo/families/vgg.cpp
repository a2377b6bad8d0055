// SPDX-License-Identifier: Apache-2.0
// VGG (Simonyan and Zisserman 2015, arXiv:1409.1556), as torchvision builds it.

#include <array>
#include <span>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

enum class Normalization { None, Batch };

constexpr int kPool = 0;
// Output channels of the convolutions; kPool halves the image.
constexpr auto kVgg11 =
    std::to_array<int>({64, kPool, 128, kPool, 256, 256, kPool, 512, 512, kPool, 512, 512, kPool});
constexpr auto kVgg16 = std::to_array<int>({64, 64, kPool, 128, 128, kPool, 256, 256, 256, kPool,
                                            512, 512, 512, kPool, 512, 512, 512, kPool});
constexpr auto kVgg19 =
    std::to_array<int>({64,  64,  kPool, 128, 128,   kPool, 256, 256, 256, 256,  kPool,
                        512, 512, 512,   512, kPool, 512,   512, 512, 512, kPool});

void build_vgg(Builder& b, std::span<const int> plan, Normalization normalization) {
  Value x = b.input("input", {kBatch, 3, 224, 224});
  int index = 0;
  const auto next = [&index] { return "features." + std::to_string(index++); };
  for (const int channels : plan) {
    if (channels == kPool) {
      x = max_pool(b, next(), x, {.kernel = {2}, .stride = {2}});
      continue;
    }
    x = conv(b, next(), x,
             {.channels = channels, .kernel = {3}, .padding = {1}, .bias = Bias::Trained});
    if (normalization == Normalization::Batch) x = batch_norm(b, next(), x);
    x = relu(b, next(), x);
  }
  // The adaptive pool to 7x7 changes nothing at this input size, but it is a kernel all the same.
  x = flatten(b, "flatten", average_pool(b, "avgpool", x, {}));
  x = relu(b, "classifier.1", linear(b, "classifier.0", x, 4096));
  x = linear(b, "classifier.3", dropout(b, "classifier.2", x, 0.5), 4096);
  x = dropout(b, "classifier.5", relu(b, "classifier.4", x), 0.5);
  b.output(linear(b, "classifier.6", x, 1000));
}

Entry vgg(std::string name, const std::string& what, void (*build)(Builder&, const Sizes&)) {
  return {.architecture = {.name = std::move(name),
                           .description = what + ", ImageNet (arXiv:1409.1556, torchvision)",
                           .input = "3x224x224",
                           .default_batch = 32},
          .build = build};
}

}  // namespace

std::vector<Entry> vgg_family() {
  return {
      vgg("vgg11", "VGG-11",
          [](Builder& b, const Sizes&) { build_vgg(b, kVgg11, Normalization::None); }),
      vgg("vgg16", "VGG-16",
          [](Builder& b, const Sizes&) { build_vgg(b, kVgg16, Normalization::None); }),
      vgg("vgg16-bn", "VGG-16 with batch normalization",
          [](Builder& b, const Sizes&) { build_vgg(b, kVgg16, Normalization::Batch); }),
      vgg("vgg19", "VGG-19",
          [](Builder& b, const Sizes&) { build_vgg(b, kVgg19, Normalization::None); }),
  };
}

}  // namespace horus::zoo
