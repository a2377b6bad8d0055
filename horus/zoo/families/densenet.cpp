// SPDX-License-Identifier: Apache-2.0
// Densely connected networks (Huang et al. 2017, arXiv:1608.06993), as torchvision builds them:
// bottleneck layers, compression by half; and timm's two with a stem of three convolutions.

#include <array>
#include <utility>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

enum class Stem { Wide, Deep };  ///< One 7x7 convolution, or three of 3x3.
/// How the image is halved: by the pool itself, or by a low-pass filter (arXiv:1904.11486).
enum class Halving { Pool, Blur };

struct Plan {
  std::int64_t growth{};
  std::array<int, 4> depths{};  ///< Layers of each block.
  Stem stem{Stem::Wide};
  Halving halving{Halving::Pool};
};

constexpr std::int64_t kBottleneck = 4;  // Times the growth: width of the 1x1 convolution.

Value norm_relu(Builder& b, const std::string& place, const std::string& number, const Value& x) {
  return relu(b, place + ".relu" + number, batch_norm(b, place + ".norm" + number, x));
}

/// All features so far in, `growth` new ones out.
Value dense_layer(Builder& b, const std::string& name, const Value& x, std::int64_t growth) {
  Value y = norm_relu(b, name, "1", x);
  y = conv(b, name + ".conv1", y, {.channels = kBottleneck * growth});
  y = norm_relu(b, name, "2", y);
  return conv(b, name + ".conv2", y, centred(growth, 3));
}

Value dense_block(Builder& b, const std::string& name, const Value& x, int depth,
                  std::int64_t growth) {
  std::vector<Value> features{x};
  for (int layer = 1; layer <= depth; ++layer) {
    const std::string place = name + ".denselayer" + std::to_string(layer);
    const Value all = features.size() == 1 ? x : concat(b, place + ".concat", features, 1);
    features.push_back(dense_layer(b, place, all, growth));
  }
  return concat(b, name + ".concat", features, 1);
}

Value transition(Builder& b, const std::string& name, const Value& x, Halving halving) {
  Value y = norm_relu(b, name, "", x);
  y = conv(b, name + ".conv", y, {.channels = x.shape[1] / 2});
  if (halving == Halving::Blur) return blur_pool(b, name + ".pool", y);
  return average_pool(b, name + ".pool", y, {.kernel = {2}, .stride = {2}});
}

Value stem(Builder& b, const Value& image, const Plan& plan) {
  Value x = image;
  const std::int64_t channels = 2 * plan.growth;
  if (plan.stem == Stem::Wide) {
    x = conv(b, "features.conv0", x, centred(channels, 7, 2));
    x = norm_relu(b, "features", "0", x);
  } else {
    const std::array<std::int64_t, 3> widths{plan.growth, plan.growth, channels};
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string number = std::to_string(i);
      x = conv(b, "features.conv" + number, x, centred(widths[i], 3, i == 0 ? 2 : 1));
      x = norm_relu(b, "features", number, x);
    }
  }
  const std::int64_t stride = plan.halving == Halving::Pool ? 2 : 1;
  x = max_pool(b, "features.pool0", x, {.kernel = {3}, .stride = {stride}, .padding = {1}});
  return plan.halving == Halving::Blur ? blur_pool(b, "features.pool0.1", x) : x;
}

void build_densenet(Builder& b, const Plan& plan, std::int64_t image) {
  Value x = stem(b, b.input("input", {kBatch, 3, image, image}), plan);
  for (std::size_t block = 0; block < plan.depths.size(); ++block) {
    const std::string number = std::to_string(block + 1);
    x = dense_block(b, "features.denseblock" + number, x, plan.depths[block], plan.growth);
    if (block + 1 < plan.depths.size()) {
      x = transition(b, "features.transition" + number, x, plan.halving);
    }
  }
  x = relu(b, "relu", batch_norm(b, "features.norm5", x));
  x = flatten(b, "flatten", global_average_pool(b, "avgpool", x));
  b.output(linear(b, "classifier", x, 1000));
}

struct Row {
  const char* name;
  const char* what;
  Plan plan;
};

constexpr const char* kTorchvision = ", ImageNet (arXiv:1608.06993, torchvision)";
constexpr const char* kTimm = ", ImageNet (arXiv:1608.06993, timm)";

constexpr auto kRows = std::to_array<Row>({
    {"densenet121", "DenseNet-121", {32, {6, 12, 24, 16}}},
    {"densenet161", "DenseNet-161", {48, {6, 12, 36, 24}}},
    {"densenet169", "DenseNet-169", {32, {6, 12, 32, 32}}},
    {"densenet201", "DenseNet-201", {32, {6, 12, 48, 32}}},
    {"densenet264d", "DenseNet-264-D", {48, {6, 12, 64, 48}, Stem::Deep}},
    {"densenetblur121d",
     "DenseNet-121-D with low-pass filters",
     {32, {6, 12, 24, 16}, Stem::Deep, Halving::Blur}},
});

}  // namespace

std::vector<Entry> densenet_family() {
  std::vector<Entry> entries;
  for (const Row& row : kRows) {
    const char* source = row.plan.stem == Stem::Wide ? kTorchvision : kTimm;
    Architecture architecture{.name = row.name,
                              .description = std::string{row.what} + source,
                              .input = "3x224x224",
                              .default_batch = 32,
                              .default_image = 224};
    entries.push_back({.architecture = std::move(architecture),
                       .build = [plan = row.plan](Builder& b, const Sizes& sizes) {
                         build_densenet(b, plan, sizes.image);
                       }});
  }
  return entries;
}

}  // namespace horus::zoo
