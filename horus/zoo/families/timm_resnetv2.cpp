// SPDX-License-Identifier: Apache-2.0
// Residual networks with the activation in front (He et al. 2016, arXiv:1603.05027) and Big
// Transfer, which standardizes their kernels (Kolesnikov et al. 2020, arXiv:1912.11370), as
// huggingface/pytorch-image-models (timm, models/resnetv2.py) builds them.

#include <array>

#include "horus/zoo/activating_norm.hpp"
#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/layers.hpp"
#include "horus/zoo/standardized_conv.hpp"

namespace horus::zoo {
namespace {

enum class Norm { Batch, Group, Evo, FilterResponse };
enum class Kernel { Plain, Standardized };
enum class Shortcut { Conv, Average };

using Depths = std::array<int, 4>;

/// Widths of the first two of three 3x3 convolutions; 0: one 7x7 convolution.
struct Stem {
  std::int64_t first{};
  std::int64_t second{};
};

constexpr Stem kPlain{};
constexpr Stem kDeep{32, 32};
constexpr Stem kTiered{24, 32};

struct Plan {
  Depths depths{};
  Stem stem{kPlain};
  Shortcut shortcut{Shortcut::Conv};
  Norm norm{Norm::Batch};
  Kernel kernel{Kernel::Plain};
  std::int64_t width{1};  ///< Factor of all widths.
  std::int64_t classes{1000};
};

constexpr std::int64_t kGroups = 32;

/// The parts that the plan decides, bound to one network under construction.
class Network {
 public:
  Network(Builder& b, const Plan& plan) : b_{b}, plan_{plan} {}

  Value stem(const Value& image);
  Value block(const std::string& name, const Value& x, std::int64_t channels, std::int64_t stride);
  Value norm_act(const std::string& name, const Value& x);

 private:
  Value conv(const std::string& name, const Value& x, const ConvSpec& spec);
  Value shortcut(const std::string& name, const Value& x, std::int64_t channels,
                 std::int64_t stride);

  Builder& b_;
  const Plan& plan_;
};

Value Network::conv(const std::string& name, const Value& x, const ConvSpec& spec) {
  return plan_.kernel == Kernel::Plain ? zoo::conv(b_, name, x, spec)
                                       : standardized_conv(b_, name, x, spec);
}

Value Network::norm_act(const std::string& name, const Value& x) {
  switch (plan_.norm) {
    case Norm::Group:
      return relu(b_, name + ".act", group_norm(b_, name, x, kGroups));
    case Norm::Evo:
      return evo_norm(b_, name, x, kGroups);
    case Norm::FilterResponse:
      return filter_response_norm(b_, name, x);
    case Norm::Batch:
      break;
  }
  return relu(b_, name + ".act", batch_norm(b_, name, x));
}

Value Network::stem(const Value& image) {
  const std::int64_t channels = 64 * plan_.width;
  Value x = image;
  if (plan_.stem.first == 0) {
    x = conv("stem.conv", x, centred(channels, 7, 2));
  } else {
    x = norm_act("stem.norm1", conv("stem.conv1", x, centred(plan_.stem.first, 3, 2)));
    x = norm_act("stem.norm2", conv("stem.conv2", x, centred(plan_.stem.second, 3)));
    x = conv("stem.conv3", x, centred(channels, 3));
  }
  return max_pool(b_, "stem.pool", x, {.kernel = {3}, .stride = {2}, .padding = {1}});
}

Value Network::shortcut(const std::string& name, const Value& x, std::int64_t channels,
                        std::int64_t stride) {
  if (plan_.shortcut == Shortcut::Conv) {
    return conv(name + ".conv", x, {.channels = channels, .stride = {stride}});
  }
  if (stride == 1) return conv(name + ".conv", x, {.channels = channels});
  const Value pooled = halving_average(b_, name + ".pool", x);
  return conv(name + ".conv", pooled, {.channels = channels});
}

Value Network::block(const std::string& name, const Value& x, std::int64_t channels,
                     std::int64_t stride) {
  const std::int64_t inner = channels / 4;
  const Value activated = norm_act(name + ".norm1", x);
  const bool agrees = x.shape[1] == channels && stride == 1;
  const Value past = agrees ? x : shortcut(name + ".downsample", activated, channels, stride);
  Value y = conv(name + ".conv1", activated, {.channels = inner});
  y = conv(name + ".conv2", norm_act(name + ".norm2", y), centred(inner, 3, stride));
  y = conv(name + ".conv3", norm_act(name + ".norm3", y), {.channels = channels});
  return binary(b_, name + ".add", "Add", y, past);
}

void build_network(Builder& b, const Plan& plan, std::int64_t image) {
  Network network{b, plan};
  Value x = network.stem(b.input("input", {kBatch, 3, image, image}));
  std::int64_t channels = 256 * plan.width;
  for (std::size_t stage = 0; stage < plan.depths.size(); ++stage, channels *= 2) {
    for (int block = 0; block < plan.depths[stage]; ++block) {
      const std::string name =
          "stages." + std::to_string(stage) + ".blocks." + std::to_string(block);
      x = network.block(name, x, channels, stage > 0 && block == 0 ? 2 : 1);
    }
  }
  x = global_average_pool(b, "head.global_pool", network.norm_act("norm", x));
  x = conv(b, "head.fc", x, {.channels = plan.classes, .bias = Bias::Trained});
  b.output(flatten(b, "head.flatten", x));
}

constexpr Depths k50{3, 4, 6, 3};
constexpr Depths k101{3, 4, 23, 3};
constexpr Depths k152{3, 8, 36, 3};

constexpr Plan plain(Depths depths) { return {.depths = depths}; }

constexpr Plan averaged(Depths depths, Stem stem, Norm norm = Norm::Batch) {
  return {.depths = depths, .stem = stem, .shortcut = Shortcut::Average, .norm = norm};
}

/// Big Transfer at `width` times the width.
constexpr Plan bit(Depths depths, std::int64_t width) {
  return {.depths = depths, .norm = Norm::Group, .kernel = Kernel::Standardized, .width = width};
}

constexpr auto kModels = std::to_array<TimmModel<Plan>>({
    {"resnetv2_101", 224, plain(k101)},
    {"resnetv2_101d", 224, averaged(k101, kDeep)},
    {"resnetv2_101x1_bit", 448, bit(k101, 1)},
    {"resnetv2_101x3_bit", 448, bit(k101, 3)},
    {"resnetv2_152", 224, plain(k152)},
    {"resnetv2_152d", 224, averaged(k152, kDeep)},
    {"resnetv2_152x2_bit", 224, bit(k152, 2)},
    {"resnetv2_152x4_bit", 480, bit(k152, 4)},
    {"resnetv2_50", 224, plain(k50)},
    {"resnetv2_50d", 224, averaged(k50, kDeep)},
    {"resnetv2_50d_evos", 224, averaged(k50, kDeep, Norm::Evo)},
    {"resnetv2_50d_frn", 224, averaged(k50, kDeep, Norm::FilterResponse)},
    {"resnetv2_50d_gn", 224, averaged(k50, kDeep, Norm::Group)},
    {"resnetv2_50t", 224, averaged(k50, kTiered)},
    {"resnetv2_50x1_bit", 224, bit(k50, 1)},
    {"resnetv2_50x3_bit", 448, bit(k50, 3)},
});

}  // namespace

std::vector<Entry> timm_resnetv2_family() {
  return timm_entries(kModels,
                      "residual network, activation in front, ImageNet (timm, "
                      "models/resnetv2.py)",
                      build_network);
}

}  // namespace horus::zoo
