// SPDX-License-Identifier: Apache-2.0
// SelecSLS networks (Mehta et al. 2019, arXiv:1907.00837), as huggingface/pytorch-image-models
// (timm, models/selecsls.py) builds them: all blocks of a stage also see the output of its first.

#include <array>
#include <vector>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

/// Blocks as wide inside as the first one's output.
struct Stage {
  std::int64_t inner{};
  std::int64_t first{};  ///< Output channels of all blocks but the last, ...
  std::int64_t last{};   ///< ... and of the last.
  int depth{};
};

struct Layer {
  std::int64_t channels{};
  std::int64_t kernel{3};
  std::int64_t stride{1};
};

struct Plan {
  std::array<Stage, 3> stages{};
  std::array<Layer, 4> head{};
};

Value step(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec) {
  const Value y = batch_norm(b, name + ".1", conv(b, name + ".0", x, spec));
  return relu(b, name + ".2", y);
}

/// `seen`: what the last convolution sees besides the block's own outputs.
Value block(Builder& b, const std::string& name, const Value& x, const Stage& stage,
            std::int64_t channels, const std::vector<Value>& seen) {
  const std::int64_t inner = stage.inner;
  const std::int64_t stride = seen.empty() ? 2 : 1;
  const Value one = step(b, name + ".conv1", x, centred(inner, 3, stride));
  Value two = step(b, name + ".conv2", one, {.channels = inner});
  two = step(b, name + ".conv3", two, centred(inner / 2, 3));
  Value three = step(b, name + ".conv4", two, {.channels = inner});
  three = step(b, name + ".conv5", three, centred(inner / 2, 3));
  std::vector<Value> all{one, two, three};
  all.insert(all.end(), seen.begin(), seen.end());
  return step(b, name + ".conv6", concat(b, name + ".concat", all, 1), {.channels = channels});
}

void build_network(Builder& b, const Plan& plan, std::int64_t image) {
  Value x = step(b, "stem", b.input("input", {kBatch, 3, image, image}), centred(32, 3, 2));
  int index = 0;
  for (const Stage& stage : plan.stages) {
    std::vector<Value> seen;
    for (int i = 0; i < stage.depth; ++i) {
      const std::string name = "features." + std::to_string(index++);
      x = block(b, name, x, stage, i + 1 == stage.depth ? stage.last : stage.first, seen);
      if (i == 0) seen.push_back(x);
    }
  }
  index = 0;
  for (const Layer& layer : plan.head) {
    x = step(b, "head." + std::to_string(index++), x,
             centred(layer.channels, layer.kernel, layer.stride));
  }
  b.output(classifier(b, "global_pool", "fc", x));
}

constexpr std::array<Stage, 3> k42{{{64, 64, 128, 2}, {144, 144, 288, 2}, {304, 304, 480, 2}}};
constexpr std::array<Stage, 3> k60{{{64, 64, 128, 2}, {128, 128, 288, 3}, {288, 288, 416, 4}}};
constexpr std::array<Stage, 3> k84{{{64, 64, 144, 2}, {144, 144, 304, 5}, {304, 304, 512, 6}}};

constexpr std::array<Layer, 4> kHead42{{{960, 3, 2}, {1024}, {1024, 3, 2}, {1280, 1}}};
constexpr std::array<Layer, 4> kHead42b{{{960, 3, 2}, {1024}, {1280, 3, 2}, {1024, 1}}};
constexpr std::array<Layer, 4> kHead60{{{756, 3, 2}, {1024}, {1024, 3, 2}, {1280, 1}}};
constexpr std::array<Layer, 4> kHead60b{{{756, 3, 2}, {1024}, {1280, 3, 2}, {1024, 1}}};
constexpr std::array<Layer, 4> kHead84{{{960, 3, 2}, {1024}, {1024, 3, 2}, {1280}}};

constexpr auto kModels = std::to_array<TimmModel<Plan>>({
    {"selecsls42", 224, {k42, kHead42}},
    {"selecsls42b", 224, {k42, kHead42b}},
    {"selecsls60", 224, {k60, kHead60}},
    {"selecsls60b", 224, {k60, kHead60b}},
    {"selecsls84", 224, {k84, kHead84}},
});

}  // namespace

std::vector<Entry> timm_selecsls_family() {
  return timm_entries(kModels,
                      "selective long and short skips, ImageNet (timm, "
                      "models/selecsls.py)",
                      build_network);
}

}  // namespace horus::zoo
