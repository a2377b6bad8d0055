// SPDX-License-Identifier: Apache-2.0
// GhostNet (Han et al. 2020, arXiv:1911.11907) and GhostNetV2 (Tang et al. 2022, arXiv:2211.12905),
// as timm builds them: half of a layer's channels are made from the other half by a cheap depthwise
// convolution.

#include <array>

#include "horus/zoo/channel_attention.hpp"
#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/image_entry.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

enum class Version { One, Two };
enum class Gate { None, Decoupled };  ///< Decoupled: version 2's attention along rows and columns.

struct Plan {
  Version version{};
  double width{1};
};

struct Bottleneck {
  int stage{};
  std::int64_t kernel{};
  std::int64_t inner{};
  std::int64_t channels{};
  double squeeze{};  ///< Over the inner width; 0: none.
  std::int64_t stride{};
};

// Table 1 of the paper.
constexpr auto kRows = std::to_array<Bottleneck>({
    {0, 3, 16, 16, 0, 1},
    {1, 3, 48, 24, 0, 2},
    {2, 3, 72, 24, 0, 1},
    {3, 5, 72, 40, 0.25, 2},
    {4, 5, 120, 40, 0.25, 1},
    {5, 3, 240, 80, 0, 2},
    {6, 3, 200, 80, 0, 1},
    {6, 3, 184, 80, 0, 1},
    {6, 3, 184, 80, 0, 1},
    {6, 3, 480, 112, 0.25, 1},
    {6, 3, 672, 112, 0.25, 1},
    {7, 5, 672, 160, 0.25, 2},
    {8, 5, 960, 160, 0, 1},
    {8, 5, 960, 160, 0.25, 1},
    {8, 5, 960, 160, 0, 1},
    {8, 5, 960, 160, 0.25, 1},
});

constexpr std::int64_t kStem = 16;
constexpr std::int64_t kLast = 960;
constexpr std::int64_t kHead = 1280;
constexpr std::int64_t kDivisor = 4;
constexpr std::size_t kFirstGated = 2;  // Version 2: blocks from here on.

std::int64_t scaled(const Plan& plan, std::int64_t channels) {
  return rounded_to(static_cast<double>(channels) * plan.width, kDivisor);
}

/// Convolution and normalization of an nn.Sequential, numbers `index` and the next.
Value conv_bn_at(Builder& b, const std::string& name, int index, const Value& x,
                 const ConvSpec& spec) {
  const Value y = conv(b, name + "." + std::to_string(index), x, spec);
  return batch_norm(b, name + "." + std::to_string(index + 1), y);
}

ConvSpec depthwise(std::int64_t channels, std::int64_t kernel, std::int64_t stride = 1) {
  return centred(channels, kernel, stride, channels);
}

/// `x` spread to the side of `like`, every pixel repeated.
Value spread_like(Builder& b, const std::string& name, const Value& x, const Value& like) {
  // Half a pixel more than the ratio, so that rounding down cannot lose the last one.
  const auto factor = [&](std::size_t axis) {
    return (static_cast<double>(like.shape[axis]) + 0.5) / static_cast<double>(x.shape[axis]);
  };
  const Value scales = b.numbers(name + ".scales", {4}, {1, 1, factor(2), factor(3)});
  return b.add({.name = name,
                .op_type = "Resize",
                .inputs = {x.name, "", scales.name},
                .attributes = {{"coordinate_transformation_mode", std::string{"asymmetric"}},
                               {"mode", std::string{"nearest"}},
                               {"nearest_mode", std::string{"floor"}}}},
               {x.shape[0], x.shape[1], like.shape[2], like.shape[3]});
}

/// Version 2's gate: strips of five along rows, then columns, at half the side.
Value decoupled_gate(Builder& b, const std::string& name, const Value& x, const Value& like) {
  const std::string place = name + ".short_conv";
  const std::int64_t channels = like.shape[1];
  Value y = average_pool(b, name + ".avg_pool", x, {.kernel = {2}, .stride = {2}});
  y = conv_bn_at(b, place, 0, y, {.channels = channels});
  y = conv_bn_at(b, place, 2, y,
                 {.channels = channels, .kernel = {1, 5}, .padding = {0, 2}, .groups = channels});
  y = conv_bn_at(b, place, 4, y,
                 {.channels = channels, .kernel = {5, 1}, .padding = {2, 0}, .groups = channels});
  return spread_like(b, name + ".interpolate", sigmoid(b, name + ".gate_fn", y), like);
}

Value ghost(Builder& b, const std::string& name, const Value& x, std::int64_t channels,
            Activation activation, Gate gate) {
  const std::int64_t half = (channels + 1) / 2;
  const std::string primary = name + ".primary_conv";
  const std::string cheap = name + ".cheap_operation";
  Value first = conv_bn_at(b, primary, 0, x, {.channels = half});
  first = activation(b, primary + ".2", first);
  Value second = conv_bn_at(b, cheap, 0, first, depthwise(half, 3));
  second = activation(b, cheap + ".2", second);
  const Value y = concat(b, name + ".concat", std::vector<Value>{first, second}, 1);
  if (gate == Gate::None) return y;
  return binary(b, name + ".mul", "Mul", y, decoupled_gate(b, name, x, y));
}

Value shortcut(Builder& b, const std::string& name, const Value& x, const Bottleneck& row) {
  if (row.stride == 1 && x.shape[1] == row.channels) return x;
  const Value y = conv_bn_at(b, name, 0, x, depthwise(x.shape[1], row.kernel, row.stride));
  return conv_bn_at(b, name, 2, y, {.channels = row.channels});
}

Value bottleneck(Builder& b, const std::string& name, const Value& x, const Bottleneck& row,
                 Gate gate) {
  Value y = ghost(b, name + ".ghost1", x, row.inner, relu, gate);
  if (row.stride > 1) {
    y = conv(b, name + ".conv_dw", y, depthwise(row.inner, row.kernel, row.stride));
    y = batch_norm(b, name + ".bn_dw", y);
  }
  if (row.squeeze != 0) {
    const std::int64_t squeezed =
        rounded_to(static_cast<double>(row.inner) * row.squeeze, kDivisor);
    y = squeeze_excite(b, name + ".se", y, {.squeezed = squeezed, .gate = hard_sigmoid});
  }
  y = ghost(b, name + ".ghost2", y, row.channels, identity, Gate::None);
  return binary(b, name + ".add", "Add", y, shortcut(b, name + ".shortcut", x, row));
}

void build_ghostnet(Builder& b, const Plan& plan, std::int64_t image) {
  Value x = b.input("input", {kBatch, 3, image, image});
  x = conv(b, "conv_stem", x, centred(scaled(plan, kStem), 3, 2));
  x = relu(b, "act1", batch_norm(b, "bn1", x));
  int block = 0;
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    Bottleneck row = kRows[i];
    row.inner = scaled(plan, row.inner);
    row.channels = scaled(plan, row.channels);
    block = i > 0 && kRows[i - 1].stage == row.stage ? block + 1 : 0;
    const bool gated = plan.version == Version::Two && i >= kFirstGated;
    const std::string name = "blocks." + std::to_string(row.stage) + "." + std::to_string(block);
    x = bottleneck(b, name, x, row, gated ? Gate::Decoupled : Gate::None);
  }
  const std::string last = "blocks." + std::to_string(kRows.back().stage + 1) + ".0";
  x = conv(b, last + ".conv", x, {.channels = scaled(plan, kLast)});
  x = relu(b, last + ".act1", batch_norm(b, last + ".bn1", x));
  x = global_average_pool(b, "global_pool", x);
  x = relu(b, "act2", conv(b, "conv_head", x, {.channels = kHead, .bias = Bias::Trained}));
  x = dropout(b, "dropout", flatten(b, "flatten", x), 0.2);
  b.output(linear(b, "classifier", x, 1000));
}

struct Network {
  const char* name;
  const char* what;
  Plan plan;
};

constexpr const char* kOne = "GhostNet, ImageNet (arXiv:1911.11907, timm)";
constexpr const char* kTwo = "GhostNetV2, ImageNet (arXiv:2211.12905, timm)";

constexpr auto kNetworks = std::to_array<Network>({{"ghostnet_050", kOne, {Version::One, 0.5}},
                                                   {"ghostnet_100", kOne, {Version::One, 1.0}},
                                                   {"ghostnet_130", kOne, {Version::One, 1.3}},
                                                   {"ghostnetv2_100", kTwo, {Version::Two, 1.0}},
                                                   {"ghostnetv2_130", kTwo, {Version::Two, 1.3}},
                                                   {"ghostnetv2_160", kTwo, {Version::Two, 1.6}}});

}  // namespace

std::vector<Entry> ghostnet_family() {
  std::vector<Entry> entries;
  for (const Network& each : kNetworks) {
    entries.push_back(image_entry(
        each.name, each.what, 224, {.min = 64},
        [plan = each.plan](Builder& b, std::int64_t image) { build_ghostnet(b, plan, image); }));
  }
  return entries;
}

}  // namespace horus::zoo
