// SPDX-License-Identifier: Apache-2.0
// timm's Swin Transformers: version 1 (arXiv:2103.14030) and its searched windows S3
// (arXiv:2111.14725), version 2 (arXiv:2111.09883), and an independent form of version 2 ("cr").

#include <algorithm>
#include <array>
#include <string>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/layers.hpp"
#include "horus/zoo/multi_head.hpp"
#include "horus/zoo/tokens.hpp"
#include "horus/zoo/windows.hpp"

namespace horus::zoo {
namespace {

enum class Version { One, Two, TwoCr };

using PerStage = std::array<std::int64_t, 4>;

struct Plan {
  Version version{};
  std::int64_t width{};  ///< Of the first stage; each further one has twice that of the last.
  PerStage depths{};
  PerStage heads{};
  PerStage windows{};           ///< Sides in tokens. 0: an eighth of the first stage's side.
  std::int64_t norm_period{0};  ///< Every so many blocks of a stage end with a further norm.
  bool norm_stages{false};      ///< Each stage ends with a further norm.
  std::int64_t classes{1000};
};

constexpr double kEpsilon = 1e-5;
constexpr std::int64_t kPatch = 4;
constexpr std::int64_t kInnerOfPositions = 512;  // Version 2.
constexpr std::int64_t kInnerOfPositionsCr = 384;
constexpr double kDropoutOfPositionsCr = 0.125;

constexpr PerStage kTinyDepths{2, 2, 6, 2};
constexpr PerStage kDepths{2, 2, 18, 2};
constexpr PerStage kHeads3{3, 6, 12, 24};
constexpr PerStage kHeads4{4, 8, 16, 32};
constexpr PerStage kHeads6{6, 12, 24, 48};

constexpr PerStage all(std::int64_t window) { return {window, window, window, window}; }

constexpr Plan v1(std::int64_t width, PerStage depths, PerStage heads, PerStage windows) {
  return {Version::One, width, depths, heads, windows};
}

constexpr Plan v2(std::int64_t width, PerStage depths, PerStage heads, std::int64_t window) {
  return {Version::Two, width, depths, heads, all(window)};
}

constexpr Plan cr(std::int64_t width, PerStage depths, PerStage heads, std::int64_t period = 0) {
  return {Version::TwoCr, width, depths, heads, all(0), period};
}

constexpr Plan with_norms(Plan plan) {
  plan.norm_stages = true;
  return plan;
}

/// Pretrained on the larger ImageNet-21k.
constexpr Plan of_21k(Plan plan) {
  plan.classes = 21'841;
  return plan;
}

/// One block's place: its window's side and how far windows are shifted.
struct Window {
  std::int64_t side{};
  std::int64_t shift{};
};

/// Version 2's biases: sixteen sigmoids of a network over the distances, for each window position.
Value sigmoid_bias(Builder& b, const std::string& name, std::int64_t side, std::int64_t heads) {
  const std::int64_t distances = 2 * side - 1;
  const Value coordinates = b.buffer(name + ".relative_coords_table", {1, distances, distances, 2});
  Value x = linear(b, name + ".cpb_mlp.0", coordinates, kInnerOfPositions);
  x = relu(b, name + ".cpb_mlp.1", x);
  x = linear(b, name + ".cpb_mlp.2", x, heads, Bias::None);
  x = shaped(b, name + ".table", x, {distances * distances, heads});
  x = spread_bias(b, name + ".relative_position_bias", x, side * side);
  x = unary(b, name + ".sigmoid", "Sigmoid", x);
  return binary(b, name + ".gain", "Mul", x, b.number(16));
}

/// The biases of "cr": a network over the distance of each pair of tokens.
Value pair_bias(Builder& b, const std::string& name, std::int64_t side, std::int64_t heads) {
  const std::int64_t tokens = side * side;
  const Value coordinates = b.buffer(name + ".relative_coordinates_log", {tokens * tokens, 2});
  Value x = linear(b, name + ".meta_mlp.fc1", coordinates, kInnerOfPositionsCr);
  x = relu(b, name + ".meta_mlp.act", x);
  x = dropout(b, name + ".meta_mlp.drop1", x, kDropoutOfPositionsCr);
  x = linear(b, name + ".meta_mlp.fc2", x, heads);
  x = transpose(b, name + ".meta_mlp.transpose", x, {1, 0});
  return shaped(b, name + ".relative_position_bias", x, {heads, tokens, tokens});
}

Value bias_of(Builder& b, const std::string& name, Version version, std::int64_t side,
              std::int64_t heads) {
  if (version == Version::One) return relative_bias(b, name, side, side, heads);
  if (version == Version::Two) return sigmoid_bias(b, name, side, heads);
  return pair_bias(b, name, side, heads);
}

/// Queries, keys and values; version 2 has no bias of keys.
HeadTriple project(Builder& b, const std::string& name, const Value& x, Version version,
                   std::int64_t heads) {
  if (version != Version::Two) return project_heads(b, name + ".qkv", x, heads);
  return project_heads_keyless(b, name, x, heads);
}

/// Attention within each window of `x`, (batch, windows, tokens, width).
Value window_attention(Builder& b, const std::string& name, const Value& x, Version version,
                       std::int64_t heads, const Window& window) {
  const std::int64_t tokens = window.side * window.side;
  const HeadTriple triple = project(b, name, x, version, heads);
  std::vector<Value> biases{bias_of(b, name, version, window.side, heads)};
  if (window.shift != 0) {
    // Tokens that the shift brought together from opposite ends do not see each other.
    biases.push_back(b.buffer(name + ".attn_mask", {x.shape[1], 1, tokens, tokens}));
  }
  const Value y = version == Version::One ? attend(b, name, triple, biases)
                                          : attend_by_cosine(b, name, triple, biases);
  return linear(b, name + ".proj", unite_heads(b, name + ".context", y), x.shape.back());
}

Value shifted(Builder& b, const std::string& name, const Value& x, std::int64_t shift) {
  return roll(b, name + ".columns", roll(b, name + ".rows", x, 1, shift), 2, shift);
}

/// Windows cut, attended and put together again.
Value attention_branch(Builder& b, const std::string& name, const Value& x, Version version,
                       std::int64_t heads, const Window& window) {
  const std::int64_t height = x.shape[1];
  const std::int64_t width = x.shape[2];
  Value y = window.shift == 0 ? x : shifted(b, name + ".shift", x, window.shift);
  y = pad_to_windows(b, name + ".pad", y, window.side);
  const std::int64_t rows = y.shape[1];
  const std::int64_t columns = y.shape[2];
  y = part_windows(b, name + ".windows", y, window.side);
  y = window_attention(b, name + ".attn", y, version, heads, window);
  y = unite_windows(b, name + ".map", y, rows, columns);
  if (rows != height) y = slice(b, name + ".crop_rows", y, 1, 0, height);
  if (columns != width) y = slice(b, name + ".crop_columns", y, 2, 0, width);
  if (window.shift == 0) return y;
  y = roll(b, name + ".unshift.rows", y, 1, height - window.shift);
  return roll(b, name + ".unshift.columns", y, 2, width - window.shift);
}

Value block(Builder& b, const std::string& name, const Value& x, Version version,
            std::int64_t heads, const Window& window) {
  const bool before = version == Version::One;
  Value y = before ? layer_norm(b, name + ".norm1", x, kEpsilon) : x;
  y = attention_branch(b, name, y, version, heads, window);
  if (!before) y = layer_norm(b, name + ".norm1", y, kEpsilon);
  const Value middle = binary(b, name + ".add1", "Add", x, y);
  y = before ? layer_norm(b, name + ".norm2", middle, kEpsilon) : middle;
  y = mlp(b, name + ".mlp", y, 4 * x.shape.back());
  if (!before) y = layer_norm(b, name + ".norm2", y, kEpsilon);
  return binary(b, name + ".add2", "Add", middle, y);
}

/// Half the side, twice the width.
Value merge(Builder& b, const std::string& name, const Value& x, Version version) {
  const std::int64_t width = 2 * x.shape.back();
  Value y = join_neighbours(b, name + ".join", x);
  if (version != Version::Two) y = layer_norm(b, name + ".norm", y, kEpsilon);
  y = linear(b, name + ".reduction", y, width, Bias::None);
  return version == Version::Two ? layer_norm(b, name + ".norm", y, kEpsilon) : y;
}

/// Whether block `index` of `depth` ends with a norm of its own.
bool ends_with_norm(const Plan& plan, std::size_t stage, std::int64_t index) {
  if (plan.version != Version::TwoCr) return false;
  if (plan.norm_period != 0 && (index + 1) % plan.norm_period == 0) return true;
  const bool of_stage = plan.norm_stages || stage + 1 == plan.depths.size();
  return of_stage && index + 1 == plan.depths[stage];
}

void build_swin(Builder& b, const Plan& plan, std::int64_t image) {
  const bool is_cr = plan.version == Version::TwoCr;
  const std::string stages = is_cr ? "stages." : "layers.";
  const Value input = b.input("input", {kBatch, 3, image, image});
  Value x = patchify(b, "patch_embed.proj", input, plan.width, kPatch);
  x = layer_norm(b, "patch_embed.norm", channels_last(b, "patch_embed", x), kEpsilon);
  const std::int64_t eighth = std::max<std::int64_t>(1, x.shape[1] / 8);
  for (std::size_t stage = 0; stage < plan.depths.size(); ++stage) {
    const std::string name = stages + std::to_string(stage);
    if (stage > 0) x = merge(b, name + ".downsample", x, plan.version);
    const std::int64_t wanted = plan.windows[stage] == 0 ? eighth : plan.windows[stage];
    const std::int64_t side = std::min(wanted, x.shape[1]);
    for (std::int64_t index = 0; index < plan.depths[stage]; ++index) {
      const std::string place = name + ".blocks." + std::to_string(index);
      // Where one window holds the whole map there is nothing to shift.
      const std::int64_t shift = index % 2 == 1 && x.shape[1] > side ? side / 2 : 0;
      x = block(b, place, x, plan.version, plan.heads[stage], {.side = side, .shift = shift});
      if (ends_with_norm(plan, stage, index)) x = layer_norm(b, place + ".norm3", x, kEpsilon);
    }
  }
  if (is_cr) {
    x = global_average_pool(b, "head.global_pool", channels_first(b, "features", x));
    x = flatten(b, "head.flatten", x);
  } else {
    x = layer_norm(b, "norm", x, kEpsilon);
    x = mean_over(b, "head.rows", mean_over(b, "head.columns", x, 2), 1);
  }
  b.output(linear(b, "head.fc", x, plan.classes));
}

// clang-format off
constexpr auto kFirst = std::to_array<TimmModel<Plan>>({
    {"swin_base_patch4_window12_384", 384, v1(128, kDepths, kHeads4, all(12))},
    {"swin_base_patch4_window7_224", 224, v1(128, kDepths, kHeads4, all(7))},
    {"swin_large_patch4_window12_384", 384, v1(192, kDepths, kHeads6, all(12))},
    {"swin_large_patch4_window7_224", 224, v1(192, kDepths, kHeads6, all(7))},
    {"swin_s3_base_224", 224, v1(96, {2, 2, 30, 2}, kHeads3, {7, 7, 14, 7})},
    {"swin_s3_small_224", 224, v1(96, kDepths, kHeads3, {14, 14, 14, 7})},
    {"swin_s3_tiny_224", 224, v1(96, kTinyDepths, kHeads3, {7, 7, 14, 7})},
    {"swin_small_patch4_window7_224", 224, v1(96, kDepths, kHeads3, all(7))},
    {"swin_tiny_patch4_window7_224", 224, v1(96, kTinyDepths, kHeads3, all(7))},
});

constexpr auto kSecond = std::to_array<TimmModel<Plan>>({
    {"swinv2_base_window12_192", 192, of_21k(v2(128, kDepths, kHeads4, 12))},
    {"swinv2_base_window12to16_192to256", 256, v2(128, kDepths, kHeads4, 16)},
    {"swinv2_base_window12to24_192to384", 384, v2(128, kDepths, kHeads4, 24)},
    {"swinv2_base_window16_256", 256, v2(128, kDepths, kHeads4, 16)},
    {"swinv2_base_window8_256", 256, v2(128, kDepths, kHeads4, 8)},
    {"swinv2_cr_base_224", 224, cr(128, kDepths, kHeads4)},
    {"swinv2_cr_base_384", 384, cr(128, kDepths, kHeads4)},
    {"swinv2_cr_base_ns_224", 224, with_norms(cr(128, kDepths, kHeads4))},
    {"swinv2_cr_giant_224", 224, cr(512, {2, 2, 42, 2}, {16, 32, 64, 128}, 6)},
    {"swinv2_cr_giant_384", 384, cr(512, {2, 2, 42, 2}, {16, 32, 64, 128}, 6)},
    {"swinv2_cr_huge_224", 224, cr(352, kDepths, {8, 16, 32, 64}, 6)},
    {"swinv2_cr_huge_384", 384, cr(352, kDepths, {11, 22, 44, 88}, 6)},
    {"swinv2_cr_large_224", 224, cr(192, kDepths, kHeads6)},
    {"swinv2_cr_large_384", 384, cr(192, kDepths, kHeads6)},
    {"swinv2_cr_small_224", 224, cr(96, kDepths, kHeads3)},
    {"swinv2_cr_small_384", 384, cr(96, kDepths, kHeads3)},
    {"swinv2_cr_small_ns_224", 224, with_norms(cr(96, kDepths, kHeads3))},
    {"swinv2_cr_small_ns_256", 256, with_norms(cr(96, kDepths, kHeads3))},
    {"swinv2_cr_tiny_224", 224, cr(96, kTinyDepths, kHeads3)},
    {"swinv2_cr_tiny_384", 384, cr(96, kTinyDepths, kHeads3)},
    {"swinv2_cr_tiny_ns_224", 224, with_norms(cr(96, kTinyDepths, kHeads3))},
    {"swinv2_large_window12_192", 192, of_21k(v2(192, kDepths, kHeads6, 12))},
    {"swinv2_large_window12to16_192to256", 256, v2(192, kDepths, kHeads6, 16)},
    {"swinv2_large_window12to24_192to384", 384, v2(192, kDepths, kHeads6, 24)},
    {"swinv2_small_window16_256", 256, v2(96, kDepths, kHeads3, 16)},
    {"swinv2_small_window8_256", 256, v2(96, kDepths, kHeads3, 8)},
    {"swinv2_tiny_window16_256", 256, v2(96, kTinyDepths, kHeads3, 16)},
    {"swinv2_tiny_window8_256", 256, v2(96, kTinyDepths, kHeads3, 8)},
});
// clang-format on

}  // namespace

std::vector<Entry> timm_swin_family() {
  const ImageRange images{.step = 32};
  std::vector<Entry> entries = timm_entries(
      kFirst, "Swin Transformer, ImageNet (arXiv:2103.14030, timm)", build_swin, images);
  for (Entry& entry : timm_entries(
           kSecond, "Swin Transformer V2, ImageNet (arXiv:2111.09883, timm)", build_swin, images)) {
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace horus::zoo
