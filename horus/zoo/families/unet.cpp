// SPDX-License-Identifier: Apache-2.0
// U-Net (Ronneberger et al. 2015, arXiv:1505.04597). "unet-572" is the paper's: convolutions lose
// the border, skipped features are cropped, and a 572x572 image gives a 388x388 map. "unet" is the
// form that is common today, of milesial/Pytorch-UNet: padded, with batch normalization.

#include <array>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {
namespace {

enum class Form { Paper, Padded };

constexpr std::array<std::int64_t, 5> kWidths{64, 128, 256, 512, 1024};
constexpr std::int64_t kClasses = 2;
constexpr std::int64_t kHalvings = 16;  // 2 to the power of the four poolings.

Value conv_relu(Builder& b, const std::string& name, int index, const Value& x,
                std::int64_t channels, Form form) {
  const auto next = [&] { return name + ".double_conv." + std::to_string(index++); };
  if (form == Form::Paper) {
    const Value y =
        conv(b, next(), x, {.channels = channels, .kernel = {3}, .bias = Bias::Trained});
    return relu(b, next(), y);
  }
  Value y = conv(b, next(), x, {.channels = channels, .kernel = {3}, .padding = {1}});
  y = batch_norm(b, next(), y);
  return relu(b, next(), y);
}

Value double_conv(Builder& b, const std::string& name, const Value& x, std::int64_t channels,
                  Form form) {
  const Value y = conv_relu(b, name, 0, x, channels, form);
  return conv_relu(b, name, 3, y, channels, form);
}

/// The middle of `x`, as large as `like`.
Value crop(Builder& b, const std::string& name, const Value& x, const Value& like) {
  const std::int64_t margin = (x.shape[2] - like.shape[2]) / 2;
  if (margin == 0) return x;
  const std::int64_t end = margin + like.shape[2];
  return slice(b, name + ".columns", slice(b, name + ".rows", x, 2, margin, end), 3, margin, end);
}

/// Twice the size and half the channels, joined with the features of the way down.
Value up(Builder& b, const std::string& name, const Value& x, const Value& skipped, Form form) {
  const std::int64_t channels = skipped.shape[1];
  const Value large =
      conv_transpose(b, name + ".up", x,
                     {.channels = channels, .kernel = {2}, .stride = {2}, .bias = Bias::Trained});
  const Value side = crop(b, name + ".crop", skipped, large);
  const Value both = concat(b, name + ".concat", std::vector<Value>{side, large}, 1);
  return double_conv(b, name + ".conv", both, channels, form);
}

void build_unet(Builder& b, const Value& image, Form form) {
  std::vector<Value> levels{double_conv(b, "inc", image, kWidths[0], form)};
  for (std::size_t level = 1; level < kWidths.size(); ++level) {
    const std::string name = "down" + std::to_string(level);
    const Value half = max_pool(b, name + ".pool", levels.back(), {.kernel = {2}, .stride = {2}});
    levels.push_back(double_conv(b, name + ".conv", half, kWidths[level], form));
  }
  Value x = levels.back();
  for (std::size_t level = 1; level < kWidths.size(); ++level) {
    const Value& skipped = levels[kWidths.size() - 1 - level];
    x = up(b, "up" + std::to_string(level), x, skipped, form);
  }
  b.output(conv(b, "outc.conv", x, {.channels = kClasses, .bias = Bias::Trained}));
}

}  // namespace

std::vector<Entry> unet_family() {
  Entry padded{
      .architecture = {.name = "unet",
                       .description = "U-Net, padded, with batch normalization, 2 classes "
                                      "(arXiv:1505.04597, milesial/Pytorch-UNet)",
                       .input = "3x256x256",
                       .default_batch = 8,
                       .default_image = 256},
      .images = {.min = 2 * kHalvings, .step = kHalvings},
      .build = [](Builder& b, const Sizes& sizes) {
        build_unet(b, b.input("image", {kBatch, 3, sizes.image, sizes.image}), Form::Padded);
      }};
  Entry paper{.architecture = {.name = "unet-572",
                               .description = "U-Net of the paper, not padded, 2 classes "
                                              "(arXiv:1505.04597)",
                               .input = "1x572x572"},
              .build = [](Builder& b, const Sizes&) {
                build_unet(b, b.input("image", {kBatch, 1, 572, 572}), Form::Paper);
              }};
  return {std::move(padded), std::move(paper)};
}

}  // namespace horus::zoo
