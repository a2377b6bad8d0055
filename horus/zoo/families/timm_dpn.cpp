// SPDX-License-Identifier: Apache-2.0
// Dual path networks (Chen et al. 2017, arXiv:1707.01629), as huggingface/pytorch-image-models
// (timm, models/dpn.py) builds them: the front channels of a block are a residual path that is
// added to, the others a dense path that grows.

#include <array>
#include <vector>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

/// The last convolution of a block: one that is split, or one for each path.
enum class Last { Split, Apart };

struct Plan {
  std::array<int, 4> depths{};
  std::array<std::int64_t, 4> growth{16, 32, 32, 128};  ///< Of the dense path, per block.
  std::int64_t stem{};
  std::int64_t stem_kernel{7};
  Activation stem_activation{relu};
  std::int64_t inner{};        ///< Width of the grouped convolutions of the first stage.
  std::int64_t residual{256};  ///< Width of the residual path of the first stage.
  std::int64_t groups{};
  Last last{Last::Split};
};

struct Place {
  std::string name;
  std::int64_t inner{};
  std::int64_t residual{};
  std::int64_t growth{};
  std::int64_t stride{1};
  bool first{};  ///< In its stage, where a convolution makes the paths.
};

struct Paths {
  Value residual;
  Value dense;
};

Value elu(Builder& b, const std::string& name, const Value& x) {
  return unary(b, name, "Elu", x, {{"alpha", 1.0}});
}

Value norm_act(Builder& b, const std::string& name, const Value& x) {
  return relu(b, name + ".bn.act", batch_norm(b, name + ".bn", x));
}

Value norm_act_conv(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec) {
  return conv(b, name + ".conv", norm_act(b, name, x), spec);
}

Paths parted(Builder& b, const std::string& name, const Value& x, std::int64_t residual) {
  const auto parts = split(b, name, x, 1, {residual, x.shape[1] - residual});
  return {.residual = parts[0], .dense = parts[1]};
}

Paths branch(Builder& b, const Place& place, const Value& x, const Plan& plan) {
  Value y = norm_act_conv(b, place.name + ".c1x1_a", x, {.channels = place.inner});
  y = norm_act_conv(b, place.name + ".c3x3_b", y,
                    centred(place.inner, 3, place.stride, plan.groups));
  if (plan.last == Last::Split) {
    y = norm_act_conv(b, place.name + ".c1x1_c", y, {.channels = place.residual + place.growth});
    return parted(b, place.name + ".split_1", y, place.residual);
  }
  y = norm_act(b, place.name + ".c1x1_c", y);
  return {.residual = conv(b, place.name + ".c1x1_c1", y, {.channels = place.residual}),
          .dense = conv(b, place.name + ".c1x1_c2", y, {.channels = place.growth})};
}

Value block(Builder& b, const Place& place, const Value& x, const Plan& plan) {
  Value past = x;
  if (place.first) {
    past = norm_act_conv(b, place.name + ".c1x1_w_s" + std::to_string(place.stride), x,
                         {.channels = place.residual + 2 * place.growth, .stride = {place.stride}});
  }
  const Paths old = parted(b, place.name + ".split", past, place.residual);
  const Paths grown = branch(b, place, x, plan);
  const Value sum = binary(b, place.name + ".add", "Add", old.residual, grown.residual);
  return concat(b, place.name + ".concat", std::vector<Value>{sum, old.dense, grown.dense}, 1);
}

void build_network(Builder& b, const Plan& plan, std::int64_t image) {
  Value x = b.input("input", {kBatch, 3, image, image});
  x = conv_bn_act(b, "features.conv1_1", x, centred(plan.stem, plan.stem_kernel, 2),
                  plan.stem_activation);
  x = max_pool(b, "features.conv1_pool", x, {.kernel = {3}, .stride = {2}, .padding = {1}});
  for (std::size_t stage = 0; stage < plan.depths.size(); ++stage) {
    for (int i = 0; i < plan.depths[stage]; ++i) {
      const Place place{
          .name = "features.conv" + std::to_string(stage + 2) + "_" + std::to_string(i + 1),
          .inner = plan.inner << stage,
          .residual = plan.residual << stage,
          .growth = plan.growth[stage],
          .stride = stage > 0 && i == 0 ? 2 : 1,
          .first = i == 0};
      x = block(b, place, x, plan);
    }
  }
  x = elu(b, "features.conv5_bn_ac.act", batch_norm(b, "features.conv5_bn_ac.bn", x));
  x = global_average_pool(b, "global_pool", x);
  x = conv(b, "classifier", x, {.channels = 1000, .bias = Bias::Trained});
  b.output(flatten(b, "flatten", x));
}

constexpr Plan small(std::array<int, 4> depths, Last last, Activation stem = relu) {
  return {.depths = depths,
          .growth = {16, 32, 32, 64},
          .stem = 10,
          .stem_kernel = 3,
          .stem_activation = stem,
          .inner = 128,
          .residual = 64,
          .groups = 32,
          .last = last};
}

constexpr auto kModels = std::to_array<TimmModel<Plan>>({
    {"dpn107",
     224,
     {.depths = {4, 8, 20, 3},
      .growth = {20, 64, 64, 128},
      .stem = 128,
      .inner = 200,
      .groups = 50}},
    {"dpn131", 224, {.depths = {4, 8, 28, 3}, .stem = 128, .inner = 160, .groups = 40}},
    {"dpn48b", 224, small({3, 4, 6, 3}, Last::Apart, silu)},
    {"dpn68", 224, small({3, 4, 12, 3}, Last::Split)},
    {"dpn68b", 224, small({3, 4, 12, 3}, Last::Apart)},
    {"dpn92",
     224,
     {.depths = {3, 4, 20, 3}, .growth = {16, 32, 24, 128}, .stem = 64, .inner = 96, .groups = 32}},
    {"dpn98", 224, {.depths = {3, 6, 20, 3}, .stem = 96, .inner = 160, .groups = 40}},
});

}  // namespace

std::vector<Entry> timm_dpn_family() {
  return timm_entries(kModels, "dual path network, ImageNet (timm, models/dpn.py)", build_network);
}

}  // namespace horus::zoo
