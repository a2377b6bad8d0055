// SPDX-License-Identifier: Apache-2.0
// The residual networks of huggingface/pytorch-image-models (timm, models/resnet.py) beyond those
// that torchvision has too: deep stems and averaging shortcuts (He et al. 2018, arXiv:1812.01187),
// grouped convolutions (ResNeXt, arXiv:1611.05431), squeeze and excitation (arXiv:1709.01507),
// efficient channel attention (arXiv:1910.03151), low-pass filters before reductions
// (arXiv:1904.11486), ResNet-RS (arXiv:2103.07579), group normalization (arXiv:1803.08494).

#include <array>

#include "horus/zoo/channel_attention.hpp"
#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

enum class Block { Bottleneck, Basic };
/// How a shortcut is reduced: by a strided convolution, or by an average before a convolution.
enum class Shortcut { Conv, Average };
enum class Attention { None, SqueezeExcite, Efficient };
enum class AntiAlias { None, Blur, Average };
/// What reduces the stem's output.
enum class StemPool { Max, Conv };
enum class Norm { Batch, Group };

using Depths = std::array<int, 4>;

/// Widths of the convolutions in front of the stages: one 7x7, or three 3x3.
struct Stem {
  std::int64_t first{};   ///< 0: one 7x7 convolution.
  std::int64_t second{};  ///< 0: one 7x7 convolution.
  std::int64_t last{};
};

constexpr Stem kPlain{0, 0, 64};
constexpr Stem kDeep{32, 32, 64};
constexpr Stem kTiered{24, 32, 64};
constexpr Stem kWide{64, 64, 128};

struct Plan {
  Depths depths{};
  Stem stem{kPlain};
  Shortcut shortcut{Shortcut::Conv};
  Block block{Block::Bottleneck};
  std::int64_t groups{1};       ///< Of the 3x3 convolutions of bottlenecks.
  std::int64_t base_width{64};  ///< Of a group in the first stage.
  Attention attention{Attention::None};
  std::int64_t squeeze{16};  ///< Channels over those of the squeeze.
  AntiAlias anti_alias{AntiAlias::None};
  StemPool stem_pool{StemPool::Max};
  Norm norm{Norm::Batch};
};

constexpr std::int64_t kNormGroups = 32;

std::int64_t expansion(const Plan& plan) { return plan.block == Block::Bottleneck ? 4 : 1; }

/// The parts that the plan decides, bound to one network under construction.
class Network {
 public:
  Network(Builder& b, const Plan& plan) : b_{b}, plan_{plan} {}

  Value stem(const Value& image);
  Value block(const std::string& name, const Value& x, std::int64_t width, std::int64_t stride);

 private:
  Value norm(const std::string& name, const Value& x);
  Value norm_relu(const std::string& name, const std::string& act, const Value& x);
  Value stem_pool(const Value& x);
  Value anti_alias(const std::string& name, const Value& x);
  Value spatial(const std::string& name, int index, const Value& x, ConvSpec spec);
  Value attend(const std::string& name, const Value& x);
  Value branch(const std::string& name, const Value& x, std::int64_t width, std::int64_t stride);
  Value shortcut(const std::string& name, const Value& x, std::int64_t channels,
                 std::int64_t stride);

  Builder& b_;
  const Plan& plan_;
};

Value Network::norm(const std::string& name, const Value& x) {
  return plan_.norm == Norm::Batch ? batch_norm(b_, name, x) : group_norm(b_, name, x, kNormGroups);
}

Value Network::norm_relu(const std::string& name, const std::string& act, const Value& x) {
  return relu(b_, act, norm(name, x));
}

Value Network::anti_alias(const std::string& name, const Value& x) {
  if (plan_.anti_alias == AntiAlias::Blur) return blur_pool(b_, name, x);
  return average_pool(b_, name, x, {.kernel = {2}, .stride = {2}});
}

Value Network::stem_pool(const Value& x) {
  if (plan_.stem_pool == StemPool::Conv) {
    const Value y = conv(b_, "maxpool.0", x, centred(x.shape[1], 3, 2));
    return norm_relu("maxpool.1", "maxpool.2", y);
  }
  switch (plan_.anti_alias) {
    case AntiAlias::Average:
      return anti_alias("maxpool", x);
    case AntiAlias::Blur:
      return anti_alias("maxpool.1", max_pool(b_, "maxpool.0", x, {.kernel = {3}, .padding = {1}}));
    case AntiAlias::None:
      break;
  }
  return max_pool(b_, "maxpool", x, {.kernel = {3}, .stride = {2}, .padding = {1}});
}

Value Network::stem(const Value& image) {
  Value x = image;
  if (plan_.stem.first == 0) {
    x = conv(b_, "conv1", x, centred(plan_.stem.last, 7, 2));
  } else {
    x = conv(b_, "conv1.0", x, centred(plan_.stem.first, 3, 2));
    x = norm_relu("conv1.1", "conv1.2", x);
    x = conv(b_, "conv1.3", x, centred(plan_.stem.second, 3));
    x = norm_relu("conv1.4", "conv1.5", x);
    x = conv(b_, "conv1.6", x, centred(plan_.stem.last, 3));
  }
  return stem_pool(norm_relu("bn1", "act1", x));
}

/// Convolution `index` of a block, normalization, activation. Where reductions are filtered the
/// convolution keeps the size and the filter reduces it.
Value Network::spatial(const std::string& name, int index, const Value& x, ConvSpec spec) {
  const bool filtered = plan_.anti_alias != AntiAlias::None && spec.stride.front() == 2;
  if (filtered) spec.stride = {1};
  const std::string number = std::to_string(index);
  const Value y = norm_relu(name + ".bn" + number, name + ".act" + number,
                            conv(b_, name + ".conv" + number, x, spec));
  return filtered ? anti_alias(name + ".aa", y) : y;
}

Value Network::attend(const std::string& name, const Value& x) {
  switch (plan_.attention) {
    case Attention::SqueezeExcite: {
      const double squeezed = static_cast<double>(x.shape[1]) / static_cast<double>(plan_.squeeze);
      return squeeze_excite(b_, name, x, {.squeezed = rounded_to(squeezed, 8, 0)});
    }
    case Attention::Efficient:
      return efficient_channel_attention(b_, name, x);
    case Attention::None:
      break;
  }
  return x;
}

/// The branch of a block that is added to the shortcut.
Value Network::branch(const std::string& name, const Value& x, std::int64_t width,
                      std::int64_t stride) {
  if (plan_.block == Block::Basic) {
    const Value y = spatial(name, 1, x, centred(width, 3, stride));
    return norm(name + ".bn2", conv(b_, name + ".conv2", y, centred(width, 3)));
  }
  const std::int64_t inner = width * plan_.base_width / 64 * plan_.groups;
  Value y =
      norm_relu(name + ".bn1", name + ".act1", conv(b_, name + ".conv1", x, {.channels = inner}));
  y = spatial(name, 2, y, centred(inner, 3, stride, plan_.groups));
  y = conv(b_, name + ".conv3", y, {.channels = width * expansion(plan_)});
  return norm(name + ".bn3", y);
}

Value Network::shortcut(const std::string& name, const Value& x, std::int64_t channels,
                        std::int64_t stride) {
  if (stride == 1 && x.shape[1] == channels) return x;
  if (plan_.shortcut == Shortcut::Conv) {
    const Value y = conv(b_, name + ".0", x, {.channels = channels, .stride = {stride}});
    return norm(name + ".1", y);
  }
  Value y = x;
  if (stride != 1) {
    y = halving_average(b_, name + ".0", x);
  }
  return norm(name + ".2", conv(b_, name + ".1", y, {.channels = channels}));
}

Value Network::block(const std::string& name, const Value& x, std::int64_t width,
                     std::int64_t stride) {
  const Value y = attend(name + ".se", branch(name, x, width, stride));
  const Value past = shortcut(name + ".downsample", x, y.shape[1], stride);
  return relu(b_, name + ".act", binary(b_, name + ".add", "Add", y, past));
}

void build_network(Builder& b, const Plan& plan, std::int64_t image) {
  Network network{b, plan};
  Value x = network.stem(b.input("input", {kBatch, 3, image, image}));
  std::int64_t width = 64;
  for (std::size_t stage = 0; stage < plan.depths.size(); ++stage, width *= 2) {
    for (int block = 0; block < plan.depths[stage]; ++block) {
      const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(block);
      x = network.block(name, x, width, stage > 0 && block == 0 ? 2 : 1);
    }
  }
  b.output(classifier(b, "global_pool", "fc", x));
}

constexpr Depths k18{2, 2, 2, 2};  // 26 with bottlenecks.
constexpr Depths k34{3, 4, 6, 3};  // 50 with bottlenecks.
constexpr Depths k101{3, 4, 23, 3};
constexpr Depths k152{3, 8, 36, 3};
constexpr Depths k200{3, 24, 36, 3};
constexpr Depths k269{3, 30, 48, 8};

/// "-D" in timm's names: deep stem, averaging shortcuts.
constexpr Plan d(Plan plan) {
  plan.stem = kDeep;
  plan.shortcut = Shortcut::Average;
  return plan;
}

/// "-T": the same with a tiered stem.
constexpr Plan t(Plan plan) {
  plan.stem = kTiered;
  plan.shortcut = Shortcut::Average;
  return plan;
}

constexpr Plan se(Plan plan) {
  plan.attention = Attention::SqueezeExcite;
  return plan;
}

constexpr Plan eca(Plan plan) {
  plan.attention = Attention::Efficient;
  return plan;
}

constexpr Plan averaged(Plan plan) {
  plan.anti_alias = AntiAlias::Average;
  return plan;
}

constexpr Plan blurred(Plan plan) {
  plan.anti_alias = AntiAlias::Blur;
  return plan;
}

constexpr Plan basic(Depths depths) { return {.depths = depths, .block = Block::Basic}; }

constexpr Plan bottleneck(Depths depths) { return {.depths = depths}; }

/// ResNeXt: `groups` x `base_width`d.
constexpr Plan next(Depths depths, std::int64_t groups, std::int64_t base_width) {
  return {.depths = depths, .groups = groups, .base_width = base_width};
}

constexpr Plan rs(Depths depths) {
  Plan plan = se(d(bottleneck(depths)));
  plan.squeeze = 4;
  plan.stem_pool = StemPool::Conv;
  return plan;
}

constexpr Plan with_stem(Depths depths, Stem stem) { return {.depths = depths, .stem = stem}; }

constexpr auto kModels = std::to_array<TimmModel<Plan>>({
    {"ecaresnet101d", 224, eca(d(bottleneck(k101)))},
    {"ecaresnet200d", 256, eca(d(bottleneck(k200)))},
    {"ecaresnet269d", 320, eca(d(bottleneck(k269)))},
    {"ecaresnet26t", 256, eca(t(bottleneck(k18)))},
    {"ecaresnet50d", 224, eca(d(bottleneck(k34)))},
    {"ecaresnet50t", 256, eca(t(bottleneck(k34)))},
    {"ecaresnext26t_32x4d", 224, eca(t(next(k18, 32, 4)))},
    {"resnet101c", 224, with_stem(k101, kDeep)},
    {"resnet101d", 256, d(bottleneck(k101))},
    {"resnet101s", 224, with_stem(k101, kWide)},
    {"resnet10t", 176, t(basic({1, 1, 1, 1}))},
    {"resnet14t", 176, t(bottleneck({1, 1, 1, 1}))},
    {"resnet152c", 224, with_stem(k152, kDeep)},
    {"resnet152d", 256, d(bottleneck(k152))},
    {"resnet152s", 224, with_stem(k152, kWide)},
    {"resnet18d", 224, d(basic(k18))},
    {"resnet200", 224, bottleneck(k200)},
    {"resnet200d", 256, d(bottleneck(k200))},
    {"resnet26", 224, bottleneck(k18)},
    {"resnet26d", 224, d(bottleneck(k18))},
    {"resnet26t", 256, t(bottleneck(k18))},
    {"resnet34d", 224, d(basic(k34))},
    {"resnet50_gn", 224, {.depths = k34, .norm = Norm::Group}},
    {"resnet50c", 224, with_stem(k34, kDeep)},
    {"resnet50d", 224, d(bottleneck(k34))},
    {"resnet50s", 224, with_stem(k34, kWide)},
    {"resnet50t", 224, t(bottleneck(k34))},
    {"resnetaa101d", 224, averaged(d(bottleneck(k101)))},
    {"resnetaa34d", 224, averaged(d(basic(k34)))},
    {"resnetaa50", 224, averaged(bottleneck(k34))},
    {"resnetaa50d", 224, averaged(d(bottleneck(k34)))},
    {"resnetblur18", 224, blurred(basic(k18))},
    {"resnetblur50", 224, blurred(bottleneck(k34))},
    {"resnetblur50d", 224, blurred(d(bottleneck(k34)))},
    {"resnetblur101d", 224, blurred(d(bottleneck(k101)))},
    {"resnetrs101", 192, rs(k101)},
    {"resnetrs152", 256, rs(k152)},
    {"resnetrs200", 256, rs(k200)},
    {"resnetrs270", 256, rs({4, 29, 53, 4})},
    {"resnetrs350", 288, rs({4, 36, 72, 4})},
    {"resnetrs420", 320, rs({4, 44, 87, 4})},
    {"resnetrs50", 160, rs(k34)},
    {"resnext101_32x16d", 224, next(k101, 32, 16)},
    {"resnext101_32x32d", 224, next(k101, 32, 32)},
    {"resnext101_32x48d", 224, next(k101, 32, 48)},
    {"resnext101_32x4d", 224, next(k101, 32, 4)},
    {"resnext50d_32x4d", 224, d(next(k34, 32, 4))},
    {"seresnet101", 224, se(bottleneck(k101))},
    {"seresnet152", 224, se(bottleneck(k152))},
    {"seresnet152d", 256, se(d(bottleneck(k152)))},
    {"seresnet18", 224, se(basic(k18))},
    {"seresnet200d", 256, se(d(bottleneck(k200)))},
    {"seresnet269d", 256, se(d(bottleneck(k269)))},
    {"seresnet34", 224, se(basic(k34))},
    {"seresnet50", 224, se(bottleneck(k34))},
    {"seresnet50t", 224, se(t(bottleneck(k34)))},
    {"seresnetaa50d", 224, se(averaged(d(bottleneck(k34))))},
    {"seresnext101_32x4d", 224, se(next(k101, 32, 4))},
    {"seresnext101_32x8d", 224, se(next(k101, 32, 8))},
    {"seresnext101_64x4d", 224, se(next(k101, 64, 4))},
    {"seresnext101d_32x8d", 224, se(d(next(k101, 32, 8)))},
    {"seresnext26d_32x4d", 224, se(d(next(k18, 32, 4)))},
    {"seresnext26t_32x4d", 224, se(t(next(k18, 32, 4)))},
    {"seresnext50_32x4d", 224, se(next(k34, 32, 4))},
    {"seresnextaa101d_32x8d", 288, se(averaged(d(next(k101, 32, 8))))},
});

}  // namespace

std::vector<Entry> timm_resnet_family() {
  return timm_entries(kModels, "residual network, ImageNet (timm, models/resnet.py)",
                      build_network);
}

}  // namespace horus::zoo
