// SPDX-License-Identifier: Apache-2.0
// Residual networks whose spatial convolution is a set of paths: ResNeSt (Zhang et al. 2020,
// arXiv:2004.08955), selective kernels (Li et al. 2019, arXiv:1903.06586) and Res2Net (Gao et al.
// 2019, arXiv:1904.01169), as huggingface/pytorch-image-models (timm, models/resnest.py, sknet.py
// and res2net.py) builds them.

#include <algorithm>
#include <array>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

enum class Paths {
  Split,           ///< ResNeSt: equal paths, weighed channel by channel by an attention.
  Selective,       ///< Kernels of different reach on half of the channels each, weighed likewise.
  SelectiveWhole,  ///< The same on all channels.
  Hierarchical,    ///< Res2Net: each path adds its input to the output of the one before.
};
enum class Block { Bottleneck, Basic };
enum class Shortcut { Conv, Average };
/// Where an averaging reduction stands: in front of the paths or behind them.
enum class Reduce { Front, Behind };

using Depths = std::array<int, 4>;

/// Width of three 3x3 convolutions, the last twice as wide; 0: one 7x7 convolution.
using Stem = std::int64_t;

struct Plan {
  Paths paths{};
  Depths depths{};
  std::int64_t count{2};  ///< Paths; of Hierarchical the last passes its input on.
  Stem stem{0};
  Shortcut shortcut{Shortcut::Conv};
  Block block{Block::Bottleneck};
  std::int64_t groups{1};
  std::int64_t base_width{64};  ///< Of a group in the first stage.
  Reduce reduce{Reduce::Behind};
  std::int64_t squeeze{16};         ///< Channels over those of the attention of Selective.
  std::int64_t squeeze_divisor{8};  ///< The latter are a multiple of it.
};

constexpr double kSplitSqueeze = 0.25;
constexpr std::int64_t kSplitSqueezeMin = 32;

struct Place {
  std::string name;
  std::int64_t width{};  ///< Of the paths.
  std::int64_t stride{1};
  bool first{};  ///< In its stage.
};

/// The parts that the plan decides, bound to one network under construction.
class Network {
 public:
  Network(Builder& b, const Plan& plan) : b_{b}, plan_{plan} {}

  Value stem(const Value& image);
  Value block(const Place& place, const Value& x, std::int64_t channels);

 private:
  Value norm_relu(const std::string& norm, const std::string& act, const Value& x) {
    return relu(b_, act, batch_norm(b_, norm, x));
  }
  Value sum_of_paths(const std::string& name, const Value& x);
  Value weigh(const std::string& name, const Value& paths, const Value& weights);
  Value split_paths(const Place& place, const Value& x);
  Value split_attention(const std::string& name, const Value& x, std::int64_t channels);
  Value selective_paths(const Place& place, const Value& x);
  Value hierarchical_paths(const Place& place, const Value& x);
  Value spatial(const Place& place, const Value& x);
  Value shortcut(const Place& place, const Value& x, std::int64_t channels);

  Builder& b_;
  const Plan& plan_;
};

Value Network::stem(const Value& image) {
  Value x = image;
  if (plan_.stem == 0) {
    x = conv(b_, "conv1", x, centred(64, 7, 2));
  } else {
    x = conv(b_, "conv1.0", x, centred(plan_.stem, 3, 2));
    x = norm_relu("conv1.1", "conv1.2", x);
    x = conv(b_, "conv1.3", x, centred(plan_.stem, 3));
    x = norm_relu("conv1.4", "conv1.5", x);
    x = conv(b_, "conv1.6", x, centred(2 * plan_.stem, 3));
  }
  return max_pool(b_, "maxpool", norm_relu("bn1", "act1", x),
                  {.kernel = {3}, .stride = {2}, .padding = {1}});
}

/// Over axis 1 of (batch, paths, channels, height, width).
Value Network::sum_of_paths(const std::string& name, const Value& x) {
  return b_.add({.name = name,
                 .op_type = "ReduceSum",
                 .inputs = {x.name, b_.integers({1}).name},
                 .attributes = {{"keepdims", std::int64_t{0}}}},
                {x.shape[0], x.shape[2], x.shape[3], x.shape[4]});
}

/// The sum of the paths times the softmax of their weights.
Value Network::weigh(const std::string& name, const Value& paths, const Value& weights) {
  const Value shares =
      unary(b_, name + ".softmax", "Softmax", weights, {{"axis", std::int64_t{1}}});
  const Value column = reshape(b_, name + ".shares", shares, {0, paths.shape[1], -1, 1, 1},
                               {paths.shape[0], paths.shape[1], paths.shape[2], 1, 1});
  return sum_of_paths(name, binary(b_, name + ".mul", "Mul", paths, column));
}

Value Network::split_attention(const std::string& name, const Value& x, std::int64_t channels) {
  const std::int64_t count = plan_.count;
  const Value paths =
      count == 1 ? x
                 : reshape(b_, name + ".paths", x, {0, count, channels, x.shape[2], x.shape[3]},
                           {x.shape[0], count, channels, x.shape[2], x.shape[3]});
  const double squeezed = static_cast<double>(channels * count) * kSplitSqueeze;
  Value gate = count == 1 ? x : sum_of_paths(name + ".sum", paths);
  gate = spatial_mean(b_, name + ".mean", gate);
  gate = conv(b_, name + ".fc1", gate,
              {.channels = std::max(kSplitSqueezeMin, rounded_to(squeezed, 8)),
               .groups = plan_.groups,
               .bias = Bias::Trained});
  gate = norm_relu(name + ".bn1", name + ".act1", gate);
  gate = conv(b_, name + ".fc2", gate,
              {.channels = channels * count, .groups = plan_.groups, .bias = Bias::Trained});
  if (count == 1) return binary(b_, name, "Mul", x, sigmoid(b_, name + ".gate", gate));
  // Out of a grouped convolution the paths lie inside of the groups.
  const std::int64_t members = channels / plan_.groups;
  Value weights = reshape(b_, name + ".weights", gate, {0, plan_.groups, count, members},
                          {x.shape[0], plan_.groups, count, members});
  weights = transpose(b_, name + ".by_path", weights, {0, 2, 1, 3});
  return weigh(name, paths, weights);
}

Value Network::split_paths(const Place& place, const Value& x) {
  const std::string name = place.name + ".conv2";
  const std::int64_t stride = place.stride;
  const PoolSpec reduction{.kernel = {3}, .stride = {stride}, .padding = {1}};
  Value y = x;
  if (stride != 1 && plan_.reduce == Reduce::Front) {
    y = average_pool(b_, place.name + ".avd_first", y, reduction);
  }
  y = conv(b_, name + ".conv", y,
           centred(place.width * plan_.count, 3, 1, plan_.groups * plan_.count));
  y = split_attention(name, norm_relu(name + ".bn0", name + ".act0", y), place.width);
  if (stride == 1 || plan_.reduce == Reduce::Front) return y;
  return average_pool(b_, place.name + ".avd_last", y, reduction);
}

Value Network::selective_paths(const Place& place, const Value& x) {
  const std::string name = place.name + (plan_.block == Block::Basic ? ".conv1" : ".conv2");
  const std::int64_t half = x.shape[1] / 2;
  std::vector<Value> inputs{x, x};
  if (plan_.paths == Paths::Selective) inputs = split(b_, name + ".split", x, 1, {half, half});
  std::vector<Value> outputs;
  for (const std::int64_t reach : {1, 2}) {
    const std::string path = name + ".paths." + std::to_string(reach - 1);
    ConvSpec spec = centred(place.width, 3, place.stride, plan_.groups);
    spec.padding = {reach};
    spec.dilation = {reach};
    const Value y = conv_bn_act(b_, path, inputs[static_cast<std::size_t>(reach - 1)], spec, relu);
    outputs.push_back(b_.add({.name = path + ".stack",
                              .op_type = "Unsqueeze",
                              .inputs = {y.name, b_.integers({1}).name}},
                             {y.shape[0], 1, y.shape[1], y.shape[2], y.shape[3]}));
  }
  const Value paths = concat(b_, name + ".stack", outputs, 1);
  const double squeezed = static_cast<double>(place.width) / static_cast<double>(plan_.squeeze);
  Value gate = spatial_mean(b_, name + ".attn.mean", sum_of_paths(name + ".attn.sum", paths));
  gate = conv(b_, name + ".attn.fc_reduce", gate,
              {.channels = rounded_to(squeezed, plan_.squeeze_divisor)});
  gate = norm_relu(name + ".attn.bn", name + ".attn.act", gate);
  gate = conv(b_, name + ".attn.fc_select", gate, {.channels = 2 * place.width});
  gate = reshape(b_, name + ".attn.weights", gate, {0, 2, -1}, {x.shape[0], 2, place.width});
  return weigh(name, paths, gate);
}

Value Network::hierarchical_paths(const Place& place, const Value& x) {
  const std::int64_t width = place.width;
  const auto parts = split(b_, place.name + ".split", x, 1,
                           std::vector<std::int64_t>(static_cast<std::size_t>(plan_.count), width));
  std::vector<Value> outputs;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const std::string number = std::to_string(i);
    Value y = parts[i];
    if (i > 0 && !place.first) {
      y = binary(b_, place.name + ".add." + number, "Add", outputs.back(), y);
    }
    y = conv(b_, place.name + ".convs." + number, y, centred(width, 3, place.stride, plan_.groups));
    outputs.push_back(norm_relu(place.name + ".bns." + number, place.name + ".relus." + number, y));
  }
  Value last = parts.back();
  if (place.first) {
    last = average_pool(b_, place.name + ".pool", last,
                        {.kernel = {3}, .stride = {place.stride}, .padding = {1}});
  }
  outputs.push_back(last);
  return concat(b_, place.name + ".concat", outputs, 1);
}

Value Network::spatial(const Place& place, const Value& x) {
  switch (plan_.paths) {
    case Paths::Split:
      return split_paths(place, x);
    case Paths::Hierarchical:
      return hierarchical_paths(place, x);
    case Paths::Selective:
    case Paths::SelectiveWhole:
      break;
  }
  return selective_paths(place, x);
}

Value Network::shortcut(const Place& place, const Value& x, std::int64_t channels) {
  const std::string name = place.name + ".downsample";
  if (plan_.shortcut == Shortcut::Conv) {
    const Value y = conv(b_, name + ".0", x, {.channels = channels, .stride = {place.stride}});
    return batch_norm(b_, name + ".1", y);
  }
  Value y = x;
  if (place.stride != 1) {
    y = halving_average(b_, name + ".0", x);
  }
  return batch_norm(b_, name + ".2", conv(b_, name + ".1", y, {.channels = channels}));
}

Value Network::block(const Place& place, const Value& x, std::int64_t channels) {
  const std::string& name = place.name;
  Value y = x;
  if (plan_.block == Block::Basic) {
    y = conv(b_, name + ".conv2.conv", spatial(place, x), centred(channels, 3));
  } else {
    const bool cut = plan_.paths == Paths::Hierarchical;
    y = conv(b_, name + ".conv1", x, {.channels = place.width * (cut ? plan_.count : 1)});
    y = spatial(place, norm_relu(name + ".bn1", name + ".act1", y));
    y = conv(b_, name + ".conv3", y, {.channels = channels});
  }
  y = batch_norm(b_, name + ".bn3", y);
  const bool agrees = place.stride == 1 && x.shape[1] == channels;
  const Value past = agrees ? x : shortcut(place, x, channels);
  return relu(b_, name + ".act3", binary(b_, name + ".add", "Add", y, past));
}

void build_network(Builder& b, const Plan& plan, std::int64_t image) {
  Network network{b, plan};
  Value x = network.stem(b.input("input", {kBatch, 3, image, image}));
  const std::int64_t expansion = plan.block == Block::Basic ? 1 : 4;
  std::int64_t width = 64;
  for (std::size_t stage = 0; stage < plan.depths.size(); ++stage, width *= 2) {
    for (int block = 0; block < plan.depths[stage]; ++block) {
      Place place{.name = "layer" + std::to_string(stage + 1) + "." + std::to_string(block)};
      place.width = width * plan.base_width / 64 * plan.groups;
      place.stride = stage > 0 && block == 0 ? 2 : 1;
      place.first = block == 0;
      x = network.block(place, x, width * expansion);
    }
  }
  b.output(classifier(b, "global_pool", "fc", x));
}

constexpr Depths k18{2, 2, 2, 2};
constexpr Depths k50{3, 4, 6, 3};
constexpr Depths k101{3, 4, 23, 3};

constexpr Plan resnest(Depths depths, Stem stem) {
  return {.paths = Paths::Split, .depths = depths, .stem = stem, .shortcut = Shortcut::Average};
}

/// ResNeSt of `radix` paths, `groups` and `base_width`d.
constexpr Plan resnest50(std::int64_t radix, std::int64_t groups, std::int64_t base_width) {
  Plan plan = resnest(k50, 32);
  plan.count = radix;
  plan.groups = groups;
  plan.base_width = base_width;
  plan.reduce = Reduce::Front;
  return plan;
}

constexpr Plan selective(Depths depths, Stem stem, Shortcut shortcut) {
  return {.paths = Paths::Selective, .depths = depths, .stem = stem, .shortcut = shortcut};
}

constexpr Plan selective_basic(Depths depths) {
  return {.paths = Paths::Selective,
          .depths = depths,
          .block = Block::Basic,
          .squeeze = 8,
          .squeeze_divisor = 16};
}

/// Res2Net of `count` paths of `width` channels.
constexpr Plan res2(Depths depths, std::int64_t width, std::int64_t count) {
  return {.paths = Paths::Hierarchical, .depths = depths, .count = count, .base_width = width};
}

constexpr Plan res2d(Depths depths) {
  Plan plan = res2(depths, 26, 4);
  plan.stem = 32;
  plan.shortcut = Shortcut::Average;
  return plan;
}

constexpr auto kModels = std::to_array<TimmModel<Plan>>({
    {"res2net101_26w_4s", 224, res2(k101, 26, 4)},
    {"res2net101d", 224, res2d(k101)},
    {"res2net50_14w_8s", 224, res2(k50, 14, 8)},
    {"res2net50_26w_4s", 224, res2(k50, 26, 4)},
    {"res2net50_26w_6s", 224, res2(k50, 26, 6)},
    {"res2net50_26w_8s", 224, res2(k50, 26, 8)},
    {"res2net50_48w_2s", 224, res2(k50, 48, 2)},
    {"res2net50d", 224, res2d(k50)},
    {"resnest101e", 256, resnest(k101, 64)},
    {"resnest14d", 224, resnest({1, 1, 1, 1}, 32)},
    {"resnest200e", 320, resnest({3, 24, 36, 3}, 64)},
    {"resnest269e", 416, resnest({3, 30, 48, 8}, 64)},
    {"resnest26d", 224, resnest(k18, 32)},
    {"resnest50d", 224, resnest(k50, 32)},
    {"resnest50d_1s4x24d", 224, resnest50(1, 4, 24)},
    {"resnest50d_4s2x40d", 224, resnest50(4, 2, 40)},
    {"skresnet18", 224, selective_basic(k18)},
    {"skresnet34", 224, selective_basic(k50)},
    {"skresnet50", 224, selective(k50, 0, Shortcut::Conv)},
    {"skresnet50d", 224, selective(k50, 32, Shortcut::Average)},
    {"skresnext50_32x4d",
     224,
     {.paths = Paths::SelectiveWhole,
      .depths = k50,
      .groups = 32,
      .base_width = 4,
      .squeeze_divisor = 32}},
});

}  // namespace

std::vector<Entry> timm_multipath_family() {
  return timm_entries(kModels,
                      "residual network of several paths, ImageNet (timm, "
                      "models/resnest.py, sknet.py, res2net.py)",
                      build_network);
}

}  // namespace horus::zoo
