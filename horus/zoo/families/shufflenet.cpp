// SPDX-License-Identifier: Apache-2.0
// ShuffleNetV2 (Ma et al. 2018, arXiv:1807.11164), as torchvision builds it.

#include <array>
#include <utility>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

constexpr std::array<int, 3> kDepths{4, 8, 4};
constexpr std::int64_t kStem = 24;

/// Table 5 of the paper: channels of the three stages and of the last convolution.
struct Plan {
  std::array<std::int64_t, 3> stages{};
  std::int64_t head{};
};

/// The parts of an nn.Sequential, numbered.
class Sequence {
 public:
  Sequence(Builder& b, std::string name) : b_{b}, name_{std::move(name)} {}

  Value conv_bn(const Value& x, const ConvSpec& spec) {
    const Value y = conv(b_, next(), x, spec);
    return batch_norm(b_, next(), y);
  }
  Value conv_bn_relu(const Value& x, const ConvSpec& spec) {
    const Value y = conv_bn(x, spec);
    return relu(b_, next(), y);
  }

 private:
  std::string next() { return name_ + "." + std::to_string(index_++); }

  Builder& b_;
  std::string name_;
  int index_{0};
};

ConvSpec depthwise(const Value& x, std::int64_t stride) {
  return centred(x.shape[1], 3, stride, x.shape[1]);
}

Value main_branch(Builder& b, const std::string& name, const Value& x, std::int64_t channels,
                  std::int64_t stride) {
  Sequence sequence{b, name + ".branch2"};
  Value y = sequence.conv_bn_relu(x, {.channels = channels});
  y = sequence.conv_bn(y, depthwise(y, stride));
  return sequence.conv_bn_relu(y, {.channels = channels});
}

/// The channels of two halves in turn: one of the first, one of the second, ...
Value shuffle(Builder& b, const std::string& name, const Value& x) {
  const std::int64_t half = x.shape[1] / 2;
  const std::int64_t height = x.shape[2];
  const std::int64_t width = x.shape[3];
  Value y = reshape(b, name + ".halves", x, {0, 2, half, height, width},
                    {kBatch, 2, half, height, width});
  y = transpose(b, name + ".transpose", y, {0, 2, 1, 3, 4});
  return reshape(b, name, y, {0, 2 * half, height, width}, x.shape);
}

Value unit(Builder& b, const std::string& name, const Value& x, std::int64_t channels,
           std::int64_t stride) {
  const std::int64_t half = channels / 2;
  std::vector<Value> branches;
  if (stride == 1) {
    const std::vector<Value> halves = split(b, name + ".chunk", x, 1, {half, half});
    branches = {halves[0], main_branch(b, name, halves[1], half, 1)};
  } else {
    Sequence sequence{b, name + ".branch1"};
    const Value y = sequence.conv_bn(x, depthwise(x, stride));
    const Value shortcut = sequence.conv_bn_relu(y, {.channels = half});
    branches = {shortcut, main_branch(b, name, x, half, stride)};
  }
  return shuffle(b, name + ".shuffle", concat(b, name + ".concat", branches, 1));
}

void build_shufflenet(Builder& b, const Plan& plan, std::int64_t image) {
  Value x = b.input("input", {kBatch, 3, image, image});
  x = Sequence{b, "conv1"}.conv_bn_relu(x, centred(kStem, 3, 2));
  x = max_pool(b, "maxpool", x, {.kernel = {3}, .stride = {2}, .padding = {1}});
  for (std::size_t stage = 0; stage < plan.stages.size(); ++stage) {
    for (int i = 0; i < kDepths[stage]; ++i) {
      const std::string name = "stage" + std::to_string(stage + 2) + "." + std::to_string(i);
      x = unit(b, name, x, plan.stages[stage], i == 0 ? 2 : 1);
    }
  }
  x = Sequence{b, "conv5"}.conv_bn_relu(x, {.channels = plan.head});
  x = flatten(b, "flatten", spatial_mean(b, "globalpool", x));
  b.output(linear(b, "fc", x, 1000));
}

struct Row {
  const char* name;
  Plan plan;
};

constexpr auto kRows = std::to_array<Row>({{"shufflenet-v2-x0-5", {{48, 96, 192}, 1024}},
                                           {"shufflenet-v2-x1-0", {{116, 232, 464}, 1024}},
                                           {"shufflenet-v2-x1-5", {{176, 352, 704}, 1024}},
                                           {"shufflenet-v2-x2-0", {{244, 488, 976}, 2048}}});

}  // namespace

std::vector<Entry> shufflenet_family() {
  std::vector<Entry> entries;
  for (const Row& row : kRows) {
    Architecture architecture{
        .name = row.name,
        .description = "ShuffleNetV2, ImageNet (arXiv:1807.11164, torchvision)",
        .input = "3x224x224",
        .default_batch = 64,
        .default_image = 224};
    entries.push_back({.architecture = std::move(architecture),
                       .build = [plan = row.plan](Builder& b, const Sizes& sizes) {
                         build_shufflenet(b, plan, sizes.image);
                       }});
  }
  return entries;
}

}  // namespace horus::zoo
