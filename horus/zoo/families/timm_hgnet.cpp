// SPDX-License-Identifier: Apache-2.0
// PP-HGNet and PP-HGNetV2 (PaddleClas), as huggingface/pytorch-image-models (timm,
// models/hgnet.py) builds them: chains of convolutions whose outputs are all joined.

#include <array>

#include "horus/zoo/channel_attention.hpp"
#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

enum class Version { V1, V2 };
/// Whether activations are followed by one trained scale and offset.
enum class Affine { None, Trained };
/// Layers of a block: one convolution, or a 1x1 and a depthwise one.
enum class Layer { Full, Light };

struct Stage {
  std::int64_t inner{};
  std::int64_t channels{};
  int depth{};
};

struct Plan {
  Version version{Version::V1};
  std::array<std::int64_t, 3> stem{};  ///< V2 has two widths.
  std::array<Stage, 4> stages{};
  int layers{};  ///< Of a block.
  Affine affine{Affine::None};
};

constexpr std::int64_t kHeadWidth = 2048;

/// The parts that the plan decides, bound to one network under construction.
class Network {
 public:
  Network(Builder& b, const Plan& plan) : b_{b}, plan_{plan} {}

  Value stem(const Value& image);
  Value stage(std::size_t index, const Value& x);
  void head(const Value& x);

 private:
  Value affine(const std::string& name, const Value& x);
  Value conv_act(const std::string& name, const Value& x, const ConvSpec& spec);
  Value pad_end(const std::string& name, const Value& x);
  Value stem_v2(const Value& image);
  Value layer(const std::string& name, const Value& x, std::int64_t inner, Layer kind);
  Value aggregate(const std::string& name, const Value& x, std::int64_t channels);
  Value block(const std::string& name, const Value& x, const Stage& stage, Layer kind);

  Builder& b_;
  const Plan& plan_;
};

Value Network::affine(const std::string& name, const Value& x) {
  if (plan_.affine == Affine::None) return x;
  const Value y = binary(b_, name + ".mul", "Mul", b_.parameter(name + ".scale", {1}), x);
  return binary(b_, name, "Add", y, b_.parameter(name + ".bias", {1}));
}

Value Network::conv_act(const std::string& name, const Value& x, const ConvSpec& spec) {
  return affine(name + ".lab", conv_bn_act(b_, name, x, spec, relu));
}

/// One row and one column of zeros at the far ends, so that an even kernel keeps the size.
Value Network::pad_end(const std::string& name, const Value& x) {
  Shape shape = x.shape;
  ++shape[2];
  ++shape[3];
  return b_.add({.name = name,
                 .op_type = "Pad",
                 .inputs = {x.name, b_.integers({0, 0, 0, 0, 0, 0, 1, 1}).name}},
                shape);
}

Value Network::stem_v2(const Value& image) {
  const std::int64_t width = plan_.stem[0];
  Value x = conv_act("stem.stem1", image, centred(width, 3, 2));
  x = pad_end("stem.pad", x);
  Value y = conv_act("stem.stem2a", x, {.channels = width / 2, .kernel = {2}});
  y = pad_end("stem.pad_1", y);
  y = conv_act("stem.stem2b", y, {.channels = width, .kernel = {2}});
  const Value pooled = max_pool(b_, "stem.pool", x, {.kernel = {2}, .rounding = Rounding::Up});
  x = concat(b_, "stem.concat", std::vector<Value>{pooled, y}, 1);
  x = conv_act("stem.stem3", x, centred(width, 3, 2));
  return conv_act("stem.stem4", x, {.channels = plan_.stem[1]});
}

Value Network::stem(const Value& image) {
  if (plan_.version == Version::V2) return stem_v2(image);
  Value x = image;
  for (std::size_t i = 0; i < plan_.stem.size(); ++i) {
    x = conv_act("stem.stem." + std::to_string(i), x, centred(plan_.stem[i], 3, i == 0 ? 2 : 1));
  }
  return max_pool(b_, "stem.pool", x, {.kernel = {3}, .stride = {2}, .padding = {1}});
}

Value Network::layer(const std::string& name, const Value& x, std::int64_t inner, Layer kind) {
  if (kind == Layer::Full) return conv_act(name, x, centred(inner, 3));
  const Value y = conv_bn(b_, name + ".conv1", x, {.channels = inner});
  return conv_act(name + ".conv2", y, centred(inner, 5, 1, inner));
}

Value Network::aggregate(const std::string& name, const Value& x, std::int64_t channels) {
  if (plan_.version == Version::V1) {
    const Value y = conv_act(name + ".0", x, {.channels = channels});
    return effective_squeeze_excite(b_, name + ".1", y, sigmoid);
  }
  const Value y = conv_act(name + ".0", x, {.channels = channels / 2});
  return conv_act(name + ".1", y, {.channels = channels});
}

Value Network::block(const std::string& name, const Value& x, const Stage& stage, Layer kind) {
  std::vector<Value> outputs{x};
  for (int i = 0; i < plan_.layers; ++i) {
    outputs.push_back(
        layer(name + ".layers." + std::to_string(i), outputs.back(), stage.inner, kind));
  }
  const Value all = concat(b_, name + ".concat", outputs, 1);
  return aggregate(name + ".aggregation", all, stage.channels);
}

Value Network::stage(std::size_t index, const Value& x) {
  const Stage& stage = plan_.stages[index];
  const std::string name = "stages." + std::to_string(index);
  const Layer kind = plan_.version == Version::V2 && index >= 2 ? Layer::Light : Layer::Full;
  Value y = x;
  if (index > 0) y = conv_bn(b_, name + ".downsample", x, centred(x.shape[1], 3, 2, x.shape[1]));
  for (int i = 0; i < stage.depth; ++i) {
    const std::string place = name + ".blocks." + std::to_string(i);
    const Value z = block(place, y, stage, kind);
    y = i == 0 ? z : binary(b_, place + ".add", "Add", z, y);
  }
  return y;
}

void Network::head(const Value& x) {
  Value y = global_average_pool(b_, "head.global_pool", x);
  y = conv(b_, "head.last_conv.0", y, {.channels = kHeadWidth});
  y = affine("head.last_conv.2", relu(b_, "head.last_conv.1", y));
  b_.output(linear(b_, "head.fc", flatten(b_, "head.flatten", y), 1000));
}

void build_network(Builder& b, const Plan& plan, std::int64_t image) {
  Network network{b, plan};
  Value x = network.stem(b.input("input", {kBatch, 3, image, image}));
  for (std::size_t i = 0; i < plan.stages.size(); ++i) x = network.stage(i, x);
  network.head(x);
}

constexpr Plan v1(std::int64_t first, std::int64_t last, std::array<Stage, 4> stages, int layers) {
  return {.stem = {first, first, last}, .stages = stages, .layers = layers};
}

constexpr Plan v2(std::int64_t first, std::int64_t last, std::array<Stage, 4> stages, int layers,
                  Affine affine) {
  return {.version = Version::V2,
          .stem = {first, last},
          .stages = stages,
          .layers = layers,
          .affine = affine};
}

constexpr std::array<Stage, 4> kTiny{{{96, 224, 1}, {128, 448, 1}, {160, 512, 2}, {192, 768, 1}}};
constexpr std::array<Stage, 4> kSmall{
    {{128, 256, 1}, {160, 512, 1}, {192, 768, 2}, {224, 1024, 1}}};
constexpr std::array<Stage, 4> kBase{{{192, 320, 1}, {224, 640, 2}, {256, 960, 3}, {288, 1280, 2}}};
constexpr std::array<Stage, 4> kB0{{{16, 64, 1}, {32, 256, 1}, {64, 512, 2}, {128, 1024, 1}}};
constexpr std::array<Stage, 4> kB1{{{32, 64, 1}, {48, 256, 1}, {96, 512, 2}, {192, 1024, 1}}};
constexpr std::array<Stage, 4> kB2{{{32, 96, 1}, {64, 384, 1}, {128, 768, 3}, {256, 1536, 1}}};
constexpr std::array<Stage, 4> kB3{{{32, 128, 1}, {64, 512, 1}, {128, 1024, 3}, {256, 2048, 1}}};
constexpr std::array<Stage, 4> kB4{{{48, 128, 1}, {96, 512, 1}, {192, 1024, 3}, {384, 2048, 1}}};
constexpr std::array<Stage, 4> kB5{{{64, 128, 1}, {128, 512, 2}, {256, 1024, 5}, {512, 2048, 2}}};
constexpr std::array<Stage, 4> kB6{{{96, 192, 2}, {192, 512, 3}, {384, 1024, 6}, {768, 2048, 3}}};

constexpr auto kModels = std::to_array<TimmModel<Plan>>({
    {"hgnet_base", 224, v1(96, 160, kBase, 7)},
    {"hgnet_small", 224, v1(64, 128, kSmall, 6)},
    {"hgnet_tiny", 224, v1(48, 96, kTiny, 5)},
    {"hgnetv2_b0", 224, v2(16, 16, kB0, 3, Affine::Trained)},
    {"hgnetv2_b1", 224, v2(24, 32, kB1, 3, Affine::Trained)},
    {"hgnetv2_b2", 224, v2(24, 32, kB2, 4, Affine::Trained)},
    {"hgnetv2_b3", 224, v2(24, 32, kB3, 5, Affine::Trained)},
    {"hgnetv2_b4", 224, v2(32, 48, kB4, 6, Affine::None)},
    {"hgnetv2_b5", 224, v2(32, 64, kB5, 6, Affine::None)},
    {"hgnetv2_b6", 224, v2(48, 96, kB6, 6, Affine::None)},
});

}  // namespace

std::vector<Entry> timm_hgnet_family() {
  return timm_entries(kModels, "PP-HGNet, ImageNet (PaddleClas; timm, models/hgnet.py)",
                      build_network);
}

}  // namespace horus::zoo
