// SPDX-License-Identifier: Apache-2.0
// SqueezeNet 1.0 and 1.1 (Iandola et al. 2016, arXiv:1602.07360), as torchvision builds them.

#include <array>
#include <span>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

constexpr int kPool = 0;

/// Channels that a fire module squeezes to; its two expansions have four times as many each, or a
/// pool that halves the image.
using Plan = std::span<const int>;

struct Stem {
  std::int64_t channels{};
  std::int64_t kernel{};
};

constexpr auto kFires10 = std::to_array<int>({kPool, 16, 16, 32, kPool, 32, 48, 48, 64, kPool, 64});
constexpr auto kFires11 = std::to_array<int>({kPool, 16, 16, kPool, 32, 32, kPool, 48, 48, 64, 64});

Value conv_relu(Builder& b, const std::string& name, const Value& x, ConvSpec spec) {
  spec.bias = Bias::Trained;
  return relu(b, name + "_activation", conv(b, name, x, spec));
}

Value fire(Builder& b, const std::string& name, const Value& x, std::int64_t squeezed) {
  constexpr std::int64_t kExpansion = 4;
  const std::int64_t expanded = kExpansion * squeezed;
  const Value y = conv_relu(b, name + ".squeeze", x, {.channels = squeezed});
  const Value narrow = conv_relu(b, name + ".expand1x1", y, {.channels = expanded});
  const Value wide =
      conv_relu(b, name + ".expand3x3", y, {.channels = expanded, .kernel = {3}, .padding = {1}});
  return concat(b, name + ".concat", std::vector<Value>{narrow, wide}, 1);
}

void build_squeezenet(Builder& b, const Stem& stem, Plan plan, std::int64_t image) {
  Value x = b.input("input", {kBatch, 3, image, image});
  x = conv(
      b, "features.0", x,
      {.channels = stem.channels, .kernel = {stem.kernel}, .stride = {2}, .bias = Bias::Trained});
  x = relu(b, "features.1", x);
  int index = 2;
  for (const int squeezed : plan) {
    const std::string name = "features." + std::to_string(index++);
    x = squeezed == kPool
            ? max_pool(b, name, x, {.kernel = {3}, .stride = {2}, .rounding = Rounding::Up})
            : fire(b, name, x, squeezed);
  }
  x = dropout(b, "classifier.0", x, 0.5);
  x = relu(b, "classifier.2",
           conv(b, "classifier.1", x, {.channels = 1000, .bias = Bias::Trained}));
  b.output(flatten(b, "flatten", global_average_pool(b, "classifier.3", x)));
}

Entry squeezenet(std::string name, const std::string& what, const Stem& stem, Plan plan) {
  return {.architecture = {.name = std::move(name),
                           .description = what + ", ImageNet (arXiv:1602.07360, torchvision)",
                           .input = "3x224x224",
                           .default_batch = 64,
                           .default_image = 224},
          .build = [stem, plan](Builder& b, const Sizes& sizes) {
            build_squeezenet(b, stem, plan, sizes.image);
          }};
}

}  // namespace

std::vector<Entry> squeezenet_family() {
  std::vector<Entry> entries{squeezenet("squeezenet1-0", "SqueezeNet 1.0", {96, 7}, kFires10),
                             squeezenet("squeezenet1-1", "SqueezeNet 1.1", {64, 3}, kFires11)};
  entries.front().aliases = {"squeezenet"};
  return entries;
}

}  // namespace horus::zoo
