// SPDX-License-Identifier: Apache-2.0
// Densely connected networks (Huang et al. 2017, arXiv:1608.06993), as torchvision builds them:
// bottleneck layers, compression by half.

#include <array>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

struct Plan {
  std::int64_t growth{};
  std::int64_t stem_channels{};
  std::array<int, 4> depths{};  ///< Layers of each block.
};

constexpr Plan kDensenet121{32, 64, {6, 12, 24, 16}};
constexpr Plan kDensenet161{48, 96, {6, 12, 36, 24}};
constexpr Plan kDensenet169{32, 64, {6, 12, 32, 32}};
constexpr Plan kDensenet201{32, 64, {6, 12, 48, 32}};

constexpr std::int64_t kBottleneck = 4;  // Times the growth: width of the 1x1 convolution.

/// All features so far in, `growth` new ones out.
Value dense_layer(Builder& b, const std::string& name, const Value& x, std::int64_t growth) {
  Value y = relu(b, name + ".relu1", batch_norm(b, name + ".norm1", x));
  y = conv(b, name + ".conv1", y, {.channels = kBottleneck * growth});
  y = relu(b, name + ".relu2", batch_norm(b, name + ".norm2", y));
  return conv(b, name + ".conv2", y, {.channels = growth, .kernel = {3}, .padding = {1}});
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

Value transition(Builder& b, const std::string& name, const Value& x) {
  Value y = relu(b, name + ".relu", batch_norm(b, name + ".norm", x));
  y = conv(b, name + ".conv", y, {.channels = x.shape[1] / 2});
  return average_pool(b, name + ".pool", y, {.kernel = {2}, .stride = {2}});
}

void build_densenet(Builder& b, const Plan& plan) {
  Value x = b.input("input", {kBatch, 3, 224, 224});
  x = conv(b, "features.conv0", x,
           {.channels = plan.stem_channels, .kernel = {7}, .stride = {2}, .padding = {3}});
  x = relu(b, "features.relu0", batch_norm(b, "features.norm0", x));
  x = max_pool(b, "features.pool0", x, {.kernel = {3}, .stride = {2}, .padding = {1}});
  for (std::size_t block = 0; block < plan.depths.size(); ++block) {
    const std::string number = std::to_string(block + 1);
    x = dense_block(b, "features.denseblock" + number, x, plan.depths[block], plan.growth);
    if (block + 1 < plan.depths.size()) x = transition(b, "features.transition" + number, x);
  }
  x = relu(b, "relu", batch_norm(b, "features.norm5", x));
  x = flatten(b, "flatten", global_average_pool(b, "avgpool", x));
  b.output(linear(b, "classifier", x, 1000));
}

Entry densenet(std::string name, const std::string& what, void (*build)(Builder&, const Sizes&)) {
  return {.architecture = {.name = std::move(name),
                           .description = what + ", ImageNet (arXiv:1608.06993, torchvision)",
                           .input = "3x224x224",
                           .default_batch = 32},
          .build = build};
}

}  // namespace

std::vector<Entry> densenet_family() {
  return {
      densenet("densenet121", "DenseNet-121",
               [](Builder& b, const Sizes&) { build_densenet(b, kDensenet121); }),
      densenet("densenet161", "DenseNet-161",
               [](Builder& b, const Sizes&) { build_densenet(b, kDensenet161); }),
      densenet("densenet169", "DenseNet-169",
               [](Builder& b, const Sizes&) { build_densenet(b, kDensenet169); }),
      densenet("densenet201", "DenseNet-201",
               [](Builder& b, const Sizes&) { build_densenet(b, kDensenet201); }),
  };
}

}  // namespace horus::zoo
