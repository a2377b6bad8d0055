// SPDX-License-Identifier: Apache-2.0
// PiT (Heo et al. 2021, arXiv:2103.16302) as timm builds it: a vision transformer of three stages
// with depthwise convolutions between them, and ConvMixer (Trockman and Kolter 2022,
// arXiv:2201.09792), which has convolutions only.

#include <array>
#include <string>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/tokens.hpp"
#include "horus/zoo/vision_transformer.hpp"

namespace horus::zoo {
namespace {

/// Whether a second token learns from a teacher; the result is then the mean of both heads.
enum class Teacher { Absent, Present };

struct Plan {
  std::int64_t head_width{};
  std::array<std::int64_t, 3> heads{};
  std::array<std::int64_t, 3> depths{2, 6, 4};
  std::int64_t patch{16};
  std::int64_t stride{8};
  Teacher teacher{Teacher::Absent};
};

constexpr double kEpsilon = 1e-6;

constexpr Plan taught(Plan plan) {
  plan.teacher = Teacher::Present;
  return plan;
}

/// The map and the class tokens, which pass from stage to stage side by side.
struct Tokens {
  Value map;
  Value classes;
};

/// Half the side and twice the width: a depthwise convolution, and a linear layer for the classes.
Tokens pool(Builder& b, const std::string& name, const Tokens& x, std::int64_t width) {
  ConvSpec spec = centred(width, 3, 2, x.map.shape[1]);
  spec.bias = Bias::Trained;
  Value map = conv(b, name + ".conv", x.map, spec);
  Value classes = linear(b, name + ".fc", x.classes, width);
  return {.map = std::move(map), .classes = std::move(classes)};
}

/// The layers of a stage over the classes and the patches: (batch, tokens, width).
Value stage(Builder& b, const std::string& name, const Tokens& x, const VitPlan& block,
            std::int64_t depth) {
  const Value patches = map_to_tokens(b, name + ".patches", x.map);
  Value y = concat(b, name + ".tokens", std::vector<Value>{x.classes, patches}, 1);
  for (std::int64_t index = 0; index < depth; ++index) {
    y = vit_block(b, name + ".blocks." + std::to_string(index), y, block);
  }
  return y;
}

/// Classes and patches of a sequence, the patches as a map of the sides of `like`.
Tokens part(Builder& b, const std::string& name, const Value& x, const Tokens& like) {
  const std::int64_t count = like.classes.shape[1];
  const Value rest = slice(b, name + ".rest", x, 1, count, x.shape[1]);
  Value map = tokens_to_map(b, name + ".map", rest, like.map.shape[2], like.map.shape[3]);
  Value classes = slice(b, name + ".classes", x, 1, 0, count);
  return {.map = std::move(map), .classes = std::move(classes)};
}

Tokens embed(Builder& b, const Value& image, const Plan& plan) {
  const std::int64_t width = plan.head_width * plan.heads[0];
  const Value map = conv(
      b, "patch_embed.conv", image,
      {.channels = width, .kernel = {plan.patch}, .stride = {plan.stride}, .bias = Bias::Trained});
  const Value place = b.parameter("pos_embed", {1, width, map.shape[2], map.shape[3]});
  const std::int64_t count = plan.teacher == Teacher::Present ? 2 : 1;
  Value placed = binary(b, "pos_embed.add", "Add", map, place);
  const Value token = b.parameter("cls_token", {1, count, width});
  Value classes = repeat_for_batch(b, "cls_token.expand", token, placed);
  return {.map = std::move(placed), .classes = std::move(classes)};
}

void build_pit(Builder& b, const Plan& plan, std::int64_t image) {
  Tokens x = embed(b, b.input("input", {kBatch, 3, image, image}), plan);
  Value sequence;
  for (std::size_t index = 0; index < plan.heads.size(); ++index) {
    const std::string name = "transformers." + std::to_string(index);
    const std::int64_t width = plan.head_width * plan.heads[index];
    if (index > 0) x = pool(b, name + ".pool", part(b, name + ".in", sequence, x), width);
    const VitPlan block{.width = width, .heads = plan.heads[index], .inner = 4 * width};
    sequence = stage(b, name, x, block, plan.depths[index]);
  }
  const Value classes = slice(b, "classes", sequence, 1, 0, x.classes.shape[1]);
  const Value normed = layer_norm(b, "norm", classes, kEpsilon);
  const Value from_labels = linear(b, "head", pick(b, "class", normed, 1, 0), 1000);
  if (plan.teacher == Teacher::Absent) return b.output(from_labels);
  const Value from_teacher = linear(b, "head_dist", pick(b, "taught", normed, 1, 1), 1000);
  const Value sum = binary(b, "heads.add", "Add", from_labels, from_teacher);
  b.output(binary(b, "heads", "Div", sum, b.number(2)));
}

constexpr Plan kTiny{32, {2, 4, 8}};
constexpr Plan kXSmall{48, {2, 4, 8}};
constexpr Plan kSmall{48, {3, 6, 12}};
constexpr Plan kBase{64, {4, 8, 16}, {3, 6, 4}, 14, 7};

constexpr auto kPits =
    std::to_array<TimmModel<Plan>>({{"pit_ti_224", 224, kTiny},
                                    {"pit_xs_224", 224, kXSmall},
                                    {"pit_s_224", 224, kSmall},
                                    {"pit_b_224", 224, kBase},
                                    {"pit_ti_distilled_224", 224, taught(kTiny)},
                                    {"pit_xs_distilled_224", 224, taught(kXSmall)},
                                    {"pit_s_distilled_224", 224, taught(kSmall)},
                                    {"pit_b_distilled_224", 224, taught(kBase)}});

struct ConvMixer {
  std::int64_t width{};
  std::int64_t depth{};
  std::int64_t kernel{};
  std::int64_t patch{};
  Activation activation{gelu};
};

/// Activation, then normalization: `index` is the convolution's place in its sequence.
Value act_norm(Builder& b, const std::string& name, int index, const Value& x,
               const ConvMixer& plan) {
  const Value y = plan.activation(b, name + "." + std::to_string(index + 1), x);
  return batch_norm(b, name + "." + std::to_string(index + 2), y);
}

void build_convmixer(Builder& b, const ConvMixer& plan, std::int64_t image) {
  const Value input = b.input("input", {kBatch, 3, image, image});
  Value x = act_norm(b, "stem", 0, patchify(b, "stem.0", input, plan.width, plan.patch), plan);
  ConvSpec depthwise = centred(plan.width, plan.kernel, 1, plan.width);
  depthwise.bias = Bias::Trained;
  for (std::int64_t index = 0; index < plan.depth; ++index) {
    const std::string name = "blocks." + std::to_string(index);
    const Value y = act_norm(b, name + ".0.fn", 0, conv(b, name + ".0.fn.0", x, depthwise), plan);
    x = binary(b, name + ".0", "Add", y, x);
    x = conv(b, name + ".1", x, {.channels = plan.width, .bias = Bias::Trained});
    x = act_norm(b, name, 1, x, plan);
  }
  b.output(classifier(b, "classifier", "head", x));
}

constexpr auto kMixers =
    std::to_array<TimmModel<ConvMixer>>({{"convmixer_768_32", 224, {768, 32, 7, 7, relu}},
                                         {"convmixer_1024_20_ks9_p14", 224, {1024, 20, 9, 14}},
                                         {"convmixer_1536_20", 224, {1536, 20, 9, 7}}});

}  // namespace

std::vector<Entry> timm_pit_family() {
  std::vector<Entry> entries =
      timm_entries(kPits, "PiT, ImageNet (arXiv:2103.16302, timm)", build_pit, {.min = 64});
  for (Entry& entry :
       timm_entries(kMixers, "ConvMixer, ImageNet (arXiv:2201.09792, timm)", build_convmixer)) {
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace horus::zoo
