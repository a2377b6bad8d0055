// SPDX-License-Identifier: Apache-2.0
// Cross stage partial networks (Wang et al. 2019, arXiv:1911.11929) and DarkNets (Redmon and
// Farhadi 2018, arXiv:1804.02767), as huggingface/pytorch-image-models (timm, models/cspnet.py)
// builds them.

#include <array>

#include "horus/zoo/channel_attention.hpp"
#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

Value leaky_relu(Builder& b, const std::string& name, const Value& x) {
  return unary(b, name, "LeakyRelu", x, {{"alpha", 0.01}});
}

enum class Block { Bottleneck, Dark, Edge };
/// Dark: blocks one after the other. Cross: half of the channels go past the blocks, and both
/// halves are convolved and joined. Cross3: joined without a convolution of the half that went
/// through the blocks.
enum class StageKind { Dark, Cross, Cross3 };
enum class Expansion { Activated, Linear };
/// Whether the reduction in front of a crossing stage has the width of its input or its output.
enum class Down { Input, Output };
enum class StemPool { None, Max };

struct Stem {
  std::array<std::int64_t, 3> channels{};  ///< 0: no further convolution.
  std::int64_t kernel{3};
  std::int64_t stride{2};  ///< Of the first convolution.
  StemPool pool{StemPool::None};
};

struct Stage {
  int depth{};
  std::int64_t channels{};
  std::int64_t stride{2};
  std::int64_t groups{1};
  double bottle{1};  ///< Width between a block's convolutions over the block's output.
  double block{1};   ///< Width of a block's output over that of the stage.
  double expand{1};  ///< Width before the channels part over that of the stage.
};

struct Plan {
  Stem stem{};
  std::array<Stage, 5> stages{};  ///< Depth 0: no further stage.
  Activation activation{leaky_relu};
  StageKind kind{StageKind::Cross};
  Block block{Block::Bottleneck};
  Expansion expansion{Expansion::Activated};
  Down down{Down::Input};
  double squeeze{0};  ///< Of squeeze and excitation, of the channels; 0: there is none.
};

std::int64_t share(std::int64_t channels, double ratio) {
  return static_cast<std::int64_t>(static_cast<double>(channels) * ratio);
}

/// The parts that the plan decides, bound to one network under construction.
class Network {
 public:
  Network(Builder& b, const Plan& plan) : b_{b}, plan_{plan} {}

  Value stem(const Value& image);
  Value stage(const std::string& name, const Value& x, const Stage& stage);

 private:
  Value conv_act(const std::string& name, const Value& x, const ConvSpec& spec) {
    return conv_bn_act(b_, name, x, spec, plan_.activation);
  }
  Value attend(const std::string& name, const Value& x);
  Value block(const std::string& name, const Value& x, const Stage& stage);
  Value blocks(const std::string& name, const Value& x, const Stage& stage);
  Value crossing(const std::string& name, const Value& x, const Stage& stage);

  Builder& b_;
  const Plan& plan_;
};

Value Network::stem(const Value& image) {
  Value x = image;
  for (std::size_t i = 0; i < plan_.stem.channels.size() && plan_.stem.channels[i] != 0; ++i) {
    const std::int64_t kernel = plan_.stem.kernel;
    x = conv_act("stem.conv" + std::to_string(i + 1), x,
                 {.channels = plan_.stem.channels[i],
                  .kernel = {kernel},
                  .stride = {i == 0 ? plan_.stem.stride : 1},
                  .padding = {(kernel - 1) / 2}});
  }
  if (plan_.stem.pool == StemPool::None) return x;
  return max_pool(b_, "stem.pool", x, {.kernel = {3}, .stride = {2}, .padding = {1}});
}

Value Network::attend(const std::string& name, const Value& x) {
  if (plan_.squeeze == 0) return x;
  const double squeezed = static_cast<double>(x.shape[1]) * plan_.squeeze;
  return squeeze_excite(b_, name, x,
                        {.squeezed = rounded_to(squeezed, 8, 0), .activation = plan_.activation});
}

Value Network::block(const std::string& name, const Value& x, const Stage& stage) {
  const std::int64_t channels = share(stage.channels, stage.block);
  const std::int64_t inner = share(channels, stage.bottle);
  if (plan_.block == Block::Bottleneck) {
    Value y = conv_act(name + ".conv1", x, {.channels = inner});
    y = conv_act(name + ".conv2", y, centred(inner, 3, 1, stage.groups));
    y = conv_bn(b_, name + ".conv3", attend(name + ".attn2", y), {.channels = channels});
    return plan_.activation(b_, name + ".act3", binary(b_, name + ".add", "Add", y, x));
  }
  const bool dark = plan_.block == Block::Dark;
  Value y = conv_act(name + ".conv1", x, centred(inner, dark ? 1 : 3, 1, dark ? 1 : stage.groups));
  y = conv_act(name + ".conv2", attend(name + ".attn", y),
               centred(channels, dark ? 3 : 1, 1, dark ? stage.groups : 1));
  return binary(b_, name + ".add", "Add", y, x);
}

Value Network::blocks(const std::string& name, const Value& x, const Stage& stage) {
  Value y = x;
  for (int i = 0; i < stage.depth; ++i) {
    y = block(name + ".blocks." + std::to_string(i), y, stage);
  }
  return y;
}

Value Network::crossing(const std::string& name, const Value& x, const Stage& stage) {
  const std::int64_t expanded = share(stage.channels, stage.expand);
  const ConvSpec expand{.channels = expanded};
  const Value both = plan_.expansion == Expansion::Linear
                         ? conv_bn(b_, name + ".conv_exp", x, expand)
                         : conv_act(name + ".conv_exp", x, expand);
  const auto halves = split(b_, name + ".split", both, 1, {expanded / 2, expanded / 2});
  std::vector<Value> parts;
  if (plan_.kind == StageKind::Cross3) {
    parts = {blocks(name, halves[0], stage), halves[1]};
  } else {
    const Value through = blocks(name, halves[1], stage);
    parts = {halves[0], conv_act(name + ".conv_transition_b", through, {.channels = expanded / 2})};
  }
  return conv_act(name + ".conv_transition", concat(b_, name + ".concat", parts, 1),
                  {.channels = stage.channels});
}

Value Network::stage(const std::string& name, const Value& x, const Stage& stage) {
  Value y = x;
  if (stage.stride != 1) {
    const bool grows = plan_.kind == StageKind::Dark || plan_.down == Down::Output;
    y = conv_act(name + ".conv_down", x,
                 centred(grows ? stage.channels : x.shape[1], 3, 2, stage.groups));
  }
  return plan_.kind == StageKind::Dark ? blocks(name, y, stage) : crossing(name, y, stage);
}

void build_network(Builder& b, const Plan& plan, std::int64_t image) {
  Network network{b, plan};
  Value x = network.stem(b.input("input", {kBatch, 3, image, image}));
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    if (plan.stages[i].depth == 0) break;
    x = network.stage("stages." + std::to_string(i), x, plan.stages[i]);
  }
  b.output(classifier(b, "head", "head.fc", x));
}

constexpr Stem kPooled7{{64}, 7, 2, StemPool::Max};
constexpr Stem kPooled3{{32, 32, 64}, 3, 2, StemPool::Max};
constexpr Stem kFull{{32}, 3, 1};

constexpr Plan kResnet50{.stem = kPooled7,
                         .stages = {{{3, 128, 1, 1, 0.5, 1, 2},
                                     {3, 256, 2, 1, 0.5, 1, 2},
                                     {5, 512, 2, 1, 0.5, 1, 2},
                                     {2, 1024, 2, 1, 0.5, 1, 2}}},
                         .expansion = Expansion::Linear};
constexpr Plan kResnet50d{
    .stem = kPooled3, .stages = kResnet50.stages, .expansion = Expansion::Linear};
constexpr Plan kResnet50w{.stem = kPooled3,
                          .stages = {{{3, 256, 1, 1, 0.25, 0.5},
                                      {3, 512, 2, 1, 0.25, 0.5},
                                      {5, 1024, 2, 1, 0.25, 0.5},
                                      {2, 2048, 2, 1, 0.25, 0.5}}},
                          .expansion = Expansion::Linear};
constexpr Plan kResnext50{.stem = kPooled7,
                          .stages = {{{3, 256, 1, 32, 1, 0.5},
                                      {3, 512, 2, 32, 1, 0.5},
                                      {5, 1024, 2, 32, 1, 0.5},
                                      {2, 2048, 2, 32, 1, 0.5}}},
                          .expansion = Expansion::Linear};
constexpr Plan kCspDarknet53{.stem = kFull,
                             .stages = {{{1, 64, 2, 1, 0.5, 1, 2},
                                         {2, 128, 2, 1, 1, 0.5},
                                         {8, 256, 2, 1, 1, 0.5},
                                         {8, 512, 2, 1, 1, 0.5},
                                         {4, 1024, 2, 1, 1, 0.5}}},
                             .block = Block::Dark,
                             .down = Down::Output};
constexpr Plan kSeDarknetXdw{.stem = {{32, 64}},
                             .stages = {{{3, 256, 2, 1, 0.5, 0.5},
                                         {6, 512, 2, 1, 0.5, 0.5},
                                         {12, 1024, 2, 256, 0.5, 0.5},
                                         {4, 2048, 2, 512, 0.5, 0.5}}},
                             .activation = silu,
                             .squeeze = 1.0 / 16};

constexpr Plan dark(std::array<int, 5> depths, double squeeze = 0) {
  Plan plan{.stem = kFull, .kind = StageKind::Dark, .block = Block::Dark, .squeeze = squeeze};
  std::int64_t channels = 64;
  for (std::size_t i = 0; i < depths.size(); ++i, channels *= 2) {
    plan.stages[i] = {depths[i], channels, 2, 1, 0.5};
  }
  return plan;
}

/// Depths and widths of YOLOv5's sizes.
struct Size {
  std::int64_t width{};  ///< Of the stem; each stage doubles it.
  std::array<int, 4> depths{};
};

constexpr Size kS{32, {1, 3, 4, 1}};
constexpr Size kM{48, {2, 4, 6, 2}};
constexpr Size kL{64, {3, 6, 9, 3}};
constexpr Size kX{80, {3, 7, 11, 3}};

constexpr Plan cs3(const Size& size, double squeeze = 0, Block block = Block::Dark) {
  Plan plan{.stem = {{size.width / 2, size.width}},
            .activation = silu,
            .kind = StageKind::Cross3,
            .block = block,
            .squeeze = squeeze};
  std::int64_t channels = 2 * size.width;
  for (std::size_t i = 0; i < size.depths.size(); ++i, channels *= 2) {
    const double bottle = block == Block::Edge ? 1.5 : 1;
    plan.stages[i] = {size.depths[i], channels, 2, 1, bottle, 0.5};
  }
  return plan;
}

/// The same with one wide convolution in front.
constexpr Plan focus(const Size& size) {
  Plan plan = cs3(size);
  plan.stem = {{size.width}, 6};
  return plan;
}

constexpr auto kModels = std::to_array<TimmModel<Plan>>({
    {"cs3darknet_focus_l", 256, focus(kL)},
    {"cs3darknet_focus_m", 256, focus(kM)},
    {"cs3darknet_focus_s", 256, focus(kS)},
    {"cs3darknet_focus_x", 256, focus(kX)},
    {"cs3darknet_l", 256, cs3(kL)},
    {"cs3darknet_m", 256, cs3(kM)},
    {"cs3darknet_s", 256, cs3(kS)},
    {"cs3darknet_x", 256, cs3(kX)},
    {"cs3edgenet_x", 256, cs3(kX, 0, Block::Edge)},
    {"cs3se_edgenet_x", 256, cs3(kX, 0.25, Block::Edge)},
    {"cs3sedarknet_l", 256, cs3(kL, 0.25)},
    {"cs3sedarknet_x", 256, cs3(kX, 1.0 / 16)},
    {"cs3sedarknet_xdw", 256, kSeDarknetXdw},
    {"cspdarknet53", 256, kCspDarknet53},
    {"cspresnet50", 256, kResnet50},
    {"cspresnet50d", 256, kResnet50d},
    {"cspresnet50w", 256, kResnet50w},
    {"cspresnext50", 256, kResnext50},
    {"darknet17", 256, dark({1, 1, 1, 1, 1})},
    {"darknet21", 256, dark({1, 1, 1, 2, 2})},
    {"darknet53", 256, dark({1, 2, 8, 8, 4})},
    {"sedarknet21", 256, dark({1, 1, 1, 2, 2}, 1.0 / 16)},
});

}  // namespace

std::vector<Entry> timm_cspnet_family() {
  return timm_entries(kModels,
                      "cross stage partial network or DarkNet, ImageNet (timm, "
                      "models/cspnet.py)",
                      build_network);
}

}  // namespace horus::zoo
