// SPDX-License-Identifier: Apache-2.0
// ReXNet (Han et al. 2021, arXiv:2007.00992), as timm builds it: widths that grow by the same
// amount with every block, and shortcuts into the first channels of a wider output.

#include <array>
#include <cmath>

#include "horus/zoo/channel_attention.hpp"
#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/image_entry.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

struct Plan {
  double width{1};          ///< Factor of all channels.
  std::int64_t divisor{1};  ///< Channels are multiples of it.
};

constexpr std::array<int, 6> kDepths{1, 2, 2, 3, 3, 5};
constexpr std::array<std::int64_t, 6> kStrides{1, 2, 2, 2, 1, 2};
constexpr std::size_t kSqueezeFrom = 2;  // Stages from here on have a squeeze.
constexpr int kBlocks = 16;
constexpr double kFirst = 16;
constexpr double kGrowth = 180;  // Over all blocks together.
constexpr double kStem = 32;
constexpr double kHead = 1280;
constexpr std::int64_t kSqueeze = 12;  // Inner channels over those of the squeeze.
constexpr std::int64_t kExpansion = 6;

/// `channels` scaled; the first layers do not shrink below their own width.
std::int64_t early(double channels, const Plan& plan) {
  const double base = plan.width < 1 ? channels / plan.width : channels;
  return rounded_to(std::nearbyint(base * plan.width), plan.divisor);
}

struct BlockSpec {
  std::int64_t channels{};
  std::int64_t stride{1};
  std::int64_t expansion{1};
  std::int64_t squeezed{0};  ///< 0: no squeeze.
};

Value shortcut(Builder& b, const std::string& name, const Value& x, const Value& y) {
  const std::int64_t kept = x.shape[1];
  const std::int64_t added = y.shape[1] - kept;
  if (added == 0) return binary(b, name + ".add", "Add", y, x);
  const std::vector<Value> parts = split(b, name + ".split", y, 1, {kept, added});
  const Value sum = binary(b, name + ".add", "Add", parts[0], x);
  return concat(b, name + ".concat", std::vector<Value>{sum, parts[1]}, 1);
}

Value block(Builder& b, const std::string& name, const Value& x, const BlockSpec& spec) {
  Value y = x;
  const std::int64_t inner = spec.expansion * x.shape[1];
  if (spec.expansion != 1) y = conv_bn_act(b, name + ".conv_exp", y, {.channels = inner}, silu);
  y = conv_bn(b, name + ".conv_dw", y, centred(inner, 3, spec.stride, inner));
  if (spec.squeezed != 0) {
    y = squeeze_excite(b, name + ".se", y, {.squeezed = spec.squeezed, .normalize = batch_norm});
  }
  y = conv_bn(b, name + ".conv_pwl", relu6(b, name + ".act_dw", y), {.channels = spec.channels});
  const bool residual = spec.stride == 1 && x.shape[1] <= spec.channels;
  return residual ? shortcut(b, name, x, y) : y;
}

void build_rexnet(Builder& b, const Plan& plan, std::int64_t image) {
  Value x = b.input("input", {kBatch, 3, image, image});
  x = conv_bn_act(b, "stem", x, centred(early(kStem, plan), 3, 2), silu);
  int index = 0;
  double width = plan.width < 1 ? kFirst / plan.width : kFirst;
  for (std::size_t stage = 0; stage < kDepths.size(); ++stage) {
    for (int i = 0; i < kDepths[stage]; ++i, width += kGrowth / kBlocks) {
      const std::int64_t expansion = stage == 0 ? 1 : kExpansion;
      const std::int64_t inner = expansion * x.shape[1];
      const std::int64_t squeezed = rounded_to(static_cast<double>(inner / kSqueeze), plan.divisor);
      x = block(b, "features." + std::to_string(index++), x,
                {.channels = rounded_to(std::nearbyint(width * plan.width), plan.divisor),
                 .stride = i == 0 ? kStrides[stage] : 1,
                 .expansion = expansion,
                 .squeezed = stage < kSqueezeFrom ? 0 : squeezed});
    }
  }
  const std::int64_t head = rounded_to(kHead * plan.width, plan.divisor);
  x = conv_bn_act(b, "features." + std::to_string(index), x, {.channels = head}, silu);
  b.output(classifier(b, "head", "head.fc", x, 0.2));
}

struct Row {
  const char* name;
  Plan plan;
};

constexpr auto kRows = std::to_array<Row>({{"rexnet_100", {1.0, 1}},
                                           {"rexnet_130", {1.3, 1}},
                                           {"rexnet_150", {1.5, 1}},
                                           {"rexnet_200", {2.0, 1}},
                                           {"rexnet_300", {3.0, 1}},
                                           {"rexnetr_100", {1.0, 8}},
                                           {"rexnetr_130", {1.3, 8}},
                                           {"rexnetr_150", {1.5, 8}},
                                           {"rexnetr_200", {2.0, 8}},
                                           {"rexnetr_300", {3.0, 16}}});

}  // namespace

std::vector<Entry> rexnet_family() {
  std::vector<Entry> entries;
  for (const Row& row : kRows) {
    entries.push_back(image_entry(
        row.name, "ReXNet, ImageNet (arXiv:2007.00992, timm)", 224, {},
        [plan = row.plan](Builder& b, std::int64_t image) { build_rexnet(b, plan, image); }));
  }
  return entries;
}

}  // namespace horus::zoo
