// SPDX-License-Identifier: Apache-2.0
// VOLO (Yuan et al. 2021, arXiv:2106.13112) as timm builds it: outlook attention, whose weights are
// a linear layer of the token at the window's centre, then attention, then two layers of class
// attention. Half of the best patch's prediction is added to that of the class token.

#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/multi_head.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {
namespace {

struct Plan {
  std::array<std::int64_t, 4> depths{};
  std::int64_t outlook_width{};
  std::int64_t width{};
  std::int64_t heads{};
  std::int64_t stem{64};
  std::int64_t expansion{3};
};

constexpr double kEpsilon = 1e-5;
constexpr std::int64_t kHeadWidth = 32;  // Of outlook attention.
constexpr std::int64_t kKernel = 3;
constexpr std::int64_t kStride = 2;
constexpr std::int64_t kPadding = 1;
constexpr std::int64_t kWindow = kKernel * kKernel;
constexpr std::int64_t kClasses = 1000;
constexpr std::int64_t kClassLayers = 2;

/// The windows of a map, (batch, channels, 9, windows): rows, then columns, are gathered.
Value unfold(Builder& b, const std::string& name, const Value& x) {
  const std::int64_t channels = x.shape[1];
  const std::int64_t padded = x.shape[2] + 2 * kPadding;
  const std::int64_t windows = (padded - kKernel) / kStride + 1;
  const Value pads = b.integers({0, 0, kPadding, kPadding, 0, 0, kPadding, kPadding});
  const Value framed =
      b.add({.name = name + ".pad", .op_type = "Pad", .inputs = {x.name, pads.name}},
            {kBatch, channels, padded, padded});
  const Value places = b.buffer(name + ".places", {kKernel, windows}, ElementType::Int64);
  const Value rows = b.add({.name = name + ".rows",
                            .op_type = "Gather",
                            .inputs = {framed.name, places.name},
                            .attributes = {{"axis", std::int64_t{2}}}},
                           {kBatch, channels, kKernel, windows, padded});
  const Value both = b.add({.name = name + ".columns",
                            .op_type = "Gather",
                            .inputs = {rows.name, places.name},
                            .attributes = {{"axis", std::int64_t{4}}}},
                           {kBatch, channels, kKernel, windows, kKernel, windows});
  const Value ordered = transpose(b, name + ".order", both, {0, 1, 2, 4, 3, 5});
  return shaped(b, name, ordered, {kBatch, channels, kWindow, windows * windows});
}

/// The sum of what overlapping windows hold for each place of a map of side `side`; `x` is
/// (batch, channels, 9 * windows).
Value fold(Builder& b, const std::string& name, const Value& x, std::int64_t side) {
  const std::int64_t channels = x.shape[1];
  const std::int64_t members = x.shape[2];
  const std::int64_t padded = side + 2 * kPadding;
  const Value zero = b.buffer(name + ".zeros", {1, channels, padded * padded});
  const Value index = b.buffer(name + ".places", {1, channels, members}, ElementType::Int64);
  const Value canvas = repeat_for_batch(b, name + ".canvas", zero, x);
  Value places = repeat_for_batch(b, name + ".index", index, x);
  places.type = ElementType::Int64;
  const Value sums =
      b.add({.name = name + ".sums",
             .op_type = "ScatterElements",
             .inputs = {canvas.name, places.name, x.name},
             .attributes = {{"axis", std::int64_t{2}}, {"reduction", std::string{"add"}}}},
            canvas.shape);
  Value y = shaped(b, name + ".framed", sums, {kBatch, channels, padded, padded});
  y = slice(b, name + ".rows", y, 2, kPadding, kPadding + side);
  return slice(b, name, y, 3, kPadding, kPadding + side);
}

/// Each window's values, mixed by weights that its centre alone decides. `x` is channels last.
Value outlook_attention(Builder& b, const std::string& name, const Value& x) {
  const std::int64_t side = x.shape[1];
  const std::int64_t width = x.shape[3];
  const std::int64_t heads = width / kHeadWidth;
  Value v = channels_first(b, name + ".v.first", linear(b, name + ".v", x, width, Bias::None));
  v = unfold(b, name + ".unfold", v);
  const std::int64_t windows = v.shape[3];
  v = shaped(b, name + ".v.heads", v, {kBatch, heads, kHeadWidth, kWindow, windows});
  v = transpose(b, name + ".v.order", v, {0, 1, 4, 3, 2});
  Value weights = channels_first(b, name + ".centre", x);
  weights = average_pool(b, name + ".pool", weights,
                         {.kernel = {kStride}, .stride = {kStride}, .rounding = Rounding::Up});
  weights = linear(b, name + ".attn", channels_last(b, name + ".pooled", weights),
                   kWindow * kWindow * heads);
  weights = shaped(b, name + ".attn.heads", weights, {kBatch, windows, heads, kWindow, kWindow});
  weights = transpose(b, name + ".attn.order", weights, {0, 2, 1, 3, 4});
  const double scale = 1 / std::sqrt(static_cast<double>(kHeadWidth));
  weights = binary(b, name + ".scale", "Mul", weights, b.number(scale));
  Value y = weigh(b, name, weights, v);
  y = transpose(b, name + ".back", y, {0, 1, 4, 3, 2});
  y = shaped(b, name + ".windows", y, {kBatch, width, kWindow * windows});
  y = channels_last(b, name + ".last", fold(b, name + ".fold", y, side));
  return linear(b, name + ".proj", y, width);
}

/// Attention between all tokens of a map with channels last.
Value attention(Builder& b, const std::string& name, const Value& x, std::int64_t heads) {
  const Value tokens =
      shaped(b, name + ".tokens", x, {kBatch, x.shape[1] * x.shape[2], x.shape[3]});
  const Value y = self_attention(b, name, tokens, {.heads = heads, .bias = Bias::None});
  return shaped(b, name + ".map", y, x.shape);
}

enum class Attention { Outlook, Full };

Value block(Builder& b, const std::string& name, const Value& x, const Plan& plan, Attention kind) {
  Value y = layer_norm(b, name + ".norm1", x, kEpsilon);
  y = kind == Attention::Outlook ? outlook_attention(b, name + ".attn", y)
                                 : attention(b, name + ".attn", y, plan.heads);
  const Value middle = binary(b, name + ".add1", "Add", x, y);
  y = layer_norm(b, name + ".norm2", middle, kEpsilon);
  y = mlp(b, name + ".mlp", y, plan.expansion * x.shape.back());
  return binary(b, name + ".add2", "Add", middle, y);
}

/// The class token attends to all; keys and values come from one layer, and nothing has a bias.
Value class_attention_unbiased(Builder& b, const std::string& name, const Value& x,
                               std::int64_t heads) {
  const std::int64_t width = x.shape.back();
  const std::vector<Value> pair =
      split_last(b, name + ".kv.split", linear(b, name + ".kv", x, 2 * width, Bias::None), 2);
  const Value first = slice(b, name + ".class", x, 1, 0, 1);
  HeadTriple parts;
  parts.query =
      part_heads(b, name + ".query", linear(b, name + ".q", first, width, Bias::None), heads);
  parts.key = part_heads(b, name + ".key", pair[0], heads);
  parts.value = part_heads(b, name + ".value", pair[1], heads);
  const Value y = unite_heads(b, name + ".context", attend(b, name + ".attend", parts));
  return linear(b, name + ".proj", y, width);
}

Value class_block(Builder& b, const std::string& name, const Value& x, const Plan& plan) {
  Value token = slice(b, name + ".first", x, 1, 0, 1);
  const Value normed = layer_norm(b, name + ".norm1", x, kEpsilon);
  token = binary(b, name + ".add1", "Add", token,
                 class_attention_unbiased(b, name + ".attn", normed, plan.heads));
  const Value y = mlp(b, name + ".mlp", layer_norm(b, name + ".norm2", token, kEpsilon),
                      plan.expansion * plan.width);
  token = binary(b, name + ".add2", "Add", token, y);
  const Value rest = slice(b, name + ".rest", x, 1, 1, x.shape[1]);
  return concat(b, name, std::vector<Value>{token, rest}, 1);
}

Value patch_embed(Builder& b, const Value& image, const Plan& plan) {
  Value x = image;
  for (const int layer : {0, 3, 6}) {
    const std::string name = "patch_embed.conv.";
    ConvSpec spec = centred(plan.stem, layer == 0 ? 7 : 3, layer == 0 ? 2 : 1);
    x = conv(b, name + std::to_string(layer), x, spec);
    x = batch_norm(b, name + std::to_string(layer + 1), x);
    x = relu(b, name + std::to_string(layer + 2), x);
  }
  return channels_last(b, "patch_embed", patchify(b, "patch_embed.proj", x, plan.outlook_width, 4));
}

Value head(Builder& b, const Value& x) {
  const Value from_class = linear(b, "head", pick(b, "pool", x, 1, 0), kClasses);
  const Value patches = slice(b, "patches", x, 1, 1, x.shape[1]);
  const Value each = linear(b, "aux_head", patches, kClasses);
  const Value best =
      b.add({.name = "aux_head.max",
             .op_type = "ReduceMax",
             .inputs = {each.name},
             .attributes = {{"axes", std::vector<std::int64_t>{1}}, {"keepdims", std::int64_t{0}}}},
            {kBatch, kClasses});
  return binary(b, "sum", "Add", from_class, binary(b, "half", "Mul", best, b.number(0.5)));
}

void build_volo(Builder& b, const Plan& plan, std::int64_t image) {
  Value x = patch_embed(b, b.input("input", {kBatch, 3, image, image}), plan);
  for (std::int64_t index = 0; index < plan.depths[0]; ++index) {
    x = block(b, "network.0." + std::to_string(index), x, plan, Attention::Outlook);
  }
  x = patchify(b, "network.1.proj", channels_first(b, "network.1.first", x), plan.width, 2);
  x = channels_last(b, "network.1", x);
  const Value places = b.parameter("pos_embed", {1, x.shape[1], x.shape[2], plan.width});
  x = binary(b, "pos_embed.add", "Add", x, places);
  for (std::size_t stage = 1; stage < plan.depths.size(); ++stage) {
    for (std::int64_t index = 0; index < plan.depths[stage]; ++index) {
      const std::string name = "network." + std::to_string(stage + 1) + "." + std::to_string(index);
      x = block(b, name, x, plan, Attention::Full);
    }
  }
  x = shaped(b, "tokens", x, {kBatch, x.shape[1] * x.shape[2], plan.width});
  const Value token = b.parameter("cls_token", {1, 1, plan.width});
  const Value first = repeat_for_batch(b, "cls_token.expand", token, x);
  x = concat(b, "sequence", std::vector<Value>{first, x}, 1);
  for (std::int64_t layer = 0; layer < kClassLayers; ++layer) {
    x = class_block(b, "post_network." + std::to_string(layer), x, plan);
  }
  b.output(head(b, layer_norm(b, "norm", x, kEpsilon)));
}

constexpr Plan kD1{{4, 4, 8, 2}, 192, 384, 12};
constexpr Plan kD2{{6, 4, 10, 4}, 256, 512, 16};
constexpr Plan kD3{{8, 8, 16, 4}, 256, 512, 16};
constexpr Plan kD4{{8, 8, 16, 4}, 384, 768, 16};
constexpr Plan kD5{{12, 12, 20, 4}, 384, 768, 16, 128, 4};

constexpr auto kModels = std::to_array<TimmModel<Plan>>({{"volo_d1_224", 224, kD1},
                                                         {"volo_d1_384", 384, kD1},
                                                         {"volo_d2_224", 224, kD2},
                                                         {"volo_d2_384", 384, kD2},
                                                         {"volo_d3_224", 224, kD3},
                                                         {"volo_d3_448", 448, kD3},
                                                         {"volo_d4_224", 224, kD4},
                                                         {"volo_d4_448", 448, kD4},
                                                         {"volo_d5_224", 224, kD5},
                                                         {"volo_d5_448", 448, kD5},
                                                         {"volo_d5_512", 512, kD5}});

}  // namespace

std::vector<Entry> timm_volo_family() {
  return timm_entries(kModels, "VOLO, ImageNet (arXiv:2106.13112, timm)", build_volo, {.step = 16});
}

}  // namespace horus::zoo
