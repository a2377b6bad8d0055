// SPDX-License-Identifier: Apache-2.0
// MetaFormer baselines (Yu et al. 2022, arXiv:2111.11418 and arXiv:2210.13452) as timm builds them:
// the block of a transformer with a pool (PoolFormer) or separable convolutions (ConvFormer) in
// place of attention.

#include <array>
#include <string>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {
namespace {

enum class Form {
  Pool,     ///< PoolFormer: biased layers, GELU, scaled branches.
  PoolTwo,  ///< PoolFormer V2: unbiased layers, StarReLU, scaled shortcuts in the last two stages.
  Separable,
};

using PerStage = std::array<std::int64_t, 4>;

struct Plan {
  Form form{};
  PerStage depths{};
  PerStage widths{};
};

constexpr double kEpsilon = 1e-6;
constexpr std::int64_t kExpansion = 4;
constexpr std::int64_t kSeparableExpansion = 2;
constexpr std::size_t kFirstScaledStage = 2;

/// Layer normalization of a map's channels with a weight and no bias.
Value unbiased_norm(Builder& b, const std::string& name, const Value& x) {
  const Value last = channels_last(b, name + ".last", x);
  const Value weight = b.parameter(name + ".weight", {x.shape[1]});
  const Value y = b.add({.name = name,
                         .op_type = "LayerNormalization",
                         .inputs = {last.name, weight.name},
                         .attributes = {{"axis", std::int64_t{-1}}, {"epsilon", kEpsilon}}},
                        last.shape);
  return channels_first(b, name + ".first", y);
}

/// Normalization of the whole map with a weight for each channel and no bias.
Value unbiased_map_norm(Builder& b, const std::string& name, const Value& x) {
  const std::int64_t members = x.shape[1] * x.shape[2] * x.shape[3];
  const Value row = shaped(b, name + ".group", x, {kBatch, 1, members});
  const Value one = b.filled(1, 1);
  const Value zero = b.filled(0, 1);
  const Value y = b.add({.name = name + ".normal",
                         .op_type = "InstanceNormalization",
                         .inputs = {row.name, one.name, zero.name},
                         .attributes = {{"epsilon", kEpsilon}}},
                        row.shape);
  return binary(b, name, "Mul", shaped(b, name + ".ungroup", y, x.shape),
                b.parameter(name + ".weight", {x.shape[1], 1, 1}));
}

Value norm(Builder& b, const std::string& name, const Value& x, Form form) {
  if (form == Form::Pool) return group_norm(b, name, x, 1);
  return form == Form::PoolTwo ? unbiased_map_norm(b, name, x) : unbiased_norm(b, name, x);
}

Value squared_relu(Builder& b, const std::string& name, const Value& x) {
  return binary(b, name, "Pow", relu(b, name + ".relu", x), b.number(2));
}

/// scale * relu(x)^2 + bias, both trained.
Value star_relu(Builder& b, const std::string& name, const Value& x) {
  const Value square = squared_relu(b, name + ".square", x);
  const Value scaled = binary(b, name + ".mul", "Mul", square, b.parameter(name + ".scale", {1}));
  return binary(b, name, "Add", scaled, b.parameter(name + ".bias", {1}));
}

/// What stands in the place of attention.
Value mix_tokens(Builder& b, const std::string& name, const Value& x, Form form) {
  if (form != Form::Separable) {
    const Value mean = average_pool(
        b, name + ".pool", x, {.kernel = {3}, .padding = {1}, .padding_counts = PaddingCounts::No});
    return binary(b, name, "Sub", mean, x);
  }
  const std::int64_t inner = kSeparableExpansion * x.shape[1];
  Value y = star_relu(b, name + ".act1", conv(b, name + ".pwconv1", x, {.channels = inner}));
  y = conv(b, name + ".dwconv", y, centred(inner, 7, 1, inner));
  return conv(b, name + ".pwconv2", y, {.channels = x.shape[1]});
}

Value feed_forward(Builder& b, const std::string& name, const Value& x, Form form) {
  if (form == Form::Pool) return mlp_of_map(b, name, x, kExpansion * x.shape[1]);
  const Value y = conv(b, name + ".fc1", x, {.channels = kExpansion * x.shape[1]});
  return conv(b, name + ".fc2", star_relu(b, name + ".act", y), {.channels = x.shape[1]});
}

/// x + branch, one of them scaled by a trained factor for each channel.
Value residual(Builder& b, const std::string& name, const std::string& index, const Value& x,
               const Value& branch, const Plan& plan, std::size_t stage) {
  const Shape factor{x.shape[1], 1, 1};
  if (plan.form == Form::Pool) {
    return binary(b, name + ".add" + index, "Add", x,
                  layer_scale(b, name + ".layer_scale" + index, branch, factor));
  }
  const Value carried =
      stage >= kFirstScaledStage ? layer_scale(b, name + ".res_scale" + index, x, factor) : x;
  return binary(b, name + ".add" + index, "Add", carried, branch);
}

Value block(Builder& b, const std::string& name, const Value& x, const Plan& plan,
            std::size_t stage) {
  Value y = norm(b, name + ".norm1", x, plan.form);
  y = mix_tokens(b, name + ".token_mixer", y, plan.form);
  const Value middle = residual(b, name, "1", x, y, plan, stage);
  y = norm(b, name + ".norm2", middle, plan.form);
  return residual(b, name, "2", middle, feed_forward(b, name + ".mlp", y, plan.form), plan, stage);
}

/// Half the side, another width.
Value halve(Builder& b, const std::string& name, const Value& x, std::int64_t width, Form form) {
  const Value y = form == Form::Pool ? x : unbiased_norm(b, name + ".norm", x);
  ConvSpec spec = centred(width, 3, 2);
  spec.bias = Bias::Trained;
  return conv(b, name + ".conv", y, spec);
}

Value head(Builder& b, const Value& x, Form form) {
  Value y = global_average_pool(b, "head.global_pool", x);
  y = flatten(b, "head.flatten", layer_norm_of_map(b, "head.norm", y, kEpsilon));
  if (form != Form::Separable) return linear(b, "head.fc", y, 1000);
  y = linear(b, "head.fc.fc1", y, kExpansion * y.shape[1]);
  y = layer_norm(b, "head.fc.norm", squared_relu(b, "head.fc.act", y), kEpsilon);
  return linear(b, "head.fc.fc2", y, 1000);
}

void build_metaformer(Builder& b, const Plan& plan, std::int64_t image) {
  Value x = b.input("input", {kBatch, 3, image, image});
  x = conv(b, "stem.conv", x,
           {.channels = plan.widths[0],
            .kernel = {7},
            .stride = {4},
            .padding = {2},
            .bias = Bias::Trained});
  if (plan.form != Form::Pool) x = unbiased_norm(b, "stem.norm", x);
  for (std::size_t stage = 0; stage < plan.depths.size(); ++stage) {
    const std::string name = "stages." + std::to_string(stage);
    if (stage > 0) x = halve(b, name + ".downsample", x, plan.widths[stage], plan.form);
    for (std::int64_t index = 0; index < plan.depths[stage]; ++index) {
      x = block(b, name + ".blocks." + std::to_string(index), x, plan, stage);
    }
  }
  b.output(head(b, x, plan.form));
}

constexpr PerStage kS12{2, 2, 6, 2};
constexpr PerStage kS18{3, 3, 9, 3};
constexpr PerStage kS24{4, 4, 12, 4};
constexpr PerStage kS36{6, 6, 18, 6};
constexpr PerStage kM48{8, 8, 24, 8};
constexpr PerStage kConv36{3, 12, 18, 3};
constexpr PerStage kSmall{64, 128, 320, 512};
constexpr PerStage kMedium{96, 192, 384, 768};

constexpr auto kModels = std::to_array<TimmModel<Plan>>({
    {"poolformer_s12", 224, {Form::Pool, kS12, kSmall}},
    {"poolformer_s24", 224, {Form::Pool, kS24, kSmall}},
    {"poolformer_s36", 224, {Form::Pool, kS36, kSmall}},
    {"poolformer_m36", 224, {Form::Pool, kS36, kMedium}},
    {"poolformer_m48", 224, {Form::Pool, kM48, kMedium}},
    {"poolformerv2_s12", 224, {Form::PoolTwo, kS12, kSmall}},
    {"poolformerv2_s24", 224, {Form::PoolTwo, kS24, kSmall}},
    {"poolformerv2_s36", 224, {Form::PoolTwo, kS36, kSmall}},
    {"poolformerv2_m36", 224, {Form::PoolTwo, kS36, kMedium}},
    {"poolformerv2_m48", 224, {Form::PoolTwo, kM48, kMedium}},
    {"convformer_s18", 224, {Form::Separable, kS18, kSmall}},
    {"convformer_s36", 224, {Form::Separable, kConv36, kSmall}},
    {"convformer_m36", 224, {Form::Separable, kConv36, {96, 192, 384, 576}}},
    {"convformer_b36", 224, {Form::Separable, kConv36, {128, 256, 512, 768}}},
});

}  // namespace

std::vector<Entry> timm_metaformer_family() {
  return timm_entries(kModels, "MetaFormer baseline, ImageNet (arXiv:2210.13452, timm)",
                      build_metaformer);
}

}  // namespace horus::zoo
