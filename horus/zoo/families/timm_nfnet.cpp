// SPDX-License-Identifier: Apache-2.0
// Residual networks without normalization layers (Brock et al. 2021, arXiv:2101.08692 and
// arXiv:2102.06171), as huggingface/pytorch-image-models (timm, models/nfnet.py) builds them: the
// kernels are standardized, and constants keep the variance of the activations.

#include <array>
#include <cmath>

#include "horus/zoo/channel_attention.hpp"
#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/layers.hpp"
#include "horus/zoo/same_padding.hpp"
#include "horus/zoo/standardized_conv.hpp"

namespace horus::zoo {
namespace {

enum class Stem { Quad, Conv3, Conv7Pooled };
enum class Attention { None, SqueezeExcite, Efficient };
/// Where the attention stands and what the inner width is a multiple of: behind the block and its
/// output (ResNet), or before the last convolution and its input (RegNet).
enum class Form { ResNet, RegNet };
/// Whether constants that correct for the activation stand in the kernels, as timm trains, or in
/// the activations, as the published networks of DeepMind have them, with "SAME" padding and a
/// trained scale at the end of a block.
enum class Origin { Timm, DeepMind };
enum class Spatial { Once, Twice };

using Four = std::array<std::int64_t, 4>;

struct Nonlinearity {
  Activation function{relu};
  double correction{};  ///< Of the standard deviation of a normally distributed input.
};

// The inverse of the standard deviation of f(x), x normally distributed: arXiv:2101.08692,
// appendix; the digits are those of deepmind/deepmind-research/nfnets.
constexpr Nonlinearity kRelu{relu, 1.7139588594436646};
constexpr Nonlinearity kGelu{gelu, 1.7015043497085571};
constexpr Nonlinearity kSilu{silu, 1.7881293296813965};

struct Plan {
  Four depths{};
  Four channels{256, 512, 1536, 1536};
  Stem stem{Stem::Quad};
  std::int64_t stem_channels{128};
  std::int64_t group{0};     ///< Channels of a group; 0: no groups.
  double ratio{0.5};         ///< Inner width over that of a side.
  std::int64_t features{0};  ///< Width of a last 1x1 convolution; 0: there is none.
  Nonlinearity activation{kRelu};
  Attention attention{Attention::None};
  double squeeze{0.5};  ///< Of the channels.
  Form form{Form::ResNet};
  Spatial spatial{Spatial::Once};
  Origin origin{Origin::Timm};
};

constexpr std::int64_t kDivisor = 8;
constexpr double kBranchScale = 0.2;
constexpr double kAttentionGain = 2;

struct BlockSpec {
  std::int64_t channels{};
  std::int64_t stride{1};
  double ratio{};
  double variance{1};  ///< Expected of the input.
};

/// The parts that the plan decides, bound to one network under construction.
class Network {
 public:
  Network(Builder& b, const Plan& plan) : b_{b}, plan_{plan} {}

  Value stem(const Value& image);
  Value block(const std::string& name, const Value& x, const BlockSpec& spec);
  Value act(const std::string& name, const Value& x);
  Value conv(const std::string& name, const Value& x, ConvSpec spec);

 private:
  Value scale(const std::string& name, const Value& x, double factor);
  Value attend(const std::string& name, const Value& x);
  Value shortcut(const std::string& name, const Value& x, const BlockSpec& spec);
  Value branch(const std::string& name, const Value& x, const BlockSpec& spec);
  [[nodiscard]] ConvSpec spatial(std::int64_t inner, std::int64_t stride) const;

  Builder& b_;
  const Plan& plan_;
};

Value Network::scale(const std::string& name, const Value& x, double factor) {
  return binary(b_, name, "Mul", x, b_.number(factor));
}

Value Network::act(const std::string& name, const Value& x) {
  const Value y = plan_.activation.function(b_, name, x);
  if (plan_.origin == Origin::Timm) return y;
  return scale(name + ".gamma", y, plan_.activation.correction);
}

Value Network::conv(const std::string& name, const Value& x, ConvSpec spec) {
  spec.bias = Bias::Trained;
  if (plan_.origin == Origin::Timm) {
    return scaled_standardized_conv(b_, name, x, spec, plan_.activation.correction);
  }
  if (spec.stride.front() == 1) return scaled_standardized_conv(b_, name, x, spec, 1);
  const Value padded = pad_same(b_, name + ".pad", x, spec.kernel.front(), spec.stride.front());
  spec.padding = {0};
  return scaled_standardized_conv(b_, name, padded, spec, 1);
}

Value Network::stem(const Value& image) {
  const std::int64_t channels = plan_.stem_channels;
  if (plan_.stem == Stem::Conv3) return conv("stem.conv", image, centred(channels, 3, 2));
  if (plan_.stem == Stem::Conv7Pooled) {
    const Value x = conv("stem.conv", image, centred(channels, 7, 2));
    return max_pool(b_, "stem.pool", x, {.kernel = {3}, .stride = {2}, .padding = {1}});
  }
  Value x = conv("stem.conv1", image, centred(channels / 8, 3, 2));
  x = conv("stem.conv2", act("stem.act2", x), centred(channels / 4, 3));
  x = conv("stem.conv3", act("stem.act3", x), centred(channels / 2, 3));
  return conv("stem.conv4", act("stem.act4", x), centred(channels, 3, 2));
}

Value Network::attend(const std::string& name, const Value& x) {
  if (plan_.attention == Attention::None) return x;
  if (plan_.attention == Attention::Efficient) {
    return scale(name + ".gain", efficient_channel_attention(b_, name, x), kAttentionGain);
  }
  const double squeezed = static_cast<double>(x.shape[1]) * plan_.squeeze;
  const Value y = squeeze_excite(b_, name, x, {.squeezed = rounded_to(squeezed, kDivisor, 0)});
  return scale(name + ".gain", y, kAttentionGain);
}

ConvSpec Network::spatial(std::int64_t inner, std::int64_t stride) const {
  return centred(inner, 3, stride, plan_.group == 0 ? 1 : inner / plan_.group);
}

Value Network::branch(const std::string& name, const Value& x, const BlockSpec& spec) {
  const std::int64_t side = plan_.form == Form::RegNet ? x.shape[1] : spec.channels;
  std::int64_t inner = rounded_to(static_cast<double>(side) * spec.ratio, kDivisor);
  if (plan_.group != 0) inner -= inner % plan_.group;
  Value y = conv(name + ".conv1", x, {.channels = inner});
  y = conv(name + ".conv2", act(name + ".act2", y), spatial(inner, spec.stride));
  if (plan_.spatial == Spatial::Twice) {
    y = conv(name + ".conv2b", act(name + ".act2b", y), spatial(inner, 1));
  }
  if (plan_.form == Form::RegNet) y = attend(name + ".attn", y);
  y = conv(name + ".conv3", act(name + ".act3", y), {.channels = spec.channels});
  return plan_.form == Form::RegNet ? y : attend(name + ".attn_last", y);
}

Value Network::shortcut(const std::string& name, const Value& x, const BlockSpec& spec) {
  if (spec.stride == 1) return conv(name + ".conv", x, {.channels = spec.channels});
  const Value pooled = halving_average(b_, name + ".pool", x);
  return conv(name + ".conv", pooled, {.channels = spec.channels});
}

Value Network::block(const std::string& name, const Value& x, const BlockSpec& spec) {
  const Value activated =
      scale(name + ".beta", act(name + ".act1", x), 1 / std::sqrt(spec.variance));
  const bool agrees = spec.stride == 1 && x.shape[1] == spec.channels;
  const Value past = agrees ? x : shortcut(name + ".downsample", activated, spec);
  Value y = branch(name, activated, spec);
  if (plan_.origin == Origin::DeepMind) {
    y = binary(b_, name + ".skipinit", "Mul", y, b_.parameter(name + ".skipinit_gain", {}));
  }
  return binary(b_, name + ".add", "Add", scale(name + ".alpha", y, kBranchScale), past);
}

/// The expected variance starts anew behind the first block of each stage, which has a shortcut
/// with a convolution.
void build_network(Builder& b, const Plan& plan, std::int64_t image) {
  Network network{b, plan};
  Value x = network.stem(b.input("input", {kBatch, 3, image, image}));
  double variance = 1;
  for (std::size_t stage = 0; stage < plan.depths.size(); ++stage) {
    for (std::int64_t block = 0; block < plan.depths[stage]; ++block) {
      const std::string name = "stages." + std::to_string(stage) + "." + std::to_string(block);
      const bool reduces = block == 0 && (stage > 0 || plan.stem == Stem::Conv3);
      const bool first = block == 0 && stage == 0;
      x = network.block(name, x,
                        {.channels = plan.channels[stage],
                         .stride = reduces ? 2 : 1,
                         .ratio = first && plan.form == Form::RegNet ? 1 : plan.ratio,
                         .variance = variance});
      if (block == 0) variance = 1;
      variance += kBranchScale * kBranchScale;
    }
  }
  if (plan.features != 0) x = network.conv("final_conv", x, {.channels = plan.features});
  b.output(classifier(b, "head", "head.fc", network.act("final_act", x)));
}

constexpr Four k26{2, 2, 2, 2};
constexpr Four k50{3, 4, 6, 3};
constexpr Four k101{3, 4, 23, 3};

constexpr Plan res(Four depths, Attention attention) {
  return {.depths = depths,
          .channels = {256, 512, 1024, 2048},
          .stem = Stem::Conv7Pooled,
          .stem_channels = 64,
          .ratio = 0.25,
          .attention = attention,
          .squeeze = 1.0 / 16};
}

constexpr Plan reg(Four depths, Four channels, std::int64_t stem, std::int64_t features) {
  return {.depths = depths,
          .channels = channels,
          .stem = Stem::Conv3,
          .stem_channels = stem,
          .group = 8,
          .ratio = 2.25,
          .features = features,
          .activation = kSilu,
          .attention = Attention::SqueezeExcite,
          .form = Form::RegNet};
}

/// NFNet-F`size`, in order of size from 0.
constexpr Plan nfnet(std::int64_t size, Origin origin) {
  const std::int64_t n = size + 1;
  return {.depths = {n, 2 * n, 6 * n, 3 * n},
          .group = 128,
          .features = 3072,
          .activation = kGelu,
          .attention = Attention::SqueezeExcite,
          .spatial = Spatial::Twice,
          .origin = origin};
}

/// The light form of it.
constexpr Plan light(std::int64_t size, std::int64_t features, Attention attention) {
  Plan plan = nfnet(size, Origin::Timm);
  plan.group = 64;
  plan.ratio = 0.25;
  plan.features = features;
  plan.activation = kSilu;
  plan.attention = attention;
  plan.squeeze = 0.25;
  return plan;
}

constexpr auto kModels = std::to_array<TimmModel<Plan>>({
    {"dm_nfnet_f0", 192, nfnet(0, Origin::DeepMind)},
    {"dm_nfnet_f1", 224, nfnet(1, Origin::DeepMind)},
    {"dm_nfnet_f2", 256, nfnet(2, Origin::DeepMind)},
    {"dm_nfnet_f3", 320, nfnet(3, Origin::DeepMind)},
    {"dm_nfnet_f4", 384, nfnet(4, Origin::DeepMind)},
    {"dm_nfnet_f5", 416, nfnet(5, Origin::DeepMind)},
    {"dm_nfnet_f6", 448, nfnet(6, Origin::DeepMind)},
    {"eca_nfnet_l0", 224, light(0, 2304, Attention::Efficient)},
    {"eca_nfnet_l1", 256, light(1, 3072, Attention::Efficient)},
    {"eca_nfnet_l2", 320, light(2, 3072, Attention::Efficient)},
    {"eca_nfnet_l3", 352, light(3, 3072, Attention::Efficient)},
    {"nf_ecaresnet101", 224, res(k101, Attention::Efficient)},
    {"nf_ecaresnet26", 224, res(k26, Attention::Efficient)},
    {"nf_ecaresnet50", 224, res(k50, Attention::Efficient)},
    {"nf_regnet_b0", 192, reg({1, 3, 6, 6}, {40, 80, 160, 328}, 40, 960)},
    {"nf_regnet_b1", 256, reg({2, 4, 7, 7}, {40, 80, 160, 328}, 40, 960)},
    {"nf_regnet_b2", 240, reg({2, 4, 8, 8}, {40, 88, 176, 368}, 40, 1064)},
    {"nf_regnet_b3", 288, reg({2, 5, 9, 9}, {40, 96, 184, 400}, 40, 1152)},
    {"nf_regnet_b4", 320, reg({2, 6, 11, 11}, {48, 112, 216, 464}, 48, 1344)},
    {"nf_regnet_b5", 384, reg({3, 7, 14, 14}, {64, 128, 256, 528}, 64, 1536)},
    {"nf_resnet101", 224, res(k101, Attention::None)},
    {"nf_resnet26", 224, res(k26, Attention::None)},
    {"nf_resnet50", 256, res(k50, Attention::None)},
    {"nf_seresnet101", 224, res(k101, Attention::SqueezeExcite)},
    {"nf_seresnet26", 224, res(k26, Attention::SqueezeExcite)},
    {"nf_seresnet50", 224, res(k50, Attention::SqueezeExcite)},
    {"nfnet_f0", 192, nfnet(0, Origin::Timm)},
    {"nfnet_f1", 224, nfnet(1, Origin::Timm)},
    {"nfnet_f2", 256, nfnet(2, Origin::Timm)},
    {"nfnet_f3", 320, nfnet(3, Origin::Timm)},
    {"nfnet_f4", 384, nfnet(4, Origin::Timm)},
    {"nfnet_f5", 416, nfnet(5, Origin::Timm)},
    {"nfnet_f6", 448, nfnet(6, Origin::Timm)},
    {"nfnet_f7", 480, nfnet(7, Origin::Timm)},
    {"nfnet_l0", 224, light(0, 2304, Attention::SqueezeExcite)},
});

}  // namespace

std::vector<Entry> timm_nfnet_family() {
  return timm_entries(kModels, "no normalization layers, ImageNet (timm, models/nfnet.py)",
                      build_network);
}

}  // namespace horus::zoo
