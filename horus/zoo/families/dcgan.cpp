// SPDX-License-Identifier: Apache-2.0
// DCGAN at 64x64 (Radford et al. 2016, arXiv:1511.06434), sizes of pytorch/examples. "dcgan" is the
// discriminator applied to the generator's image. A training step does more than that one pass:
// the discriminator also sees real images, and both networks are updated.

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

constexpr std::int64_t kNoise = 100;
constexpr std::int64_t kImage = 64;
constexpr double kSlope = 0.2;  // Of LeakyRelu below 0.

/// Kernel 4, stride 2, padding 1: twice or half the size.
ConvSpec resizing(std::int64_t channels) {
  return {.channels = channels, .kernel = {4}, .stride = {2}, .padding = {1}};
}

Value generator(Builder& b, const std::string& prefix, const Value& noise) {
  int index = 0;
  const auto next = [&] { return prefix + "main." + std::to_string(index++); };
  const auto bn_relu = [&](const Value& y) {
    const Value normal = batch_norm(b, next(), y);
    return relu(b, next(), normal);
  };
  Value x = bn_relu(conv_transpose(b, next(), noise, {.channels = 512, .kernel = {4}}));
  for (const std::int64_t channels : {256, 128, 64}) {
    x = bn_relu(conv_transpose(b, next(), x, resizing(channels)));
  }
  x = conv_transpose(b, next(), x, resizing(3));
  return unary(b, next(), "Tanh", x);
}

/// The probability that each image is real, shape (batch, 1).
Value discriminator(Builder& b, const std::string& prefix, const Value& image) {
  int index = 0;
  const auto next = [&] { return prefix + "main." + std::to_string(index++); };
  const auto leaky = [&](const Value& y) {
    return unary(b, next(), "LeakyRelu", y, {{"alpha", kSlope}});
  };
  Value x = leaky(conv(b, next(), image, resizing(64)));
  for (const std::int64_t channels : {128, 256, 512}) {
    x = conv(b, next(), x, resizing(channels));
    x = leaky(batch_norm(b, next(), x));
  }
  x = conv(b, next(), x, {.channels = 1, .kernel = {4}});
  x = unary(b, next(), "Sigmoid", x);
  return flatten(b, prefix + "flatten", x);
}

Value noise_input(Builder& b) { return b.input("noise", {kBatch, kNoise, 1, 1}); }

void build_dcgan(Builder& b, const Sizes&) {
  b.output(discriminator(b, "discriminator.", generator(b, "generator.", noise_input(b))));
}

void build_generator(Builder& b, const Sizes&) { b.output(generator(b, "", noise_input(b))); }

void build_discriminator(Builder& b, const Sizes&) {
  b.output(discriminator(b, "", b.input("image", {kBatch, 3, kImage, kImage})));
}

Entry dcgan(std::string name, const std::string& what, std::string input,
            void (*build)(Builder&, const Sizes&)) {
  return {.architecture = {.name = std::move(name),
                           .description = what + " (arXiv:1511.06434, pytorch/examples dcgan)",
                           .input = std::move(input),
                           .default_batch = 128},
          .build = build};
}

}  // namespace

std::vector<Entry> dcgan_family() {
  return {
      dcgan("dcgan", "DCGAN 64x64, generator followed by discriminator", "noise of 100",
            build_dcgan),
      dcgan("dcgan-generator", "DCGAN 64x64, generator alone", "noise of 100", build_generator),
      dcgan("dcgan-discriminator", "DCGAN 64x64, discriminator alone", "3x64x64",
            build_discriminator),
  };
}

}  // namespace horus::zoo
