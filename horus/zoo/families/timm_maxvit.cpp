// SPDX-License-Identifier: Apache-2.0
// MaxViT (Tu et al. 2022, arXiv:2204.01697) as timm builds it: a convolution block, then attention
// within windows and over a spread grid. "rw" are timm's own forms, "rmlp" have a network for the
// biases, "pm" attend to windows and grid side by side, and "maxxvit" have ConvNeXt blocks.

#include <array>
#include <string>

#include "horus/zoo/channel_attention.hpp"
#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/multi_head.hpp"
#include "horus/zoo/position_network.hpp"
#include "horus/zoo/same_padding.hpp"
#include "horus/zoo/tokens.hpp"
#include "horus/zoo/windows.hpp"

namespace horus::zoo {
namespace {

enum class Form {
  Paper,    ///< TensorFlow's padding, and biases of attention by two one-hot products.
  Own,      ///< PyTorch's padding, narrower squeezes, and biases by a table.
  Network,  ///< As Own, but biases by a network.
};
enum class ConvBlock { Inverted, ConvNext };
enum class Attention { InTurn, SideBySide };
enum class Head { Plain, Hidden };
enum class Scale { None, Trained };  ///< Of the residual branches of attention.

using PerStage = std::array<std::int64_t, 4>;

struct Plan {
  Form form{};
  PerStage widths{};
  PerStage depths{};
  std::array<std::int64_t, 2> stem{};
  Head head{Head::Plain};
  ConvBlock conv{ConvBlock::Inverted};
  Attention attention{Attention::InTurn};
  Scale scale{Scale::None};
  std::int64_t classes{1000};
};

constexpr double kEpsilon = 1e-6;
constexpr std::int64_t kHeadWidth = 32;
constexpr std::int64_t kExpansion = 4;
constexpr std::int64_t kInnerOfPositions = 512;
constexpr std::int64_t kReduction = 32;  // Of the image's side by the whole network.

Activation activation_of(const Plan& plan) {
  if (plan.conv == ConvBlock::ConvNext) return gelu;
  return plan.form == Form::Paper ? approximate_gelu : silu;
}

/// A 3x3 convolution with the padding of the plan's framework.
Value conv3x3(Builder& b, const std::string& name, const Value& x, const Plan& plan,
              ConvSpec spec) {
  spec.kernel = {3};
  if (plan.form == Form::Paper) return conv_same(b, name, x, spec);
  spec.padding = {1};
  return conv(b, name, x, spec);
}

Value halve(Builder& b, const std::string& name, const Value& x) {
  return average_pool(b, name, x, {.kernel = {2}, .stride = {2}});
}

/// The input of a block as its output needs it: half the side and the new width.
Value shortcut(Builder& b, const std::string& name, const Value& x, std::int64_t width,
               std::int64_t stride, Bias bias) {
  Value y = x;
  if (stride == 2) y = halve(b, name + ".pool", y);
  if (width == y.shape[1]) return y;
  return conv(b, name + ".expand", y, {.channels = width, .bias = bias});
}

Value inverted_block(Builder& b, const std::string& name, const Value& x, const Plan& plan,
                     std::int64_t width, std::int64_t stride) {
  const bool paper = plan.form == Form::Paper;
  const Bias bias = paper ? Bias::Trained : Bias::None;
  const Activation activate = activation_of(plan);
  const std::int64_t inner = kExpansion * (paper ? width : x.shape[1]);
  const Value carried = shortcut(b, name + ".shortcut", x, width, stride, bias);
  Value y = batch_norm(b, name + ".pre_norm", x);
  y = batch_norm(b, name + ".norm1", conv(b, name + ".conv1_1x1", y, {.channels = inner}));
  y = activate(b, name + ".norm1.act", y);
  y = conv3x3(b, name + ".conv2_kxk", y, plan,
              {.channels = inner, .stride = {stride}, .groups = inner});
  y = activate(b, name + ".norm2.act", batch_norm(b, name + ".norm2", y));
  const std::int64_t squeezed = paper ? width / 4 : inner / 16;
  y = squeeze_excite(b, name + ".se", y, {.squeezed = squeezed, .activation = silu});
  y = conv(b, name + ".conv3_1x1", y, {.channels = width, .bias = bias});
  return binary(b, name + ".add", "Add", y, carried);
}

Value convnext_block(Builder& b, const std::string& name, const Value& x, std::int64_t width,
                     std::int64_t stride) {
  const Value carried = shortcut(b, name + ".shortcut", x, width, stride, Bias::Trained);
  Value y = conv(b, name + ".conv_dw", x,
                 {.channels = width,
                  .kernel = {7},
                  .stride = {stride},
                  .padding = {3},
                  .groups = x.shape[1],
                  .bias = Bias::Trained});
  y = layer_norm_of_map(b, name + ".norm", y, kEpsilon);
  y = mlp_of_map(b, name + ".mlp", y, kExpansion * width);
  y = layer_scale(b, name + ".ls", y, {width, 1, 1});
  return binary(b, name + ".add", "Add", y, carried);
}

Value conv_block(Builder& b, const std::string& name, const Value& x, const Plan& plan,
                 std::int64_t width, std::int64_t stride) {
  if (plan.conv == ConvBlock::ConvNext) return convnext_block(b, name, x, width, stride);
  return inverted_block(b, name, x, plan, width, stride);
}

/// A trained table (heads, rows, columns) of relative positions, spread to (heads, tokens, tokens)
/// by one product with a fixed one-hot tensor for each axis.
Value one_hot_bias(Builder& b, const std::string& name, std::int64_t side, std::int64_t heads) {
  const std::int64_t distances = 2 * side - 1;
  const Value table =
      b.parameter(name + ".relative_position_bias_table", {heads, distances, distances});
  const Value rows = b.buffer(name + ".height_lookup", {side, side, distances});
  const Value columns = b.buffer(name + ".width_lookup", {side, side, distances});
  const auto product = [&](const std::string& node, const Value& left, const Value& right,
                           const std::string& equation, Shape shape) {
    return b.add({.name = node,
                  .op_type = "Einsum",
                  .inputs = {left.name, right.name},
                  .attributes = {{"equation", equation}}},
                 std::move(shape));
  };
  Value x = product(name + ".rows", table, rows, "nhw,ixh->nixw", {heads, side, side, distances});
  x = product(name + ".columns", x, columns, "nixw,jyw->nijxy", {heads, side, side, side, side});
  return shaped(b, name + ".bias", x, {heads, side * side, side * side});
}

Value bias_of(Builder& b, const std::string& name, const Plan& plan, std::int64_t side,
              std::int64_t heads) {
  if (plan.form == Form::Paper) return one_hot_bias(b, name, side, heads);
  if (plan.form == Form::Own) return relative_bias(b, name, side, side, heads);
  return position_network(
      b, name, {.height = side, .width = side, .heads = heads, .inner = kInnerOfPositions});
}

/// Which tokens attend to each other, and what their attention is called.
struct Partition {
  const char* name{};
  Value (*part)(Builder&, const std::string&, const Value&, std::int64_t){};
  Value (*unite)(Builder&, const std::string&, const Value&, std::int64_t, std::int64_t){};
};

constexpr Partition kWindows{"block", part_windows, unite_windows};
constexpr Partition kGrid{"grid", part_grid, unite_grid};

/// Attention within the parts of a map with channels last, to `width` channels.
Value partition_attention(Builder& b, const std::string& name, const Value& x, const Plan& plan,
                          const Partition& partition, std::int64_t side, std::int64_t width) {
  const std::int64_t heads = x.shape.back() / kHeadWidth;
  Value y = partition.part(b, name + ".part", x, side);
  const HeadTriple triple = project_heads(b, name + ".qkv", y, heads);
  const Value bias = bias_of(b, name + ".rel_pos", plan, side, heads);
  y = unite_heads(b, name + ".context", attend(b, name, triple, {bias}));
  y = linear(b, name + ".proj", y, width);
  return partition.unite(b, name + ".unite", y, x.shape[1], x.shape[2]);
}

Value scaled(Builder& b, const std::string& name, const Value& x, const Plan& plan) {
  return plan.scale == Scale::Trained ? layer_scale(b, name, x) : x;
}

/// The attended tokens added to their input, then the feed-forward's.
Value residuals(Builder& b, const std::string& name, const Value& x, const Value& attended,
                const Plan& plan) {
  const Value middle =
      binary(b, name + ".add1", "Add", x, scaled(b, name + ".ls1", attended, plan));
  Value y = layer_norm(b, name + ".norm2", middle, kEpsilon);
  y = mlp(b, name + ".mlp", y, kExpansion * x.shape.back(),
          plan.form == Form::Paper ? approximate_gelu : gelu);
  return binary(b, name + ".add2", "Add", middle, scaled(b, name + ".ls2", y, plan));
}

Value attention_in_turn(Builder& b, const std::string& name, Value x, const Plan& plan,
                        std::int64_t side) {
  for (const Partition& partition : {kWindows, kGrid}) {
    const std::string place = name + ".attn_" + partition.name;
    Value y = layer_norm(b, place + ".norm1", x, kEpsilon);
    y = partition_attention(b, place + ".attn", y, plan, partition, side, x.shape.back());
    x = residuals(b, place, x, y, plan);
  }
  return x;
}

Value attention_side_by_side(Builder& b, const std::string& name, const Value& x, const Plan& plan,
                             std::int64_t side) {
  const Value normed = layer_norm(b, name + ".norm1", x, kEpsilon);
  std::vector<Value> halves;
  for (const Partition& partition : {kWindows, kGrid}) {
    halves.push_back(partition_attention(b, name + ".attn_" + partition.name, normed, plan,
                                         partition, side, x.shape.back() / 2));
  }
  return residuals(b, name, x, concat(b, name + ".concat", halves, 3), plan);
}

Value block(Builder& b, const std::string& name, const Value& x, const Plan& plan,
            std::int64_t width, std::int64_t stride, std::int64_t side) {
  const bool in_turn = plan.attention == Attention::InTurn;
  Value y = conv_block(b, name + (in_turn ? ".conv" : ".conv.0"), x, plan, width, stride);
  if (!in_turn) y = conv_block(b, name + ".conv.1", y, plan, width, 1);
  y = channels_last(b, name + ".last", y);
  y = in_turn ? attention_in_turn(b, name, y, plan, side)
              : attention_side_by_side(b, name + ".attn", y, plan, side);
  return channels_first(b, name + ".first", y);
}

Value stem(Builder& b, const Value& image, const Plan& plan) {
  const Bias bias = plan.form == Form::Paper ? Bias::Trained : Bias::None;
  Value x = conv3x3(b, "stem.conv1", image, plan,
                    {.channels = plan.stem[0], .stride = {2}, .bias = bias});
  x = plan.conv == ConvBlock::ConvNext ? layer_norm_of_map(b, "stem.norm1", x, kEpsilon)
                                       : batch_norm(b, "stem.norm1", x);
  x = activation_of(plan)(b, "stem.norm1.act", x);
  return conv3x3(b, "stem.conv2", x, plan, {.channels = plan.stem[1], .bias = bias});
}

Value head(Builder& b, const Value& x, const Plan& plan) {
  if (plan.head == Head::Plain) {
    return classifier(b, "head", "head.fc", layer_norm_of_map(b, "norm", x, kEpsilon));
  }
  Value y = global_average_pool(b, "head.global_pool", x);
  y = flatten(b, "head.flatten", layer_norm_of_map(b, "head.norm", y, kEpsilon));
  y = linear(b, "head.pre_logits.fc", y, plan.widths.back());
  return linear(b, "head.fc", tanh(b, "head.pre_logits.act", y), plan.classes);
}

void build_maxvit(Builder& b, const Plan& plan, std::int64_t image) {
  Value x = stem(b, b.input("input", {kBatch, 3, image, image}), plan);
  for (std::size_t stage = 0; stage < plan.depths.size(); ++stage) {
    for (std::int64_t index = 0; index < plan.depths[stage]; ++index) {
      const std::string name =
          "stages." + std::to_string(stage) + ".blocks." + std::to_string(index);
      x = block(b, name, x, plan, plan.widths[stage], index == 0 ? 2 : 1, image / kReduction);
    }
  }
  b.output(head(b, x, plan));
}

constexpr PerStage kWidths32{32, 64, 128, 256};
constexpr PerStage kWidths64{64, 128, 256, 512};
constexpr PerStage kWidths96{96, 192, 384, 768};
constexpr PerStage kWidths128{128, 256, 512, 1024};
constexpr PerStage kWidths192{192, 384, 768, 1536};
constexpr PerStage kNano{1, 2, 3, 1};
constexpr PerStage kSmall{2, 2, 5, 2};
constexpr PerStage kBase{2, 6, 14, 2};

constexpr Plan paper(PerStage widths, PerStage depths, std::int64_t stem,
                     std::int64_t classes = 1000) {
  return {.form = Form::Paper,
          .widths = widths,
          .depths = depths,
          .stem = {stem, stem},
          .head = Head::Hidden,
          .classes = classes};
}

constexpr Plan own(PerStage widths, PerStage depths, std::array<std::int64_t, 2> stem) {
  return {.form = Form::Own, .widths = widths, .depths = depths, .stem = stem};
}

constexpr Plan network(PerStage widths, PerStage depths, std::array<std::int64_t, 2> stem,
                       Head head = Head::Plain) {
  return {.form = Form::Network, .widths = widths, .depths = depths, .stem = stem, .head = head};
}

constexpr Plan scaled(Plan plan) {
  plan.scale = Scale::Trained;
  return plan;
}

constexpr Plan convnext(PerStage widths, PerStage depths, std::array<std::int64_t, 2> stem) {
  Plan plan = network(widths, depths, stem);
  plan.conv = ConvBlock::ConvNext;
  return scaled(plan);
}

constexpr Plan side_by_side(Plan plan) {
  plan.attention = Attention::SideBySide;
  return plan;
}

// clang-format off
constexpr auto kModels = std::to_array<TimmModel<Plan>>({
    {"maxvit_base_tf_224", 224, paper(kWidths96, kBase, 64)},
    {"maxvit_base_tf_384", 384, paper(kWidths96, kBase, 64)},
    {"maxvit_base_tf_512", 512, paper(kWidths96, kBase, 64)},
    {"maxvit_large_tf_224", 224, paper(kWidths128, kBase, 128)},
    {"maxvit_large_tf_384", 384, paper(kWidths128, kBase, 128)},
    {"maxvit_large_tf_512", 512, paper(kWidths128, kBase, 128)},
    {"maxvit_nano_rw_256", 256, own(kWidths64, kNano, {32, 64})},
    {"maxvit_pico_rw_256", 256, own(kWidths32, kSmall, {24, 32})},
    {"maxvit_rmlp_base_rw_224", 224, network(kWidths96, kBase, {32, 64}, Head::Hidden)},
    {"maxvit_rmlp_base_rw_384", 384, network(kWidths96, kBase, {32, 64}, Head::Hidden)},
    {"maxvit_rmlp_nano_rw_256", 256, network(kWidths64, kNano, {32, 64})},
    {"maxvit_rmlp_pico_rw_256", 256, network(kWidths32, kSmall, {24, 32})},
    {"maxvit_rmlp_small_rw_224", 224, scaled(network(kWidths96, kSmall, {32, 64}))},
    {"maxvit_rmlp_small_rw_256", 256, scaled(network(kWidths96, kSmall, {32, 64}))},
    {"maxvit_rmlp_tiny_rw_256", 256, network(kWidths64, kSmall, {32, 64})},
    {"maxvit_small_tf_224", 224, paper(kWidths96, kSmall, 64)},
    {"maxvit_small_tf_384", 384, paper(kWidths96, kSmall, 64)},
    {"maxvit_small_tf_512", 512, paper(kWidths96, kSmall, 64)},
    {"maxvit_tiny_pm_256", 256, side_by_side(own(kWidths64, kSmall, {32, 64}))},
    {"maxvit_tiny_rw_224", 224, own(kWidths64, kSmall, {32, 64})},
    {"maxvit_tiny_rw_256", 256, own(kWidths64, kSmall, {32, 64})},
    {"maxvit_tiny_tf_224", 224, paper(kWidths64, kSmall, 64)},
    {"maxvit_tiny_tf_384", 384, paper(kWidths64, kSmall, 64)},
    {"maxvit_tiny_tf_512", 512, paper(kWidths64, kSmall, 64)},
    {"maxvit_xlarge_tf_224", 224, paper(kWidths192, kBase, 192, 21'843)},
    {"maxvit_xlarge_tf_384", 384, paper(kWidths192, kBase, 192)},
    {"maxvit_xlarge_tf_512", 512, paper(kWidths192, kBase, 192)},
    {"maxxvit_rmlp_nano_rw_256", 256, convnext(kWidths64, kNano, {32, 64})},
    {"maxxvit_rmlp_small_rw_256", 256, convnext(kWidths96, kSmall, {48, 96})},
    {"maxxvit_rmlp_tiny_rw_256", 256, convnext(kWidths64, kSmall, {32, 64})},
});
// clang-format on

}  // namespace

std::vector<Entry> timm_maxvit_family() {
  return timm_entries(kModels, "MaxViT, ImageNet (arXiv:2204.01697, timm)", build_maxvit,
                      {.step = kReduction});
}

}  // namespace horus::zoo
