// SPDX-License-Identifier: Apache-2.0
// CycleGAN (Zhu et al. 2017, arXiv:1703.10593) at 256x256, sizes of
// junyanz/pytorch-CycleGAN-and-pix2pix: a generator of nine residual blocks and a discriminator of
// 70x70 patches, instance normalization without weights. "cyclegan" is a whole training step: both
// generators translate, translate back and keep (identity loss), and both discriminators judge the
// translated images for the generators, and the real and the translated ones for themselves.

#include <array>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

constexpr std::int64_t kImage = 256;
constexpr int kBlocks = 9;
constexpr double kSlope = 0.2;  // Of LeakyRelu below 0.
constexpr double kEpsilon = 1e-5;

/// Instance normalization without trained weights: ones and zeros stand in their place.
Value instance_norm(Builder& b, const std::string& name, const Value& x) {
  const Value ones = b.filled(1, x.shape[1]);
  const Value zeros = b.filled(0, x.shape[1]);
  return b.add({.name = name,
                .op_type = "InstanceNormalization",
                .inputs = {x.name, ones.name, zeros.name},
                .attributes = {{"epsilon", kEpsilon}}},
               x.shape);
}

Value reflect(Builder& b, const std::string& name, const Value& x, std::int64_t width) {
  const Value pads = b.integers({0, 0, width, width, 0, 0, width, width});
  Shape shape = x.shape;
  shape[2] += 2 * width;
  shape[3] += 2 * width;
  return b.add({.name = name,
                .op_type = "Pad",
                .inputs = {x.name, pads.name},
                .attributes = {{"mode", std::string{"reflect"}}}},
               shape);
}

/// Numbers the layers of a network as PyTorch's Sequential does.
class Names {
 public:
  explicit Names(std::string prefix) : prefix_{std::move(prefix)} {}
  std::string next() { return prefix_ + "model." + std::to_string(index_++); }

 private:
  std::string prefix_;
  int index_{0};
};

Value norm_relu(Builder& b, Names& names, const Value& x) {
  const Value normal = instance_norm(b, names.next(), x);
  return relu(b, names.next(), normal);
}

Value residual_block(Builder& b, const std::string& name, const Value& x) {
  Names names{name + ".conv_"};
  const ConvSpec spec{.channels = x.shape[1], .kernel = {3}, .bias = Bias::Trained};
  Value y = reflect(b, names.next(), x, 1);
  y = norm_relu(b, names, conv(b, names.next(), y, spec));
  y = reflect(b, names.next(), y, 1);
  y = conv(b, names.next(), y, spec);
  return binary(b, name, "Add", x, instance_norm(b, names.next(), y));
}

Value generator(Builder& b, const std::string& prefix, const Value& image) {
  Names names{prefix};
  ConvSpec spec{.channels = 64, .kernel = {7}, .bias = Bias::Trained};
  Value x = reflect(b, names.next(), image, 3);
  x = norm_relu(b, names, conv(b, names.next(), x, spec));
  spec = {.kernel = {3}, .stride = {2}, .padding = {1}, .bias = Bias::Trained};
  for (const std::int64_t channels : {128, 256}) {
    spec.channels = channels;
    x = norm_relu(b, names, conv(b, names.next(), x, spec));
  }
  for (int block = 0; block < kBlocks; ++block) x = residual_block(b, names.next(), x);
  spec.output_padding = {1};
  for (const std::int64_t channels : {128, 64}) {
    spec.channels = channels;
    x = norm_relu(b, names, conv_transpose(b, names.next(), x, spec));
  }
  x = reflect(b, names.next(), x, 3);
  x = conv(b, names.next(), x, {.channels = 3, .kernel = {7}, .bias = Bias::Trained});
  return tanh(b, names.next(), x);
}

/// How real each patch looks, shape (batch, 1, 30, 30).
Value discriminator(Builder& b, const std::string& prefix, const Value& image) {
  Names names{prefix};
  const auto leaky = [&](const Value& y) {
    return unary(b, names.next(), "LeakyRelu", y, {{"alpha", kSlope}});
  };
  ConvSpec spec{
      .channels = 64, .kernel = {4}, .stride = {2}, .padding = {1}, .bias = Bias::Trained};
  Value x = leaky(conv(b, names.next(), image, spec));
  for (const std::int64_t channels : {128, 256, 512}) {
    spec.channels = channels;
    spec.stride = {channels == 512 ? 1 : 2};
    x = conv(b, names.next(), x, spec);
    x = leaky(instance_norm(b, names.next(), x));
  }
  spec.channels = 1;
  return conv(b, names.next(), x, spec);
}

Value image_input(Builder& b, const std::string& name) {
  return b.input(name, {kBatch, 3, kImage, kImage});
}

void build_step(Builder& b, const Sizes&) {
  const Value real_a = image_input(b, "real_A");
  const Value real_b = image_input(b, "real_B");
  const auto to_b = [&b](const Value& x) { return generator(b, "netG_A.", x); };
  const auto to_a = [&b](const Value& x) { return generator(b, "netG_B.", x); };
  const auto judge_b = [&b](const Value& x) { return discriminator(b, "netD_A.", x); };
  const auto judge_a = [&b](const Value& x) { return discriminator(b, "netD_B.", x); };
  const Value fake_b = to_b(real_a);
  const Value fake_a = to_a(real_b);
  b.output(judge_b(fake_b));
  b.output(judge_a(fake_a));
  b.begin_pass("cycle");
  b.output(to_a(fake_b));
  b.output(to_b(fake_a));
  b.begin_pass("identity");
  b.output(to_b(real_b));
  b.output(to_a(real_a));
  b.begin_pass("real");
  b.output(judge_b(real_b));
  b.output(judge_a(real_a));
  b.begin_pass("fake");
  b.output(judge_b(fake_b));
  b.output(judge_a(fake_a));
}

void build_generator(Builder& b, const Sizes&) {
  b.output(generator(b, "", image_input(b, "image")));
}

void build_discriminator(Builder& b, const Sizes&) {
  b.output(discriminator(b, "", image_input(b, "image")));
}

Entry cyclegan(std::string name, const std::string& what, std::string input,
               void (*build)(Builder&, const Sizes&)) {
  return {.architecture = {.name = std::move(name),
                           .description = what + " (arXiv:1703.10593, "
                                                 "junyanz/pytorch-CycleGAN-and-pix2pix)",
                           .input = std::move(input)},
          .build = build};
}

}  // namespace

std::vector<Entry> cyclegan_family() {
  return {
      cyclegan("cyclegan", "CycleGAN 256x256, a whole training step of its four networks",
               "two of 3x256x256", build_step),
      cyclegan("cyclegan-generator", "CycleGAN 256x256, generator of 9 blocks alone", "3x256x256",
               build_generator),
      cyclegan("cyclegan-discriminator", "CycleGAN 256x256, discriminator of patches alone",
               "3x256x256", build_discriminator),
  };
}

}  // namespace horus::zoo
