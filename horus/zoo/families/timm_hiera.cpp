// SPDX-License-Identifier: Apache-2.0
// Hiera (Ryali et al. 2023, arXiv:2306.00989) as timm builds it: a hierarchical transformer without
// convolutions. Tokens are ordered once so that later pools and windows are reshapes: the first
// axes of a token's number are its places in windows of 2, 4 and 8, the last its window.

#include <array>
#include <string>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/multi_head.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {
namespace {

enum class Positions {
  Global,        ///< A trained vector for each token.
  Window,        ///< One for each place in a window, repeated, plus a coarse map, enlarged.
  WindowPooled,  ///< As Window, and stages widen by two pools in place of a linear layer.
};

struct Plan {
  std::int64_t width{};
  std::int64_t heads{};
  std::array<std::int64_t, 4> depths{};
  Positions positions{Positions::Global};
  std::int64_t coarse{14};  ///< Side of the coarse map.
};

constexpr double kEpsilon = 1e-6;
constexpr std::int64_t kWindow = 8;  // Side of a window of the first stage, in tokens.
constexpr std::int64_t kPooled = 4;  // Tokens that become one between two stages.
constexpr std::int64_t kExpansion = 4;

/// The enlarged coarse map plus the repeated window, as tokens.
Value windowed_positions(Builder& b, const Plan& plan, std::int64_t side) {
  const Value coarse = b.parameter("pos_embed", {1, plan.width, plan.coarse, plan.coarse});
  const Value window = b.parameter("pos_embed_win", {1, plan.width, kWindow, kWindow});
  const Value repeats = b.integers({1, 1, side / kWindow, side / kWindow});
  const Shape shape{1, plan.width, side, side};
  const Value tiled = b.add(
      {.name = "pos_embed_win.tile", .op_type = "Tile", .inputs = {window.name, repeats.name}},
      shape);
  Value enlarged = coarse;
  if (side != plan.coarse) {
    const Value sizes = b.integers(shape);
    enlarged = b.add({.name = "pos_embed.resize",
                      .op_type = "Resize",
                      .inputs = {coarse.name, "", "", sizes.name},
                      .attributes = {{"mode", std::string{"cubic"}}}},
                     shape);
  }
  const Value sum = binary(b, "pos_embed.sum", "Add", enlarged, tiled);
  const Value rows = shaped(b, "pos_embed.flatten", sum, {1, plan.width, side * side});
  return transpose(b, "pos_embed.tokens", rows, {0, 2, 1});
}

/// Tokens of a map of side `side` in the order that pools and windows want.
Value unroll(Builder& b, const Value& x, std::int64_t side) {
  const std::int64_t windows = side / kWindow;
  const std::int64_t width = x.shape[2];
  const Value cut = shaped(b, "unroll.cut", x, {kBatch, windows, 2, 2, 2, windows, 2, 2, 2, width});
  const Value ordered = transpose(b, "unroll.order", cut, {0, 4, 8, 3, 7, 2, 6, 1, 5, 9});
  return shaped(b, "unroll", ordered, x.shape);
}

/// The largest, or the mean, of each four tokens that `x` holds side by side.
Value pool_tokens(Builder& b, const std::string& name, const Value& x, std::string_view reduction) {
  const std::int64_t tokens = x.shape[1] / kPooled;
  const Value parted = shaped(b, name + ".parts", x, {kBatch, kPooled, tokens, x.shape[2]});
  return b.add(
      {.name = name,
       .op_type = std::string{reduction},
       .inputs = {parted.name},
       .attributes = {{"axes", std::vector<std::int64_t>{1}}, {"keepdims", std::int64_t{0}}}},
      {kBatch, tokens, x.shape[2]});
}

struct BlockSpec {
  std::int64_t width{};
  std::int64_t heads{};
  std::int64_t pooled{1};  ///< Queries that become one.
  std::int64_t window{};   ///< Queries in a window after the pool; 0: one window for all.
};

/// (batch, tokens, width) to (batch, windows, tokens of a window, width).
Value part(Builder& b, const std::string& name, const Value& x, std::int64_t windows) {
  const std::int64_t inside = x.shape[1] / windows;
  const Value cut = shaped(b, name + ".cut", x, {kBatch, inside, windows, x.shape[2]});
  return transpose(b, name, cut, {0, 2, 1, 3});
}

Value attention(Builder& b, const std::string& name, const Value& x, const BlockSpec& spec) {
  const std::int64_t queries = x.shape[1] / spec.pooled;
  const std::int64_t windows = spec.window == 0 ? 1 : queries / spec.window;
  const std::vector<Value> parts =
      split_last(b, name + ".qkv.split", linear(b, name + ".qkv", x, 3 * spec.width), 3);
  const Value pooled =
      spec.pooled == 1 ? parts[0] : pool_tokens(b, name + ".q_pool", parts[0], "ReduceMax");
  HeadTriple heads;
  heads.query = part_heads(b, name + ".q.heads", part(b, name + ".q", pooled, windows), spec.heads);
  heads.key = part_heads(b, name + ".k.heads", part(b, name + ".k", parts[1], windows), spec.heads);
  heads.value =
      part_heads(b, name + ".v.heads", part(b, name + ".v", parts[2], windows), spec.heads);
  const Value y = unite_heads(b, name + ".context", attend(b, name + ".attend", heads));
  const Value back = transpose(b, name + ".back", y, {0, 2, 1, 3});
  return linear(b, name + ".proj", shaped(b, name + ".tokens", back, {kBatch, queries, spec.width}),
                spec.width);
}

/// The input of a block that widens, as its output needs it.
Value widened(Builder& b, const std::string& name, const Value& x, const Value& normed,
              const BlockSpec& spec, Positions positions) {
  if (positions != Positions::WindowPooled) {
    return pool_tokens(b, name + ".pool", linear(b, name + ".proj", normed, spec.width),
                       "ReduceMax");
  }
  const Value largest = pool_tokens(b, name + ".max", x, "ReduceMax");
  const Value mean = pool_tokens(b, name + ".mean", x, "ReduceMean");
  return concat(b, name + ".pools", std::vector<Value>{largest, mean}, 2);
}

Value block(Builder& b, const std::string& name, const Value& x, const BlockSpec& spec,
            Positions positions) {
  const auto scaled = [&](const std::string& place, const Value& branch) {
    return positions == Positions::Global ? branch : layer_scale(b, place, branch);
  };
  const Value normed = layer_norm(b, name + ".norm1", x, kEpsilon);
  const Value carried = spec.width == x.shape[2] ? x : widened(b, name, x, normed, spec, positions);
  Value y = scaled(name + ".ls1", attention(b, name + ".attn", normed, spec));
  const Value middle = binary(b, name + ".add1", "Add", carried, y);
  y = layer_norm(b, name + ".norm2", middle, kEpsilon);
  y = scaled(name + ".ls2", mlp(b, name + ".mlp", y, kExpansion * spec.width));
  return binary(b, name + ".add2", "Add", middle, y);
}

Value embed(Builder& b, const Plan& plan, std::int64_t image) {
  const Value map = conv(b, "patch_embed.proj", b.input("input", {kBatch, 3, image, image}),
                         {.channels = plan.width,
                          .kernel = {7},
                          .stride = {4},
                          .padding = {3},
                          .bias = Bias::Trained});
  const std::int64_t side = map.shape[2];
  const Value x = map_to_tokens(b, "patch_embed", map);
  const Value places = plan.positions == Positions::Global
                           ? b.parameter("pos_embed", {1, side * side, plan.width})
                           : windowed_positions(b, plan, side);
  return unroll(b, binary(b, "pos_embed.add", "Add", x, places), side);
}

void build_hiera(Builder& b, const Plan& plan, std::int64_t image) {
  Value x = embed(b, plan, image);
  BlockSpec spec{.width = plan.width, .heads = plan.heads, .window = kWindow * kWindow};
  std::int64_t number = 0;
  for (std::size_t stage = 0; stage < plan.depths.size(); ++stage) {
    for (std::int64_t index = 0; index < plan.depths[stage]; ++index) {
      const bool pools = stage > 0 && index == 0;
      // The block that pools still attends as those of the stage before it.
      if (pools) {
        spec.width *= 2;
        spec.heads *= 2;
        spec.window /= kPooled;
      } else if (stage >= 2) {
        spec.window = 0;
      }
      spec.pooled = pools ? kPooled : 1;
      x = block(b, "blocks." + std::to_string(number++), x, spec, plan.positions);
    }
  }
  x = layer_norm(b, "head.norm", mean_over(b, "head.global_pool", x, 1), kEpsilon);
  b.output(linear(b, "head.fc", x, 1000));
}

constexpr auto kModels = std::to_array<TimmModel<Plan>>(
    {{"hiera_tiny_224", 224, {96, 1, {1, 2, 7, 2}}},
     {"hiera_small_224", 224, {96, 1, {1, 2, 11, 2}}},
     {"hiera_base_224", 224, {96, 1, {2, 3, 16, 3}}},
     {"hiera_base_plus_224", 224, {112, 2, {2, 3, 16, 3}}},
     {"hiera_large_224", 224, {144, 2, {2, 6, 36, 4}}},
     {"hiera_huge_224", 224, {256, 4, {2, 6, 36, 4}}},
     {"hiera_small_abswin_256", 256, {96, 1, {1, 2, 11, 2}, Positions::WindowPooled, 16}},
     {"hiera_base_abswin_256", 256, {96, 1, {2, 3, 16, 3}, Positions::Window}}});

}  // namespace

std::vector<Entry> timm_hiera_family() {
  return timm_entries(kModels, "Hiera, ImageNet (arXiv:2306.00989, timm)", build_hiera,
                      {.step = 32});
}

}  // namespace horus::zoo
