// SPDX-License-Identifier: Apache-2.0
// MViTv2 (Li et al. 2022, arXiv:2112.01526) as timm builds it: queries, keys and values are pooled
// by depthwise convolutions, and scores have biases that queries and relative positions make.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/multi_head.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {
namespace {

using PerStage = std::array<std::int64_t, 4>;

/// Where a stage widens: in the attention of its first block, or in the feed-forward of the last
/// block of the stage before it.
enum class Widening { First, Before };
enum class ClassToken { Absent, Present };

struct Plan {
  std::int64_t width{};  ///< Of the first stage; each further one has twice that of the last.
  std::int64_t heads{};  ///< The same.
  PerStage depths{};
  ClassToken token{ClassToken::Absent};
  std::int64_t classes{1000};
  Widening widening{Widening::First};
};

constexpr double kEpsilon = 1e-6;
constexpr std::int64_t kExpansion = 4;
constexpr PerStage kKeyStrides{4, 2, 1, 1};

/// A sequence that fills a map of `side` by `side`, behind `prefix` class tokens.
struct Tokens {
  Value x;
  std::int64_t side{};
  std::int64_t prefix{};
};

/// What one block is, of its stage and place.
struct BlockSpec {
  std::int64_t attention_width{};
  std::int64_t width{};  ///< After the feed-forward.
  std::int64_t heads{};
  std::int64_t query_stride{1};
  std::int64_t key_stride{1};
};

std::int64_t pooled_side(std::int64_t side, std::int64_t stride) {
  return (side + stride - 1) / stride;
}

/// A depthwise 3x3 convolution over the tokens' map, the same for each head, and a norm. `x` is
/// (batch, heads, tokens, width).
Value pool_heads(Builder& b, const std::string& place, const std::string& which, const Value& x,
                 const Tokens& tokens, std::int64_t stride) {
  const std::string name = place + ".pool_" + which;
  const std::int64_t heads = x.shape[1];
  const std::int64_t width = x.shape[3];
  const std::int64_t side = tokens.side;
  const Value patches =
      tokens.prefix == 0 ? x : slice(b, name + ".patches", x, 2, tokens.prefix, x.shape[2]);
  // Heads of the whole batch: an axis of unknown length, as the batch is.
  Value y =
      reshape(b, name + ".maps", patches, {-1, side, side, width}, {kBatch, side, side, width});
  y = conv(b, name, channels_first(b, name + ".first", y), centred(width, 3, stride, width));
  const std::int64_t count = y.shape[2] * y.shape[3];
  y = reshape(b, name + ".rows", y, {-1, heads, width, count}, {kBatch, heads, width, count});
  y = swap_last(b, name + ".tokens", y);
  if (tokens.prefix != 0) {
    const Value first = slice(b, name + ".class", x, 2, 0, tokens.prefix);
    y = concat(b, name + ".joined", std::vector<Value>{first, y}, 2);
  }
  return layer_norm(b, place + ".norm_" + which, y, kEpsilon);
}

/// The products of queries, (batch, heads, side, side, width), with a trained vector for each
/// distance along one axis.
Value distance_scores(Builder& b, const std::string& name, const Value& query,
                      const std::string& equation, std::int64_t keys) {
  const std::int64_t side = query.shape[2];
  const std::int64_t width = query.shape[4];
  const Value table = b.parameter(name, {2 * std::max(side, keys) - 1, width});
  const Value index = b.buffer(name + ".index", {side, keys}, ElementType::Int64);
  const Value rows = embedding(b, name + ".rows", table, index);
  return b.add({.name = name + ".scores",
                .op_type = "Einsum",
                .inputs = {query.name, rows.name},
                .attributes = {{"equation", equation}}},
               {kBatch, query.shape[1], side, side, keys});
}

/// Scores between patches plus those of their distances, along rows and columns.
Value add_distances(Builder& b, const std::string& name, const Value& scores, const Value& query,
                    std::int64_t side, std::int64_t keys) {
  const std::int64_t heads = query.shape[1];
  const Value map = shaped(b, name + ".q_map", query, {kBatch, heads, side, side, query.shape[3]});
  Value rows = distance_scores(b, name + ".rel_pos_h", map, "byhwc,hkc->byhwk", keys);
  Value columns = distance_scores(b, name + ".rel_pos_w", map, "byhwc,wkc->byhwk", keys);
  rows = shaped(b, name + ".rel_h", rows, {kBatch, heads, side, side, keys, 1});
  columns = shaped(b, name + ".rel_w", columns, {kBatch, heads, side, side, 1, keys});
  Value y = shaped(b, name + ".parts", scores, {kBatch, heads, side, side, keys, keys});
  y = binary(b, name + ".add_h", "Add", y, rows);
  y = binary(b, name + ".add_w", "Add", y, columns);
  return shaped(b, name + ".scores.placed", y, scores.shape);
}

/// The same where a class token has scores too, which stay as they are.
Value add_distances_behind_class(Builder& b, const std::string& name, const Value& scores,
                                 const Value& query, std::int64_t side, std::int64_t keys) {
  const std::int64_t queries = scores.shape[2];
  const Value patches = slice(b, name + ".q_patches", query, 2, 1, queries);
  const Value first = slice(b, name + ".first_row", scores, 2, 0, 1);
  const Value others = slice(b, name + ".rows", scores, 2, 1, queries);
  const Value edge = slice(b, name + ".first_column", others, 3, 0, 1);
  Value inner = slice(b, name + ".inner", others, 3, 1, scores.shape[3]);
  inner = add_distances(b, name, inner, patches, side, keys);
  inner = concat(b, name + ".columns.joined", std::vector<Value>{edge, inner}, 3);
  return concat(b, name + ".rows.joined", std::vector<Value>{first, inner}, 2);
}

Value attention(Builder& b, const std::string& name, const Tokens& tokens, const BlockSpec& spec) {
  const Value all = linear(b, name + ".qkv", tokens.x, 3 * spec.attention_width);
  const std::vector<Value> parts = split_last(b, name + ".split", all, 3);
  Value query = part_heads(b, name + ".query", parts[0], spec.heads);
  query = pool_heads(b, name, "q", query, tokens, spec.query_stride);
  Value key = part_heads(b, name + ".key", parts[1], spec.heads);
  key = pool_heads(b, name, "k", key, tokens, spec.key_stride);
  Value value = part_heads(b, name + ".value", parts[2], spec.heads);
  value = pool_heads(b, name, "v", value, tokens, spec.key_stride);
  const double scale = 1 / std::sqrt(static_cast<double>(query.shape[3]));
  const Value scaled = binary(b, name + ".scale", "Mul", query, b.number(scale));
  Value scores = matmul(b, name + ".qk", scaled, swap_last(b, name + ".kt", key));
  const std::int64_t side = pooled_side(tokens.side, spec.query_stride);
  const std::int64_t keys = pooled_side(tokens.side, spec.key_stride);
  scores = tokens.prefix == 0 ? add_distances(b, name, scores, query, side, keys)
                              : add_distances_behind_class(b, name, scores, query, side, keys);
  Value y = binary(b, name + ".residual", "Add", weigh(b, name, scores, value), query);
  y = unite_heads(b, name + ".unite", y);
  return linear(b, name + ".proj", y, spec.attention_width);
}

/// The shortcut at half the side: a max pool of the patches.
Value pool_shortcut(Builder& b, const std::string& name, const Value& x, const Tokens& tokens) {
  const Value patches =
      tokens.prefix == 0 ? x : slice(b, name + ".patches", x, 1, tokens.prefix, x.shape[1]);
  Value y = tokens_to_map(b, name + ".map", patches, tokens.side, tokens.side);
  y = max_pool(b, name, y, {.kernel = {3}, .stride = {2}, .padding = {1}});
  y = map_to_tokens(b, name + ".tokens", y);
  if (tokens.prefix == 0) return y;
  const Value first = slice(b, name + ".class", x, 1, 0, tokens.prefix);
  return concat(b, name + ".joined", std::vector<Value>{first, y}, 1);
}

Tokens block(Builder& b, const std::string& name, const Tokens& tokens, const BlockSpec& spec) {
  Tokens normed = tokens;
  normed.x = layer_norm(b, name + ".norm1", tokens.x, kEpsilon);
  Value carried = tokens.x;
  if (spec.attention_width != tokens.x.shape[2]) {
    carried = linear(b, name + ".shortcut_proj_attn", normed.x, spec.attention_width);
  }
  if (spec.query_stride != 1) {
    carried = pool_shortcut(b, name + ".shortcut_pool_attn", carried, tokens);
  }
  Value x = attention(b, name + ".attn", normed, spec);
  x = binary(b, name + ".add1", "Add", carried, x);
  Value y = layer_norm(b, name + ".norm2", x, kEpsilon);
  if (spec.width != spec.attention_width) {
    x = linear(b, name + ".shortcut_proj_mlp", y, spec.width);
  }
  y = linear(b, name + ".mlp.fc1", y, kExpansion * spec.attention_width);
  y = linear(b, name + ".mlp.fc2", gelu(b, name + ".mlp.act", y), spec.width);
  return {.x = binary(b, name + ".add2", "Add", x, y),
          .side = pooled_side(tokens.side, spec.query_stride),
          .prefix = tokens.prefix};
}

BlockSpec spec_of(const Plan& plan, std::size_t stage, std::int64_t index) {
  const bool last = index + 1 == plan.depths[stage] && stage + 1 < plan.depths.size();
  const std::int64_t width = plan.width << stage;
  const bool widens = last && plan.widening == Widening::Before;
  return {.attention_width = width,
          .width = widens ? 2 * width : width,
          .heads = plan.heads << stage,
          .query_stride = stage > 0 && index == 0 ? 2 : 1,
          .key_stride = kKeyStrides[stage]};
}

void build_mvit(Builder& b, const Plan& plan, std::int64_t image) {
  const Value map = conv(b, "patch_embed.proj", b.input("input", {kBatch, 3, image, image}),
                         {.channels = plan.width,
                          .kernel = {7},
                          .stride = {4},
                          .padding = {3},
                          .bias = Bias::Trained});
  Tokens tokens{.x = map_to_tokens(b, "patch_embed", map), .side = map.shape[2]};
  if (plan.token == ClassToken::Present) {
    const Value token = b.parameter("cls_token", {1, 1, plan.width});
    const Value first = repeat_for_batch(b, "cls_token.expand", token, tokens.x);
    tokens.x = concat(b, "tokens", std::vector<Value>{first, tokens.x}, 1);
    tokens.prefix = 1;
  }
  for (std::size_t stage = 0; stage < plan.depths.size(); ++stage) {
    for (std::int64_t index = 0; index < plan.depths[stage]; ++index) {
      const std::string name =
          "stages." + std::to_string(stage) + ".blocks." + std::to_string(index);
      tokens = block(b, name, tokens, spec_of(plan, stage, index));
    }
  }
  const Value x = layer_norm(b, "norm", tokens.x, kEpsilon);
  const Value pooled = tokens.prefix == 0 ? mean_over(b, "pool", x, 1) : pick(b, "pool", x, 1, 0);
  b.output(linear(b, "head.fc", pooled, plan.classes));
}

constexpr std::int64_t kImageNet21k = 19'168;
constexpr PerStage kSmall{1, 2, 11, 2};
constexpr PerStage kBase{2, 3, 16, 3};
constexpr PerStage kLarge{2, 6, 36, 4};

// clang-format off
constexpr auto kModels = std::to_array<TimmModel<Plan>>({
    {"mvitv2_tiny", 224, {96, 1, {1, 2, 5, 2}}},
    {"mvitv2_small", 224, {96, 1, kSmall}},
    {"mvitv2_base", 224, {96, 1, kBase}},
    {"mvitv2_large", 224, {144, 2, kLarge, ClassToken::Absent, 1000, Widening::Before}},
    {"mvitv2_small_cls", 224, {96, 1, kSmall, ClassToken::Present}},
    {"mvitv2_base_cls", 224, {96, 1, kBase, ClassToken::Present, kImageNet21k}},
    {"mvitv2_large_cls", 224, {144, 2, kLarge, ClassToken::Present, kImageNet21k}},
    {"mvitv2_huge_cls", 224, {192, 3, {4, 8, 60, 8}, ClassToken::Present, kImageNet21k}},
});
// clang-format on

}  // namespace

std::vector<Entry> timm_mvit_family() {
  return timm_entries(kModels, "MViTv2, ImageNet (arXiv:2112.01526, timm)", build_mvit,
                      {.step = 32});
}

}  // namespace horus::zoo
