// SPDX-License-Identifier: Apache-2.0
// FastViT (Vasu et al. 2023, arXiv:2303.14189) and the image encoders of MobileCLIP
// (arXiv:2311.17049), as timm builds them for training: with the parallel branches that are merged
// into single convolutions afterwards. Stochastic depth is left out.

#include <array>

#include "horus/zoo/channel_attention.hpp"
#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/image_entry.hpp"
#include "horus/zoo/layers.hpp"
#include "horus/zoo/multi_head.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {
namespace {

enum class LastStage { Mixer, Attention };
/// Whether reductions have an activation, and from the third stage on a squeeze (MobileCLIP).
enum class Reductions { Plain, Squeezed };

struct Plan {
  std::array<int, 4> depths{};
  std::array<std::int64_t, 4> widths{};
  std::int64_t expansion{};
  LastStage last{LastStage::Mixer};
  Reductions reductions{Reductions::Plain};
};

constexpr std::int64_t kClasses = 1000;
constexpr std::int64_t kEmbedding = 512;  // What MobileCLIP compares with its texts.
constexpr std::int64_t kHeadWidth = 32;
constexpr std::int64_t kLargeKernel = 7;
constexpr std::size_t kFirstSqueezed = 2;

enum class Scale { With, Without };  ///< A 1x1 branch beside the main one.

/// A convolution in parallel branches that are added: 1x1, identity, and the main one.
struct BranchedSpec {
  ConvSpec main;
  int main_branches{1};
  Scale scale{Scale::With};
  std::int64_t squeezed{0};  ///< Width of a squeeze behind the sum; 0: none.
  Activation activation{gelu};
};

Value sum_of(Builder& b, const std::string& name, const std::vector<Value>& branches) {
  Value sum = branches.front();
  for (std::size_t i = 1; i < branches.size(); ++i) {
    sum = binary(b, name + ".add_" + std::to_string(i), "Add", sum, branches[i]);
  }
  return sum;
}

/// The block of MobileOne (arXiv:2206.04040).
Value branched(Builder& b, const std::string& name, const Value& x, const BranchedSpec& spec) {
  const ConvSpec& main = spec.main;
  std::vector<Value> branches;
  if (spec.scale == Scale::With && main.kernel.front() > 1) {
    ConvSpec point{.channels = main.channels, .stride = main.stride, .groups = main.groups};
    branches.push_back(conv_bn(b, name + ".conv_scale", x, point));
  }
  if (main.channels == x.shape[1] && main.stride.front() == 1) {
    branches.push_back(batch_norm(b, name + ".identity", x));
  }
  for (int i = 0; i < spec.main_branches; ++i) {
    branches.push_back(conv_bn(b, name + ".conv_kxk." + std::to_string(i), x, main));
  }
  Value y = sum_of(b, name, branches);
  if (spec.squeezed != 0) y = squeeze_excite(b, name + ".se", y, {.squeezed = spec.squeezed});
  return spec.activation(b, name + ".act", y);
}

ConvSpec depthwise(std::int64_t channels, std::int64_t kernel, std::int64_t stride = 1) {
  return centred(channels, kernel, stride, channels);
}

Value stem(Builder& b, const Value& image, std::int64_t width) {
  Value x = branched(b, "stem.0", image, {.main = centred(width, 3, 2)});
  x = branched(b, "stem.1", x, {.main = depthwise(width, 3, 2)});
  return branched(b, "stem.2", x, {.main = centred(width, 1)});
}

/// Half the side, `width` channels: a large and a small depthwise kernel in parallel, then 1x1.
Value reduction(Builder& b, const std::string& name, const Value& x, std::int64_t width,
                const Plan& plan, std::size_t stage) {
  const std::string first = name + ".proj.0";
  const std::int64_t groups = x.shape[1];
  const Value large = conv_bn(b, first + ".large_conv", x, centred(width, kLargeKernel, 2, groups));
  const Value small = conv_bn(b, first + ".small_conv", x, centred(width, 3, 2, groups));
  Value y = binary(b, first + ".add", "Add", large, small);
  if (plan.reductions == Reductions::Squeezed) {
    const double quarter = static_cast<double>(width) / 4;
    if (stage >= kFirstSqueezed) {
      y = squeeze_excite(b, first + ".se", y, {.squeezed = rounded_to(quarter, 8, 0)});
    }
    y = gelu(b, first + ".act", y);
  }
  return branched(b, name + ".proj.1", y, {.main = centred(width, 1)});
}

Value scaled(Builder& b, const std::string& name, const Value& x) {
  return layer_scale(b, name, x, {x.shape[1], 1, 1});
}

/// x + scale * (branches of 3x3 less the normalized input).
Value mixer(Builder& b, const std::string& name, const Value& x) {
  const std::int64_t width = x.shape[1];
  const Value normal = branched(b, name + ".norm", x,
                                {.main = depthwise(width, 3),
                                 .main_branches = 0,
                                 .scale = Scale::Without,
                                 .activation = identity});
  const Value mixed =
      branched(b, name + ".mixer", x, {.main = depthwise(width, 3), .activation = identity});
  const Value y = binary(b, name + ".sub", "Sub", mixed, normal);
  return binary(b, name + ".add", "Add", x, scaled(b, name + ".layer_scale", y));
}

Value conv_mlp(Builder& b, const std::string& name, const Value& x, std::int64_t expansion) {
  const std::int64_t width = x.shape[1];
  Value y = conv_bn(b, name + ".conv", x, depthwise(width, kLargeKernel));
  y = conv(b, name + ".fc1", y, {.channels = expansion * width, .bias = Bias::Trained});
  y = gelu(b, name + ".act", y);
  return conv(b, name + ".fc2", y, {.channels = width, .bias = Bias::Trained});
}

Value mixer_block(Builder& b, const std::string& name, const Value& x, std::int64_t expansion) {
  const Value middle = mixer(b, name + ".token_mixer", x);
  Value y = conv_mlp(b, name + ".mlp", middle, expansion);
  y = scaled(b, name + ".layer_scale", y);
  return binary(b, name + ".add", "Add", middle, y);
}

Value attention_block(Builder& b, const std::string& name, const Value& x, std::int64_t expansion) {
  const std::string mixer = name + ".token_mixer";
  Value y = map_to_tokens(b, mixer + ".tokens", batch_norm(b, name + ".norm", x));
  y = self_attention(b, mixer, y, {.heads = x.shape[1] / kHeadWidth, .bias = Bias::None});
  y = tokens_to_map(b, mixer + ".map", y, x.shape[2], x.shape[3]);
  y = scaled(b, name + ".layer_scale_1", y);
  const Value middle = binary(b, name + ".add_1", "Add", x, y);
  y = conv_mlp(b, name + ".mlp", middle, expansion);
  y = scaled(b, name + ".layer_scale_2", y);
  return binary(b, name + ".add_2", "Add", middle, y);
}

/// A depthwise convolution that tells positions apart.
Value position_encoding(Builder& b, const std::string& name, const Value& x) {
  ConvSpec spec = depthwise(x.shape[1], kLargeKernel);
  spec.bias = Bias::Trained;
  return binary(b, name + ".add", "Add", conv(b, name + ".pos_enc", x, spec), x);
}

void build_fastvit(Builder& b, const Plan& plan, std::int64_t image) {
  Value x = stem(b, b.input("input", {kBatch, 3, image, image}), plan.widths[0]);
  for (std::size_t stage = 0; stage < plan.widths.size(); ++stage) {
    const std::string name = "stages." + std::to_string(stage);
    const bool attends = stage + 1 == plan.widths.size() && plan.last == LastStage::Attention;
    if (stage > 0) x = reduction(b, name + ".downsample", x, plan.widths[stage], plan, stage);
    if (attends) x = position_encoding(b, name + ".pos_emb", x);
    for (int i = 0; i < plan.depths[stage]; ++i) {
      const std::string place = name + ".blocks." + std::to_string(i);
      x = attends ? attention_block(b, place, x, plan.expansion)
                  : mixer_block(b, place, x, plan.expansion);
    }
  }
  const std::int64_t last = 2 * x.shape[1];
  x = branched(b, "final_conv", x,
               {.main = centred(last, 3, 1, x.shape[1]), .squeezed = last / 16});
  const bool encodes = plan.reductions == Reductions::Squeezed;
  b.output(classifier(b, "head", "head.fc", x, 0, encodes ? kEmbedding : kClasses));
}

struct Row {
  const char* name;
  Plan plan;
};

constexpr std::array<std::int64_t, 4> kWidths48{48, 96, 192, 384};
constexpr std::array<std::int64_t, 4> kWidths64{64, 128, 256, 512};
constexpr std::array<std::int64_t, 4> kWidths76{76, 152, 304, 608};
constexpr std::array<std::int64_t, 4> kWidths80{80, 160, 320, 640};
constexpr auto kAttention = LastStage::Attention;
constexpr auto kSqueezed = Reductions::Squeezed;

constexpr auto kRows = std::to_array<Row>({
    {"fastvit_t8", {{2, 2, 4, 2}, kWidths48, 3}},
    {"fastvit_t12", {{2, 2, 6, 2}, kWidths64, 3}},
    {"fastvit_s12", {{2, 2, 6, 2}, kWidths64, 4}},
    {"fastvit_sa12", {{2, 2, 6, 2}, kWidths64, 4, kAttention}},
    {"fastvit_sa24", {{4, 4, 12, 4}, kWidths64, 4, kAttention}},
    {"fastvit_sa36", {{6, 6, 18, 6}, kWidths64, 4, kAttention}},
    {"fastvit_ma36", {{6, 6, 18, 6}, kWidths76, 4, kAttention}},
    {"fastvit_mci0", {{2, 6, 10, 2}, kWidths64, 3, kAttention, kSqueezed}},
    {"fastvit_mci1", {{4, 12, 20, 4}, kWidths64, 3, kAttention, kSqueezed}},
    {"fastvit_mci2", {{4, 12, 24, 4}, kWidths80, 3, kAttention, kSqueezed}},
});

}  // namespace

std::vector<Entry> fastvit_family() {
  std::vector<Entry> entries;
  for (const Row& row : kRows) {
    const char* description = row.plan.reductions == kSqueezed
                                  ? "MobileCLIP image encoder (arXiv:2311.17049, timm)"
                                  : "FastViT, ImageNet (arXiv:2303.14189, timm)";
    entries.push_back(image_entry(
        row.name, description, 256, {},
        [plan = row.plan](Builder& b, std::int64_t image) { build_fastvit(b, plan, image); }));
  }
  return entries;
}

}  // namespace horus::zoo
