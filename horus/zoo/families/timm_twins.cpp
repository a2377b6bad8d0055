// SPDX-License-Identifier: Apache-2.0
// Twins (Chu et al. 2021, arXiv:2104.13840) as timm builds it: PCPVT attends to a map reduced by a
// convolution in every block, SVT alternates that with attention within windows.

#include <array>
#include <string>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/multi_head.hpp"
#include "horus/zoo/tokens.hpp"
#include "horus/zoo/windows.hpp"

namespace horus::zoo {
namespace {

enum class Form { Pcpvt, Svt };

using PerStage = std::array<std::int64_t, 4>;

struct Plan {
  Form form{};
  PerStage widths{};
  PerStage heads{};
  PerStage depths{};
};

constexpr double kEpsilon = 1e-6;
constexpr double kInnerEpsilon = 1e-5;  // Of the norms of patches and of reduced maps.
constexpr std::int64_t kWindow = 7;
constexpr PerStage kReductions{8, 4, 2, 1};
constexpr PerStage kPatches{4, 2, 2, 2};

/// Attention within windows of a sequence that fills a map of `side` by `side`.
Value window_attention(Builder& b, const std::string& name, const Value& x, std::int64_t heads,
                       std::int64_t side) {
  const std::int64_t width = x.shape[2];
  Value y = shaped(b, name + ".map", x, {kBatch, side, side, width});
  y = pad_to_windows(b, name + ".pad", y, kWindow);
  const std::int64_t padded = y.shape[1];
  y = part_windows(b, name + ".windows", y, kWindow);
  const HeadTriple parts = project_heads(b, name + ".qkv", y, heads);
  y = unite_heads(b, name + ".context", attend(b, name + ".attend", parts));
  y = unite_windows(b, name + ".unite", y, padded, padded);
  if (padded != side) {
    y = slice(b, name + ".crop_rows", y, 1, 0, side);
    y = slice(b, name + ".crop_columns", y, 2, 0, side);
  }
  return linear(b, name + ".proj", shaped(b, name + ".tokens", y, x.shape), width);
}

/// Attention from all tokens to a map that is `reduction` times smaller in each direction.
Value reduced_attention(Builder& b, const std::string& name, const Value& x, std::int64_t heads,
                        std::int64_t side, std::int64_t reduction) {
  const std::int64_t width = x.shape[2];
  const Value query = linear(b, name + ".q", x, width);
  Value memory = x;
  if (reduction > 1) {
    memory = tokens_to_map(b, name + ".map", x, side, side);
    memory = patchify(b, name + ".sr", memory, width, reduction);
    memory = map_to_tokens(b, name + ".reduced", memory);
    memory = layer_norm(b, name + ".norm", memory, kInnerEpsilon);
  }
  const std::vector<Value> pair =
      split_last(b, name + ".kv.split", linear(b, name + ".kv", memory, 2 * width), 2);
  HeadTriple parts;
  parts.query = part_heads(b, name + ".query", query, heads);
  parts.key = part_heads(b, name + ".key", pair[0], heads);
  parts.value = part_heads(b, name + ".value", pair[1], heads);
  const Value y = unite_heads(b, name + ".context", attend(b, name + ".attend", parts));
  return linear(b, name + ".proj", y, width);
}

/// x plus a depthwise convolution of it: what tells tokens their places.
Value positions(Builder& b, const std::string& name, const Value& x, std::int64_t side) {
  const Value map = tokens_to_map(b, name + ".map", x, side, side);
  ConvSpec spec = centred(x.shape[2], 3, 1, x.shape[2]);
  spec.bias = Bias::Trained;
  const Value y = conv(b, name + ".proj.0", map, spec);
  return map_to_tokens(b, name, binary(b, name + ".add", "Add", y, map));
}

Value block(Builder& b, const std::string& name, const Value& x, const Plan& plan,
            std::size_t stage, std::int64_t index, std::int64_t side) {
  const std::int64_t expansion = plan.form == Form::Pcpvt && stage < 2 ? 8 : 4;
  Value y = layer_norm(b, name + ".norm1", x, kEpsilon);
  const bool windows = plan.form == Form::Svt && index % 2 == 0;
  y = windows
          ? window_attention(b, name + ".attn", y, plan.heads[stage], side)
          : reduced_attention(b, name + ".attn", y, plan.heads[stage], side, kReductions[stage]);
  const Value middle = binary(b, name + ".add1", "Add", x, y);
  y = layer_norm(b, name + ".norm2", middle, kEpsilon);
  y = mlp(b, name + ".mlp", y, expansion * x.shape[2]);
  return binary(b, name + ".add2", "Add", middle, y);
}

void build_twins(Builder& b, const Plan& plan, std::int64_t image) {
  Value map = b.input("input", {kBatch, 3, image, image});
  Value x;
  for (std::size_t stage = 0; stage < plan.widths.size(); ++stage) {
    const std::string number = std::to_string(stage);
    map = patchify(b, "patch_embeds." + number + ".proj", map, plan.widths[stage], kPatches[stage]);
    const std::int64_t side = map.shape[2];
    x = map_to_tokens(b, "patch_embeds." + number, map);
    x = layer_norm(b, "patch_embeds." + number + ".norm", x, kInnerEpsilon);
    for (std::int64_t index = 0; index < plan.depths[stage]; ++index) {
      const std::string name = "blocks." + number + "." + std::to_string(index);
      x = block(b, name, x, plan, stage, index, side);
      if (index == 0) x = positions(b, "pos_block." + number, x, side);
    }
    if (stage + 1 < plan.widths.size()) {
      map = tokens_to_map(b, "maps." + number, x, side, side);
    }
  }
  x = mean_over(b, "pool", layer_norm(b, "norm", x, kEpsilon), 1);
  b.output(linear(b, "head", x, 1000));
}

constexpr PerStage kPcpvtWidths{64, 128, 320, 512};
constexpr PerStage kPcpvtHeads{1, 2, 5, 8};

// clang-format off
constexpr auto kModels = std::to_array<TimmModel<Plan>>({
    {"twins_pcpvt_small", 224, {Form::Pcpvt, kPcpvtWidths, kPcpvtHeads, {3, 4, 6, 3}}},
    {"twins_pcpvt_base", 224, {Form::Pcpvt, kPcpvtWidths, kPcpvtHeads, {3, 4, 18, 3}}},
    {"twins_pcpvt_large", 224, {Form::Pcpvt, kPcpvtWidths, kPcpvtHeads, {3, 8, 27, 3}}},
    {"twins_svt_small", 224, {Form::Svt, {64, 128, 256, 512}, {2, 4, 8, 16}, {2, 2, 10, 4}}},
    {"twins_svt_base", 224, {Form::Svt, {96, 192, 384, 768}, {3, 6, 12, 24}, {2, 2, 18, 2}}},
    {"twins_svt_large", 224, {Form::Svt, {128, 256, 512, 1024}, {4, 8, 16, 32}, {2, 2, 18, 2}}},
});
// clang-format on

}  // namespace

std::vector<Entry> timm_twins_family() {
  return timm_entries(kModels, "Twins, ImageNet (arXiv:2104.13840, timm)", build_twins,
                      {.step = 32});
}

}  // namespace horus::zoo
