// SPDX-License-Identifier: Apache-2.0
// VGG (Simonyan and Zisserman 2015, arXiv:1409.1556), as torchvision builds it.

#include <array>
#include <utility>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

enum class Normalization { None, Batch };

struct Plan {
  std::array<int, 5> depths{};  ///< Convolutions before each of the pools (table 1 of the paper).
  Normalization normalization{Normalization::None};
};

constexpr std::array<int, 5> kChannels{64, 128, 256, 512, 512};
constexpr std::int64_t kPooledSide = 7;
constexpr std::int64_t kReduction = 32;  // Of the five pools.

void build_vgg(Builder& b, const Plan& plan, std::int64_t image) {
  Value x = b.input("input", {kBatch, 3, image, image});
  int index = 0;
  const auto next = [&index] { return "features." + std::to_string(index++); };
  for (std::size_t stage = 0; stage < plan.depths.size(); ++stage) {
    for (int layer = 0; layer < plan.depths[stage]; ++layer) {
      x = conv(
          b, next(), x,
          {.channels = kChannels[stage], .kernel = {3}, .padding = {1}, .bias = Bias::Trained});
      if (plan.normalization == Normalization::Batch) x = batch_norm(b, next(), x);
      x = relu(b, next(), x);
    }
    x = max_pool(b, next(), x, {.kernel = {2}, .stride = {2}});
  }
  // At 224 pixels the adaptive pool changes nothing, but it is a kernel all the same.
  const std::int64_t window = x.shape[2] / kPooledSide;
  x = average_pool(b, "avgpool", x, {.kernel = {window}, .stride = {window}});
  x = flatten(b, "flatten", x);
  x = relu(b, "classifier.1", linear(b, "classifier.0", x, 4096));
  x = linear(b, "classifier.3", dropout(b, "classifier.2", x, 0.5), 4096);
  x = dropout(b, "classifier.5", relu(b, "classifier.4", x), 0.5);
  b.output(linear(b, "classifier.6", x, 1000));
}

struct Row {
  const char* name;
  const char* what;
  Plan plan;
};

constexpr auto kRows = std::to_array<Row>({
    {"vgg11", "VGG-11", {{1, 1, 2, 2, 2}}},
    {"vgg11-bn", "VGG-11 with batch normalization", {{1, 1, 2, 2, 2}, Normalization::Batch}},
    {"vgg13", "VGG-13", {{2, 2, 2, 2, 2}}},
    {"vgg13-bn", "VGG-13 with batch normalization", {{2, 2, 2, 2, 2}, Normalization::Batch}},
    {"vgg16", "VGG-16", {{2, 2, 3, 3, 3}}},
    {"vgg16-bn", "VGG-16 with batch normalization", {{2, 2, 3, 3, 3}, Normalization::Batch}},
    {"vgg19", "VGG-19", {{2, 2, 4, 4, 4}}},
    {"vgg19-bn", "VGG-19 with batch normalization", {{2, 2, 4, 4, 4}, Normalization::Batch}},
});

}  // namespace

std::vector<Entry> vgg_family() {
  // Sides at which the adaptive pool has whole windows.
  constexpr std::int64_t kStep = kPooledSide * kReduction;
  std::vector<Entry> entries;
  for (const Row& row : kRows) {
    Architecture architecture{
        .name = row.name,
        .description = row.what + std::string{", ImageNet (arXiv:1409.1556, torchvision)"},
        .input = "3x224x224",
        .default_batch = 32,
        .default_image = kStep};
    entries.push_back({.architecture = std::move(architecture),
                       .images = {.min = kStep, .step = kStep},
                       .build = [plan = row.plan](Builder& b, const Sizes& sizes) {
                         build_vgg(b, plan, sizes.image);
                       }});
  }
  return entries;
}

}  // namespace horus::zoo
