// SPDX-License-Identifier: Apache-2.0
// Inception v3 (Szegedy et al. 2016, arXiv:1512.00567), as torchvision builds it for training: with
// the auxiliary classifier as a second output. Blocks are named A to E as there.

#include <span>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

/// One convolution, batch normalization and ReLU, named after its place in the block.
struct Step {
  std::string name;
  ConvSpec conv;
};

Value conv_bn_relu(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec) {
  const Value y = batch_norm(b, name + ".bn", conv(b, name + ".conv", x, spec));
  return relu(b, name + ".relu", y);
}

Value branch(Builder& b, const std::string& block, const Value& x, std::span<const Step> steps) {
  Value y = x;
  for (const Step& step : steps) y = conv_bn_relu(b, block + "." + step.name, y, step.conv);
  return y;
}

ConvSpec point(std::int64_t channels) { return {.channels = channels}; }
ConvSpec same(std::int64_t channels, std::int64_t kernel) {
  return {.channels = channels, .kernel = {kernel}, .padding = {kernel / 2}};
}
ConvSpec wide(std::int64_t channels, std::int64_t kernel) {
  return {.channels = channels, .kernel = {1, kernel}, .padding = {0, kernel / 2}};
}
ConvSpec tall(std::int64_t channels, std::int64_t kernel) {
  return {.channels = channels, .kernel = {kernel, 1}, .padding = {kernel / 2, 0}};
}
ConvSpec halving(std::int64_t channels) {
  return {.channels = channels, .kernel = {3}, .stride = {2}};
}

Value pooled_branch(Builder& b, const std::string& block, const Value& x, std::int64_t channels) {
  const Value y =
      average_pool(b, block + ".pool", x, {.kernel = {3}, .stride = {1}, .padding = {1}});
  return conv_bn_relu(b, block + ".branch_pool", y, point(channels));
}

Value halving_pool(Builder& b, const std::string& name, const Value& x) {
  return max_pool(b, name, x, {.kernel = {3}, .stride = {2}});
}

Value join(Builder& b, const std::string& block, const std::vector<Value>& branches) {
  return concat(b, block + ".concat", branches, 1);
}

Value block_a(Builder& b, const std::string& name, const Value& x, std::int64_t pool_channels) {
  const std::vector<Step> five{{"branch5x5_1", point(48)}, {"branch5x5_2", same(64, 5)}};
  const std::vector<Step> twice{{"branch3x3dbl_1", point(64)},
                                {"branch3x3dbl_2", same(96, 3)},
                                {"branch3x3dbl_3", same(96, 3)}};
  const Value first = conv_bn_relu(b, name + ".branch1x1", x, point(64));
  const Value second = branch(b, name, x, five);
  const Value third = branch(b, name, x, twice);
  return join(b, name, {first, second, third, pooled_branch(b, name, x, pool_channels)});
}

Value block_b(Builder& b, const std::string& name, const Value& x) {
  const std::vector<Step> twice{{"branch3x3dbl_1", point(64)},
                                {"branch3x3dbl_2", same(96, 3)},
                                {"branch3x3dbl_3", halving(96)}};
  const Value first = conv_bn_relu(b, name + ".branch3x3", x, halving(384));
  const Value second = branch(b, name, x, twice);
  return join(b, name, {first, second, halving_pool(b, name + ".pool", x)});
}

Value block_c(Builder& b, const std::string& name, const Value& x, std::int64_t inner) {
  const std::vector<Step> once{{"branch7x7_1", point(inner)},
                               {"branch7x7_2", wide(inner, 7)},
                               {"branch7x7_3", tall(192, 7)}};
  const std::vector<Step> twice{{"branch7x7dbl_1", point(inner)},
                                {"branch7x7dbl_2", tall(inner, 7)},
                                {"branch7x7dbl_3", wide(inner, 7)},
                                {"branch7x7dbl_4", tall(inner, 7)},
                                {"branch7x7dbl_5", wide(192, 7)}};
  const Value first = conv_bn_relu(b, name + ".branch1x1", x, point(192));
  const Value second = branch(b, name, x, once);
  const Value third = branch(b, name, x, twice);
  return join(b, name, {first, second, third, pooled_branch(b, name, x, 192)});
}

Value block_d(Builder& b, const std::string& name, const Value& x) {
  const std::vector<Step> three{{"branch3x3_1", point(192)}, {"branch3x3_2", halving(320)}};
  const std::vector<Step> seven{{"branch7x7x3_1", point(192)},
                                {"branch7x7x3_2", wide(192, 7)},
                                {"branch7x7x3_3", tall(192, 7)},
                                {"branch7x7x3_4", halving(192)}};
  const Value first = branch(b, name, x, three);
  const Value second = branch(b, name, x, seven);
  return join(b, name, {first, second, halving_pool(b, name + ".pool", x)});
}

/// A 1x3 and a 3x1 convolution side by side.
Value fork(Builder& b, const std::string& name, const std::string& first, const std::string& second,
           const Value& x) {
  const Value across = conv_bn_relu(b, name + "." + first, x, wide(384, 3));
  const Value down = conv_bn_relu(b, name + "." + second, x, tall(384, 3));
  return concat(b, name + "." + first + ".concat", std::vector<Value>{across, down}, 1);
}

Value block_e(Builder& b, const std::string& name, const Value& x) {
  const std::vector<Step> twice{{"branch3x3dbl_1", point(448)}, {"branch3x3dbl_2", same(384, 3)}};
  const Value first = conv_bn_relu(b, name + ".branch1x1", x, point(320));
  const Value three = conv_bn_relu(b, name + ".branch3x3_1", x, point(384));
  const Value second = fork(b, name, "branch3x3_2a", "branch3x3_2b", three);
  const Value dbl = branch(b, name, x, twice);
  const Value third = fork(b, name, "branch3x3dbl_3a", "branch3x3dbl_3b", dbl);
  return join(b, name, {first, second, third, pooled_branch(b, name, x, 192)});
}

Value stem(Builder& b, std::int64_t image) {
  Value x = b.input("input", {kBatch, 3, image, image});
  x = conv_bn_relu(b, "Conv2d_1a_3x3", x, halving(32));
  x = conv_bn_relu(b, "Conv2d_2a_3x3", x, {.channels = 32, .kernel = {3}});
  x = conv_bn_relu(b, "Conv2d_2b_3x3", x, same(64, 3));
  x = halving_pool(b, "maxpool1", x);
  x = conv_bn_relu(b, "Conv2d_3b_1x1", x, point(80));
  x = conv_bn_relu(b, "Conv2d_4a_3x3", x, {.channels = 192, .kernel = {3}});
  return halving_pool(b, "maxpool2", x);
}

Value auxiliary_classifier(Builder& b, const Value& x) {
  Value y = average_pool(b, "AuxLogits.pool", x, {.kernel = {5}, .stride = {3}});
  y = conv_bn_relu(b, "AuxLogits.conv0", y, point(128));
  y = conv_bn_relu(b, "AuxLogits.conv1", y, {.channels = 768, .kernel = {5}});
  y = flatten(b, "AuxLogits.flatten", global_average_pool(b, "AuxLogits.avgpool", y));
  return linear(b, "AuxLogits.fc", y, 1000);
}

void build_inception_v3(Builder& b, const Sizes& sizes) {
  Value x = stem(b, sizes.image);
  x = block_a(b, "Mixed_5b", x, 32);
  x = block_a(b, "Mixed_5c", x, 64);
  x = block_a(b, "Mixed_5d", x, 64);
  x = block_b(b, "Mixed_6a", x);
  x = block_c(b, "Mixed_6b", x, 128);
  x = block_c(b, "Mixed_6c", x, 160);
  x = block_c(b, "Mixed_6d", x, 160);
  x = block_c(b, "Mixed_6e", x, 192);
  const Value auxiliary = auxiliary_classifier(b, x);
  x = block_d(b, "Mixed_7a", x);
  x = block_e(b, "Mixed_7b", x);
  x = block_e(b, "Mixed_7c", x);
  x = dropout(b, "dropout", global_average_pool(b, "avgpool", x), 0.5);
  b.output(linear(b, "fc", flatten(b, "flatten", x), 1000));
  b.output(auxiliary);
}

}  // namespace

std::vector<Entry> inception_family() {
  constexpr std::int64_t kImage = 299;
  return {{.architecture = {.name = "inception-v3",
                            .description = "Inception v3 with auxiliary classifier, ImageNet "
                                           "(arXiv:1512.00567, torchvision)",
                            .input = "3x299x299",
                            .default_batch = 32,
                            .default_image = kImage},
           // A smaller one leaves the auxiliary classifier without a whole window.
           .images = {.min = kImage},
           .aliases = {"inception"},
           .build = build_inception_v3}};
}

}  // namespace horus::zoo
