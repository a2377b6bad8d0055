// SPDX-License-Identifier: Apache-2.0
// ResNet-D with efficient channel attention after pruning (Aflalo et al. 2020, arXiv:2002.08258):
// every convolution has a width of its own, as the published weights of
// huggingface/pytorch-image-models (timm, models/_pruned) have them.

#include <array>
#include <vector>

#include "horus/zoo/channel_attention.hpp"
#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

/// Widths of the first two convolutions of a bottleneck.
struct Inner {
  std::int64_t first{};
  std::int64_t second{};
};

struct Stage {
  std::int64_t channels{};
  std::vector<Inner> blocks;
};

using Stages = std::array<Stage, 4>;

constexpr std::int64_t kUnprunedChannels = 256;  // Of the first stage; each further one doubles it.

/// Convolution and batch normalization number `index`, behind them an activation.
Value step(Builder& b, const std::string& name, int index, const Value& x, const ConvSpec& spec) {
  const std::string number = std::to_string(index);
  const Value y = batch_norm(b, name + ".bn" + number, conv(b, name + ".conv" + number, x, spec));
  return relu(b, name + ".act" + number, y);
}

struct Place {
  std::string name;
  std::int64_t channels{};
  std::int64_t unpruned{};  ///< Channels that the attention's kernel was sized for.
  std::int64_t stride{1};
};

Value shortcut(Builder& b, const Place& place, const Value& x) {
  if (place.stride == 1 && x.shape[1] == place.channels) return x;
  const std::string name = place.name + ".downsample";
  Value y = x;
  if (place.stride != 1) {
    y = halving_average(b, name + ".0", x);
  }
  return batch_norm(b, name + ".2", conv(b, name + ".1", y, {.channels = place.channels}));
}

Value block(Builder& b, const Place& place, const Value& x, const Inner& inner) {
  const std::string& name = place.name;
  Value y = step(b, name, 1, x, {.channels = inner.first});
  y = step(b, name, 2, y, centred(inner.second, 3, place.stride));
  y = batch_norm(b, name + ".bn3", conv(b, name + ".conv3", y, {.channels = place.channels}));
  y = efficient_channel_attention(b, name + ".se", y, place.unpruned);
  return relu(b, name + ".act3", binary(b, name + ".add", "Add", y, shortcut(b, place, x)));
}

void build_network(Builder& b, const Stages& stages, std::int64_t image) {
  Value x = step(b, "stem", 1, b.input("input", {kBatch, 3, image, image}), centred(32, 3, 2));
  x = step(b, "stem", 2, x, centred(32, 3));
  x = step(b, "stem", 3, x, centred(64, 3));
  x = max_pool(b, "maxpool", x, {.kernel = {3}, .stride = {2}, .padding = {1}});
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    const auto& blocks = stages[stage].blocks;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const Place place{.name = "layer" + std::to_string(stage + 1) + "." + std::to_string(i),
                        .channels = stages[stage].channels,
                        .unpruned = kUnprunedChannels << stage,
                        .stride = stage > 0 && i == 0 ? 2 : 1};
      x = block(b, place, x, blocks[i]);
    }
  }
  b.output(classifier(b, "global_pool", "fc", x));
}

Stages pruned50() {
  return {{{19, {{47, 18}, {52, 22}, {64, 35}}},
           {171, {{85, 37}, {107, 80}, {120, 85}, {125, 87}}},
           {818, {{198, 126}, {255, 232}, {256, 233}, {253, 235}, {256, 225}, {256, 239}}},
           {2022, {{492, 237}, {512, 500}, {512, 490}}}}};
}

Stages pruned101() {
  return {{{26, {{45, 25}, {53, 20}, {60, 27}}},
           {142, {{81, 24}, {93, 49}, {102, 54}, {122, 78}}},
           {278, {{101, 25},  {239, 160}, {234, 156}, {250, 176}, {253, 191}, {251, 175},
                  {230, 128}, {244, 154}, {244, 159}, {238, 97},  {244, 149}, {253, 181},
                  {245, 119}, {255, 216}, {256, 201}, {253, 149}, {254, 141}, {256, 190},
                  {256, 217}, {255, 156}, {256, 155}, {256, 232}, {256, 214}}},
           {2042, {{499, 289}, {512, 512}, {512, 502}}}}};
}

}  // namespace

std::vector<Entry> timm_resnet_pruned_family() {
  const std::array<TimmModel<Stages>, 2> models{
      {{"ecaresnet101d_pruned", 224, pruned101()}, {"ecaresnet50d_pruned", 224, pruned50()}}};
  return timm_entries(models, "pruned residual network, ImageNet (timm, models/resnet.py)",
                      build_network);
}

}  // namespace horus::zoo
