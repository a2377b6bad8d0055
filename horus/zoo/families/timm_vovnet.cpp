// SPDX-License-Identifier: Apache-2.0
// VoVNet (Lee et al. 2019, arXiv:1904.09730) and its second version (Lee and Park 2020,
// arXiv:1911.06667), as huggingface/pytorch-image-models (timm, models/vovnet.py) builds them.

#include <array>

#include "horus/zoo/activating_norm.hpp"
#include "horus/zoo/channel_attention.hpp"
#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

enum class Version { V1, V2 };  ///< V2: blocks that repeat have shortcuts.
enum class Attention { None, Effective, Efficient };
enum class Norm { Batch, Evo };  ///< Evo brings its own activation.
enum class Layer { Full, Separable };

struct Width {
  std::int64_t inner{};
  std::int64_t channels{};
};

struct Plan {
  std::array<int, 4> depths{};
  int layers{};  ///< Of a block.
  std::array<Width, 4> widths{{{128, 256}, {160, 512}, {192, 768}, {224, 1024}}};
  Attention attention{Attention::Effective};  ///< Of the last block of a stage.
  Layer layer{Layer::Full};
  Version version{Version::V2};
  Norm norm{Norm::Batch};
};

constexpr std::array<Width, 4> kSlim{{{64, 112}, {80, 256}, {96, 384}, {112, 512}}};

constexpr std::int64_t kEvoGroups = 32;

/// The parts that the plan decides, bound to one network under construction.
class Network {
 public:
  Network(Builder& b, const Plan& plan) : b_{b}, plan_{plan} {}

  Value stem(const Value& image);
  Value stage(std::size_t index, const Value& x);

 private:
  Value conv_act(const std::string& name, const Value& x, const ConvSpec& spec);
  Value layer(const std::string& name, const Value& x, std::int64_t channels,
              std::int64_t stride = 1);
  Value attend(const std::string& name, const Value& x);
  Value block(const std::string& name, const Value& x, const Width& width);

  Builder& b_;
  const Plan& plan_;
};

Value Network::conv_act(const std::string& name, const Value& x, const ConvSpec& spec) {
  if (plan_.norm == Norm::Batch) return conv_bn_act(b_, name, x, spec, relu);
  return evo_norm(b_, name + ".bn", conv(b_, name + ".conv", x, spec), kEvoGroups);
}

Value Network::layer(const std::string& name, const Value& x, std::int64_t channels,
                     std::int64_t stride) {
  if (plan_.layer == Layer::Full) {
    return conv_act(name, x, centred(channels, 3, stride));
  }
  Value y = conv(b_, name + ".conv_dw", x, centred(x.shape[1], 3, stride, x.shape[1]));
  y = conv(b_, name + ".conv_pw", y, {.channels = channels});
  return relu(b_, name + ".act", batch_norm(b_, name + ".bn", y));
}

Value Network::stem(const Value& image) {
  const Value x = conv_act("stem.0", image, centred(64, 3, 2));
  const std::int64_t last = plan_.layer == Layer::Full ? 128 : 64;
  return layer("stem.2", layer("stem.1", x, 64), last, 2);
}

Value Network::attend(const std::string& name, const Value& x) {
  switch (plan_.attention) {
    case Attention::Effective:
      return effective_squeeze_excite(b_, name, x);
    case Attention::Efficient:
      return efficient_channel_attention(b_, name, x);
    case Attention::None:
      break;
  }
  return x;
}

Value Network::block(const std::string& name, const Value& x, const Width& width) {
  std::vector<Value> outputs{x};
  Value y = x;
  if (plan_.layer == Layer::Separable && x.shape[1] != width.inner) {
    y = conv_act(name + ".conv_reduction", x, {.channels = width.inner});
  }
  for (int i = 0; i < plan_.layers; ++i) {
    y = layer(name + ".conv_mid." + std::to_string(i), y, width.inner);
    outputs.push_back(y);
  }
  return conv_act(name + ".conv_concat", concat(b_, name + ".concat", outputs, 1),
                  {.channels = width.channels});
}

Value Network::stage(std::size_t index, const Value& x) {
  const std::string name = "stages." + std::to_string(index);
  Value y = x;
  if (index > 0) {
    y = max_pool(b_, name + ".pool", x, {.kernel = {3}, .stride = {2}, .rounding = Rounding::Up});
  }
  const int depth = plan_.depths[index];
  for (int i = 0; i < depth; ++i) {
    const std::string place = name + ".blocks." + std::to_string(i);
    Value z = block(place, y, plan_.widths[index]);
    if (i + 1 == depth) z = attend(place + ".attn", z);
    const bool shortcut = plan_.version == Version::V2 && i > 0;
    y = shortcut ? binary(b_, place + ".add", "Add", z, y) : z;
  }
  return y;
}

void build_network(Builder& b, const Plan& plan, std::int64_t image) {
  Network network{b, plan};
  Value x = network.stem(b.input("input", {kBatch, 3, image, image}));
  for (std::size_t i = 0; i < plan.depths.size(); ++i) x = network.stage(i, x);
  b.output(classifier(b, "head", "head.fc", x));
}

constexpr Plan v1(std::array<int, 4> depths) {
  return {.depths = depths, .layers = 5, .attention = Attention::None, .version = Version::V1};
}

constexpr auto kModels = std::to_array<TimmModel<Plan>>({
    {"eca_vovnet39b",
     224,
     {.depths = {1, 1, 2, 2}, .layers = 5, .attention = Attention::Efficient}},
    {"ese_vovnet19b_dw", 224, {.depths = {1, 1, 1, 1}, .layers = 3, .layer = Layer::Separable}},
    {"ese_vovnet19b_slim", 224, {.depths = {1, 1, 1, 1}, .layers = 3, .widths = kSlim}},
    {"ese_vovnet19b_slim_dw",
     224,
     {.depths = {1, 1, 1, 1}, .layers = 3, .widths = kSlim, .layer = Layer::Separable}},
    {"ese_vovnet39b", 224, {.depths = {1, 1, 2, 2}, .layers = 5}},
    {"ese_vovnet39b_evos", 224, {.depths = {1, 1, 2, 2}, .layers = 5, .norm = Norm::Evo}},
    {"ese_vovnet57b", 256, {.depths = {1, 1, 4, 3}, .layers = 5}},
    {"ese_vovnet99b", 224, {.depths = {1, 3, 9, 3}, .layers = 5}},
    {"vovnet39a", 224, v1({1, 1, 2, 2})},
    {"vovnet57a", 224, v1({1, 1, 4, 3})},
});

}  // namespace

std::vector<Entry> timm_vovnet_family() {
  return timm_entries(kModels, "one-shot aggregation, ImageNet (timm, models/vovnet.py)",
                      build_network);
}

}  // namespace horus::zoo
