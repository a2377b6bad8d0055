// SPDX-License-Identifier: Apache-2.0
// AlexNet in its one-GPU form (Krizhevsky 2014, arXiv:1404.5997), as torchvision builds it.

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

Value conv_relu(Builder& b, int index, const Value& x, ConvSpec spec) {
  spec.bias = Bias::Trained;
  const Value y = conv(b, "features." + std::to_string(index), x, spec);
  return relu(b, "features." + std::to_string(index + 1), y);
}

Value pool(Builder& b, int index, const Value& x) {
  return max_pool(b, "features." + std::to_string(index), x, {.kernel = {3}, .stride = {2}});
}

constexpr std::int64_t kImage = 224;

void build_alexnet(Builder& b, const Sizes& sizes) {
  Value x = b.input("input", {kBatch, 3, sizes.image, sizes.image});
  x = conv_relu(b, 0, x, {.channels = 64, .kernel = {11}, .stride = {4}, .padding = {2}});
  x = pool(b, 2, x);
  x = conv_relu(b, 3, x, {.channels = 192, .kernel = {5}, .padding = {2}});
  x = pool(b, 5, x);
  x = conv_relu(b, 6, x, {.channels = 384, .kernel = {3}, .padding = {1}});
  x = conv_relu(b, 8, x, {.channels = 256, .kernel = {3}, .padding = {1}});
  x = conv_relu(b, 10, x, {.channels = 256, .kernel = {3}, .padding = {1}});
  x = pool(b, 12, x);
  // The adaptive pool to 6x6 changes nothing at this input size, but it is a kernel all the same.
  x = flatten(b, "flatten", average_pool(b, "avgpool", x, {}));
  x = linear(b, "classifier.1", dropout(b, "classifier.0", x, 0.5), 4096);
  x = relu(b, "classifier.2", x);
  x = linear(b, "classifier.4", dropout(b, "classifier.3", x, 0.5), 4096);
  x = relu(b, "classifier.5", x);
  b.output(linear(b, "classifier.6", x, 1000));
}

}  // namespace

std::vector<Entry> alexnet_family() {
  return {{.architecture = {.name = "alexnet",
                            .description = "AlexNet, ImageNet, one-GPU form (arXiv:1404.5997, "
                                           "torchvision)",
                            .input = "3x224x224",
                            .default_batch = 128,
                            .default_image = kImage},
           // At other sizes the windows of the adaptive pool would differ in size.
           .images = {.min = kImage, .max = kImage},
           .build = build_alexnet}};
}

}  // namespace horus::zoo
