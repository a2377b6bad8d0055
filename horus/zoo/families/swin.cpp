// SPDX-License-Identifier: Apache-2.0
// Swin Transformer (Liu et al. 2021, arXiv:2103.14030) and version 2 (2022, arXiv:2111.09883), as
// torchvision builds them. Stochastic depth is left out. See timm_swin.cpp for the forms of timm.

#include <array>

#include "horus/zoo/families/image_entry.hpp"
#include "horus/zoo/layers.hpp"
#include "horus/zoo/multi_head.hpp"
#include "horus/zoo/tokens.hpp"
#include "horus/zoo/windows.hpp"

namespace horus::zoo {
namespace {

enum class Version { One, Two };

struct Plan {
  Version version{};
  std::int64_t width{};  ///< Of the first stage; each further one has twice that of the last.
  std::int64_t middle_depth{};  ///< Blocks of the third stage; the others have two.
  std::int64_t heads{};         ///< Of the first stage; doubled like the width.
};

constexpr double kEpsilon = 1e-5;
constexpr std::int64_t kPatch = 4;
constexpr std::size_t kStages = 4;
constexpr std::size_t kMiddle = 2;
constexpr std::int64_t kFeedForward = 4;         // Times the width.
constexpr std::int64_t kInnerOfPositions = 512;  // Version 2.
constexpr double kGainOfPositions = 16;

std::int64_t window_side(Version version) { return version == Version::One ? 7 : 8; }

/// Version 2 computes its biases from the distances of tokens with a small network.
Value computed_bias(Builder& b, const std::string& name, std::int64_t side, std::int64_t heads) {
  const std::int64_t distances = 2 * side - 1;
  const Value coordinates = b.buffer(name + ".relative_coords_table", {1, distances, distances, 2});
  Value x = linear(b, name + ".cpb_mlp.0", coordinates, kInnerOfPositions);
  x = relu(b, name + ".cpb_mlp.1", x);
  x = linear(b, name + ".cpb_mlp.2", x, heads, Bias::None);
  x = shaped(b, name + ".cpb_mlp.view", x, {distances * distances, heads});
  x = spread_bias(b, name + ".relative_position_bias", x, side * side);
  x = sigmoid(b, name + ".relative_position_bias.sigmoid", x);
  return binary(b, name + ".relative_position_bias.gain", "Mul", b.number(kGainOfPositions), x);
}

struct Attention {
  Version version{};
  std::int64_t heads{};
  std::int64_t shift{};  ///< Of the windows, in tokens.
};

/// Attention within each window of `x`, (batch, windows, tokens, width).
Value attend_in_windows(Builder& b, const std::string& name, const Value& x,
                        const Attention& spec) {
  const std::int64_t side = window_side(spec.version);
  const HeadTriple heads = project_heads(b, name + ".qkv", x, spec.heads);
  std::vector<Value> biases{spec.version == Version::One
                                ? relative_bias(b, name, side, side, spec.heads)
                                : computed_bias(b, name, side, spec.heads)};
  if (spec.shift != 0) {
    // Tokens that the shift brought together from opposite ends do not see each other.
    biases.push_back(b.buffer(name + ".mask", {x.shape[1], 1, side * side, side * side}));
  }
  const Value y = spec.version == Version::One ? attend(b, name, heads, biases)
                                               : attend_by_cosine(b, name, heads, biases);
  return linear(b, name + ".proj", unite_heads(b, name + ".context", y), x.shape.back());
}

Value rolled(Builder& b, const std::string& name, const Value& x, std::int64_t rows,
             std::int64_t columns) {
  return roll(b, name + ".columns", roll(b, name + ".rows", x, 1, rows), 2, columns);
}

/// Windows cut out of the map, attended, and put together again.
Value shifted_window_attention(Builder& b, const std::string& name, const Value& x,
                               const Attention& wanted) {
  const std::int64_t side = window_side(wanted.version);
  Value y = pad_to_windows(b, name + ".pad", x, side);
  const std::int64_t rows = y.shape[1];
  const std::int64_t columns = y.shape[2];
  Attention spec = wanted;
  if (side >= rows) spec.shift = 0;  // One window holds the whole map.
  if (spec.shift != 0) y = rolled(b, name + ".shift", y, spec.shift, spec.shift);
  y = part_windows(b, name + ".windows", y, side);
  y = attend_in_windows(b, name, y, spec);
  y = unite_windows(b, name + ".map", y, rows, columns);
  if (spec.shift != 0) y = rolled(b, name + ".unshift", y, rows - spec.shift, columns - spec.shift);
  if (rows != x.shape[1]) y = slice(b, name + ".crop_rows", y, 1, 0, x.shape[1]);
  if (columns != x.shape[2]) y = slice(b, name + ".crop_columns", y, 2, 0, x.shape[2]);
  return y;
}

/// x + branch(norm(x)) in version 1, x + norm(branch(x)) in version 2.
template <class Branch>
Value residual(Builder& b, const std::string& name, const std::string& norm, const Value& x,
               Version version, const Branch& branch) {
  const bool before = version == Version::One;
  const Value input = before ? layer_norm(b, name + "." + norm, x, kEpsilon) : x;
  Value y = branch(input);
  if (!before) y = layer_norm(b, name + "." + norm, y, kEpsilon);
  return binary(b, name + "." + norm + ".add", "Add", x, y);
}

Value block(Builder& b, const std::string& name, const Value& x, const Attention& spec) {
  const Value middle = residual(b, name, "norm1", x, spec.version, [&](const Value& input) {
    return shifted_window_attention(b, name + ".attn", input, spec);
  });
  return residual(b, name, "norm2", middle, spec.version, [&](const Value& input) {
    const std::int64_t width = input.shape.back();
    const Value inner = linear(b, name + ".mlp.0", input, kFeedForward * width);
    return linear(b, name + ".mlp.3", gelu(b, name + ".mlp.1", inner), width);
  });
}

/// Half the side, twice the width.
Value merge(Builder& b, const std::string& name, const Value& x, Version version) {
  const std::int64_t width = 2 * x.shape.back();
  Value y = join_neighbours(b, name + ".join", pad_to_windows(b, name + ".pad", x, 2));
  if (version == Version::One) y = layer_norm(b, name + ".norm", y, kEpsilon);
  y = linear(b, name + ".reduction", y, width, Bias::None);
  return version == Version::Two ? layer_norm(b, name + ".norm", y, kEpsilon) : y;
}

void build_swin(Builder& b, const Plan& plan, std::int64_t image) {
  const Value input = b.input("input", {kBatch, 3, image, image});
  Value x = patchify(b, "features.0.0", input, plan.width, kPatch);
  x = layer_norm(b, "features.0.2", channels_last(b, "features.0.1", x), kEpsilon);
  int place = 1;
  std::int64_t heads = plan.heads;
  for (std::size_t stage = 0; stage < kStages; ++stage, heads *= 2) {
    if (stage > 0) x = merge(b, "features." + std::to_string(place++), x, plan.version);
    const std::string name = "features." + std::to_string(place++) + ".";
    const std::int64_t depth = stage == kMiddle ? plan.middle_depth : 2;
    for (std::int64_t i = 0; i < depth; ++i) {
      const std::int64_t shift = i % 2 == 1 ? window_side(plan.version) / 2 : 0;
      x = block(b, name + std::to_string(i), x,
                {.version = plan.version, .heads = heads, .shift = shift});
    }
  }
  x = channels_first(b, "permute", layer_norm(b, "norm", x, kEpsilon));
  x = flatten(b, "flatten", global_average_pool(b, "avgpool", x));
  b.output(linear(b, "head", x, 1000));
}

struct Row {
  const char* name;
  const char* what;
  std::int64_t image{};
  Plan plan;
};

constexpr const char* kOne = "Swin Transformer, ImageNet (arXiv:2103.14030, torchvision)";
constexpr const char* kTwo = "Swin Transformer V2, ImageNet (arXiv:2111.09883, torchvision)";

constexpr auto kRows = std::to_array<Row>({{"swin-t", kOne, 224, {Version::One, 96, 6, 3}},
                                           {"swin-s", kOne, 224, {Version::One, 96, 18, 3}},
                                           {"swin-b", kOne, 224, {Version::One, 128, 18, 4}},
                                           {"swin-v2-t", kTwo, 256, {Version::Two, 96, 6, 3}},
                                           {"swin-v2-s", kTwo, 256, {Version::Two, 96, 18, 3}},
                                           {"swin-v2-b", kTwo, 256, {Version::Two, 128, 18, 4}}});

}  // namespace

std::vector<Entry> swin_family() {
  std::vector<Entry> entries;
  for (const Row& row : kRows) {
    entries.push_back(image_entry(
        row.name, row.what, row.image, {},
        [plan = row.plan](Builder& b, std::int64_t image) { build_swin(b, plan, image); }));
  }
  return entries;
}

}  // namespace horus::zoo
