// SPDX-License-Identifier: Apache-2.0
// Inception v4 and Inception-ResNet v2 (Szegedy et al. 2017, arXiv:1602.07261), as timm builds
// them. A block is a table of branches; a branch is a chain of convolutions, or begins with a pool.

#include <array>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/image_entry.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

using Chain = std::vector<ConvSpec>;
using Branches = std::vector<Chain>;

ConvSpec point(std::int64_t channels) { return {.channels = channels}; }
ConvSpec same(std::int64_t channels, std::int64_t kernel = 3) { return centred(channels, kernel); }
/// Without padding: the image loses its rim.
ConvSpec valid(std::int64_t channels) { return {.channels = channels, .kernel = {3}}; }
ConvSpec halving(std::int64_t channels) {
  return {.channels = channels, .kernel = {3}, .stride = {2}};
}
ConvSpec wide(std::int64_t channels, std::int64_t kernel) {
  return {.channels = channels, .kernel = {1, kernel}, .padding = {0, kernel / 2}};
}
ConvSpec tall(std::int64_t channels, std::int64_t kernel) {
  return {.channels = channels, .kernel = {kernel, 1}, .padding = {kernel / 2, 0}};
}

Value conv_bn_relu(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec) {
  return conv_bn_act(b, name, x, spec, relu);
}

Value chain(Builder& b, const std::string& name, const Value& x, const Chain& steps) {
  Value y = x;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    y = conv_bn_relu(b, name + "." + std::to_string(i), y, steps[i]);
  }
  return y;
}

std::vector<Value> branches(Builder& b, const std::string& name, const Value& x,
                            const Branches& table) {
  std::vector<Value> results;
  for (std::size_t i = 0; i < table.size(); ++i) {
    results.push_back(chain(b, name + ".branch" + std::to_string(i), x, table[i]));
  }
  return results;
}

Value join(Builder& b, const std::string& name, const std::vector<Value>& parts) {
  return concat(b, name + ".concat", parts, 1);
}

Value halving_pool(Builder& b, const std::string& name, const Value& x) {
  return max_pool(b, name, x, {.kernel = {3}, .stride = {2}});
}

/// The branches, and one that averages neighbourhoods first.
Value mixed(Builder& b, const std::string& name, const Value& x, const Branches& table,
            std::int64_t pooled_channels) {
  std::vector<Value> parts = branches(b, name, x, table);
  const std::string place = name + ".branch" + std::to_string(table.size());
  const Value pooled = average_pool(
      b, place + ".0", x, {.kernel = {3}, .padding = {1}, .padding_counts = PaddingCounts::No});
  parts.push_back(conv_bn_relu(b, place + ".1", pooled, point(pooled_channels)));
  return join(b, name, parts);
}

/// The branches, which halve the image, and a pool that does the same.
Value reduction(Builder& b, const std::string& name, const Value& x, const Branches& table) {
  std::vector<Value> parts = branches(b, name, x, table);
  parts.push_back(halving_pool(b, name + ".branch" + std::to_string(table.size()), x));
  return join(b, name, parts);
}

/// Two convolutions of one value side by side, one along each axis.
Value fork(Builder& b, const std::string& name, const Value& x) {
  const Value across = conv_bn_relu(b, name + "a", x, wide(256, 3));
  const Value down = conv_bn_relu(b, name + "b", x, tall(256, 3));
  return concat(b, name + ".concat", std::vector<Value>{across, down}, 1);
}

Value block_c(Builder& b, const std::string& name, const Value& x) {
  const Value first = conv_bn_relu(b, name + ".branch0", x, point(256));
  Value second = conv_bn_relu(b, name + ".branch1_0", x, point(384));
  second = fork(b, name + ".branch1_1", second);
  Value third = chain(b, name + ".branch2", x, {point(384), tall(448, 3), wide(512, 3)});
  third = fork(b, name + ".branch2_3", third);
  const Value pooled =
      average_pool(b, name + ".branch3.0", x,
                   {.kernel = {3}, .padding = {1}, .padding_counts = PaddingCounts::No});
  const Value fourth = conv_bn_relu(b, name + ".branch3.1", pooled, point(256));
  return join(b, name, {first, second, third, fourth});
}

/// Names the parts of the nn.Sequential of Inception v4.
class Numbered {
 public:
  std::string next() { return "features." + std::to_string(index_++); }

 private:
  int index_{0};
};

Value stem_v4(Builder& b, const Value& image, Numbered& names) {
  Value x = conv_bn_relu(b, names.next(), image, halving(32));
  x = conv_bn_relu(b, names.next(), x, valid(32));
  x = conv_bn_relu(b, names.next(), x, same(64));
  std::string name = names.next();
  x = join(
      b, name,
      {halving_pool(b, name + ".maxpool", x), conv_bn_relu(b, name + ".conv", x, halving(96))});
  name = names.next();
  x = join(b, name,
           branches(b, name, x,
                    {{point(64), valid(96)}, {point(64), wide(64, 7), tall(64, 7), valid(96)}}));
  name = names.next();
  const Value halved = conv_bn_relu(b, name + ".conv", x, halving(192));
  return join(b, name, {halved, halving_pool(b, name + ".maxpool", x)});
}

void build_inception_v4(Builder& b, std::int64_t image) {
  const Branches a{{point(96)}, {point(64), same(96)}, {point(64), same(96), same(96)}};
  const Branches reduce_a{{halving(384)}, {point(192), same(224), halving(256)}};
  const Branches middle{{point(384)},
                        {point(192), wide(224, 7), tall(256, 7)},
                        {point(192), tall(192, 7), wide(224, 7), tall(224, 7), wide(256, 7)}};
  const Branches reduce_b{{point(192), halving(192)},
                          {point(256), wide(256, 7), tall(320, 7), halving(320)}};
  Numbered names;
  Value x = stem_v4(b, b.input("input", {kBatch, 3, image, image}), names);
  for (int i = 0; i < 4; ++i) x = mixed(b, names.next(), x, a, 96);
  x = reduction(b, names.next(), x, reduce_a);
  for (int i = 0; i < 7; ++i) x = mixed(b, names.next(), x, middle, 128);
  x = reduction(b, names.next(), x, reduce_b);
  for (int i = 0; i < 3; ++i) x = block_c(b, names.next(), x);
  b.output(classifier(b, "head", "last_linear", x));
}

/// x + scale * (the branches, joined to the width of x).
Value residual(Builder& b, const std::string& name, const Value& x, const Branches& table,
               double scale, Activation activation) {
  Value y = join(b, name, branches(b, name, x, table));
  y = conv(b, name + ".conv2d", y, {.channels = x.shape[1], .bias = Bias::Trained});
  y = binary(b, name + ".mul", "Mul", y, b.number(scale));
  return activation(b, name + ".act", binary(b, name + ".add", "Add", y, x));
}

Value stem_resnet(Builder& b, const Value& image) {
  Value x = conv_bn_relu(b, "conv2d_1a", image, halving(32));
  x = conv_bn_relu(b, "conv2d_2a", x, valid(32));
  x = conv_bn_relu(b, "conv2d_2b", x, same(64));
  x = conv_bn_relu(b, "conv2d_3b", halving_pool(b, "maxpool_3a", x), point(80));
  x = conv_bn_relu(b, "conv2d_4a", x, valid(192));
  return halving_pool(b, "maxpool_5a", x);
}

void build_inception_resnet_v2(Builder& b, std::int64_t image) {
  const Branches first{{point(96)}, {point(48), same(64, 5)}, {point(64), same(96), same(96)}};
  const Branches block35{{point(32)}, {point(32), same(32)}, {point(32), same(48), same(64)}};
  const Branches reduce6{{halving(384)}, {point(256), same(256), halving(384)}};
  const Branches block17{{point(192)}, {point(128), wide(160, 7), tall(192, 7)}};
  const Branches reduce7{{point(256), halving(384)},
                         {point(256), halving(288)},
                         {point(256), same(288), halving(320)}};
  const Branches block8{{point(192)}, {point(192), wide(224, 3), tall(256, 3)}};
  Value x = stem_resnet(b, b.input("input", {kBatch, 3, image, image}));
  x = mixed(b, "mixed_5b", x, first, 64);
  for (int i = 0; i < 10; ++i) {
    x = residual(b, "repeat." + std::to_string(i), x, block35, 0.17, relu);
  }
  x = reduction(b, "mixed_6a", x, reduce6);
  for (int i = 0; i < 20; ++i) {
    x = residual(b, "repeat_1." + std::to_string(i), x, block17, 0.10, relu);
  }
  x = reduction(b, "mixed_7a", x, reduce7);
  for (int i = 0; i < 9; ++i) {
    x = residual(b, "repeat_2." + std::to_string(i), x, block8, 0.20, relu);
  }
  x = residual(b, "block8", x, block8, 1.0, identity);
  x = conv_bn_relu(b, "conv2d_7b", x, point(1536));
  b.output(classifier(b, "head", "classif", x));
}

}  // namespace

std::vector<Entry> inception_v4_family() {
  const ImageRange images{.min = 75};  // Smaller ones end before the last reduction.
  return {
      image_entry("inception_v4", "Inception v4, ImageNet (arXiv:1602.07261, timm)", 299, images,
                  build_inception_v4),
      image_entry("inception_resnet_v2", "Inception-ResNet v2, ImageNet (arXiv:1602.07261, timm)",
                  299, images, build_inception_resnet_v2)};
}

}  // namespace horus::zoo
