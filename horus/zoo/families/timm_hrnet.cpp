// SPDX-License-Identifier: Apache-2.0
// High resolution networks (Wang et al. 2019, arXiv:1908.07919), as
// huggingface/pytorch-image-models (timm, models/hrnet.py) builds them for classification: branches
// of falling resolution side by side that are fused again and again.

#include <array>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/layers.hpp"
#include "horus/zoo/numbered_conv.hpp"

namespace horus::zoo {
namespace {

struct Plan {
  std::int64_t width{};  ///< Of the branch of highest resolution; each further one doubles it.
  int depth{4};          ///< Blocks of a branch between two fusions.
  std::array<int, 3> fusions{1, 4, 3};  ///< Of the stages of two, three and four branches.
  std::int64_t first{64};               ///< Width inside of the first blocks, ...
  int first_depth{4};                   ///< ... and how many they are.
  Bias head_bias{Bias::Trained};        ///< Of the head's convolutions.
};

constexpr std::int64_t kExpansion = 4;
constexpr std::int64_t kFeatures = 2048;
constexpr std::array<std::int64_t, 4> kHeadWidths{32, 64, 128, 256};

using Branches = std::vector<Value>;

std::string at(const std::string& name, std::size_t index) {
  return name + "." + std::to_string(index);
}

/// Convolution NAME.0 and its normalization NAME.1.
Value norm_conv(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec) {
  return batch_norm(b, name + ".1", conv(b, name + ".0", x, spec));
}

Value norm_conv_relu(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec) {
  return relu(b, name + ".2", norm_conv(b, name, x, spec));
}

Value bottleneck(Builder& b, const std::string& name, const Value& x, std::int64_t inner) {
  const std::int64_t channels = inner * kExpansion;
  Value y = numbered_conv_relu(b, name, 1, x, {.channels = inner});
  y = numbered_conv_relu(b, name, 2, y, centred(inner, 3));
  y = numbered_conv(b, name, 3, y, {.channels = channels});
  const bool agrees = x.shape[1] == channels;
  const Value past = agrees ? x : norm_conv(b, name + ".downsample", x, {.channels = channels});
  return relu(b, name + ".relu3", binary(b, name + ".add", "Add", y, past));
}

Value basic(Builder& b, const std::string& name, const Value& x) {
  const std::int64_t channels = x.shape[1];
  const Value y = numbered_conv(b, name, 2, numbered_conv_relu(b, name, 1, x, centred(channels, 3)),
                                centred(channels, 3));
  return relu(b, name + ".relu2", binary(b, name + ".add", "Add", y, x));
}

/// Branch `from` in the width and resolution of branch `to`.
Value fused_part(Builder& b, const std::string& name, const Branches& branches, std::size_t to,
                 std::size_t from) {
  Value y = branches[from];
  const std::int64_t channels = branches[to].shape[1];
  if (from == to) return y;
  if (from > to) {
    y = norm_conv(b, name, y, {.channels = channels});
    return upsample(b, name + ".2", y, std::int64_t{1} << (from - to));
  }
  for (std::size_t i = 0; i + 1 < to - from; ++i) {
    y = norm_conv_relu(b, at(name, i), y, centred(y.shape[1], 3, 2));
  }
  return norm_conv(b, at(name, to - from - 1), y, centred(channels, 3, 2));
}

Branches fuse(Builder& b, const std::string& name, const Branches& branches) {
  Branches fused;
  for (std::size_t to = 0; to < branches.size(); ++to) {
    const std::string place = at(name + ".fuse_layers", to);
    Value sum = fused_part(b, at(place, 0), branches, to, 0);
    for (std::size_t from = 1; from < branches.size(); ++from) {
      const Value part = fused_part(b, at(place, from), branches, to, from);
      sum = binary(b, at(place + ".add", from), "Add", sum, part);
    }
    fused.push_back(relu(b, place + ".relu", sum));
  }
  return fused;
}

Branches stage(Builder& b, const std::string& name, Branches branches, int fusions, int depth) {
  for (int module = 0; module < fusions; ++module) {
    const std::string place = name + "." + std::to_string(module);
    for (std::size_t i = 0; i < branches.size(); ++i) {
      for (int block = 0; block < depth; ++block) {
        const std::string branch = at(place + ".branches", i) + "." + std::to_string(block);
        branches[i] = basic(b, branch, branches[i]);
      }
    }
    branches = fuse(b, place, branches);
  }
  return branches;
}

/// One branch more, reduced from the last; the first transition also narrows the only branch.
Branches transition(Builder& b, const std::string& name, Branches branches, std::int64_t width) {
  const Value last = branches.back();
  if (branches.size() == 1) {
    branches[0] = norm_conv_relu(b, at(name, 0), last, centred(width, 3));
  }
  const std::int64_t channels = width << branches.size();
  const std::string place = at(name, branches.size()) + ".0";
  branches.push_back(norm_conv_relu(b, place, last, centred(channels, 3, 2)));
  return branches;
}

Value head(Builder& b, const Branches& branches, Bias bias) {
  Value y = bottleneck(b, "incre_modules.0.0", branches[0], kHeadWidths[0]);
  for (std::size_t i = 1; i < branches.size(); ++i) {
    ConvSpec down = centred(kHeadWidths[i] * kExpansion, 3, 2);
    down.bias = bias;
    const Value reduced = norm_conv_relu(b, at("downsamp_modules", i - 1), y, down);
    const Value wide = bottleneck(b, at("incre_modules", i) + ".0", branches[i], kHeadWidths[i]);
    y = binary(b, at("head.add", i), "Add", wide, reduced);
  }
  return norm_conv_relu(b, "final_layer", y, {.channels = kFeatures, .bias = bias});
}

void build_network(Builder& b, const Plan& plan, std::int64_t image) {
  Value x = b.input("input", {kBatch, 3, image, image});
  x = numbered_conv_relu(b, "stem", 1, x, centred(64, 3, 2));
  x = numbered_conv_relu(b, "stem", 2, x, centred(64, 3, 2));
  for (int i = 0; i < plan.first_depth; ++i) {
    x = bottleneck(b, "layer1." + std::to_string(i), x, plan.first);
  }
  Branches branches{x};
  for (std::size_t i = 0; i < plan.fusions.size(); ++i) {
    branches = transition(b, "transition" + std::to_string(i + 1), std::move(branches), plan.width);
    branches =
        stage(b, "stage" + std::to_string(i + 2), std::move(branches), plan.fusions[i], plan.depth);
  }
  b.output(classifier(b, "global_pool", "classifier", head(b, branches, plan.head_bias)));
}

constexpr auto kModels = std::to_array<TimmModel<Plan>>({
    {"hrnet_w18", 224, {.width = 18}},
    {"hrnet_w18_small",
     224,
     {.width = 16, .depth = 2, .fusions = {1, 1, 1}, .first = 32, .first_depth = 1}},
    {"hrnet_w18_small_v2", 224, {.width = 18, .depth = 2, .fusions = {1, 3, 2}, .first_depth = 2}},
    {"hrnet_w18_ssld", 224, {.width = 18, .head_bias = Bias::None}},
    {"hrnet_w30", 224, {.width = 30}},
    {"hrnet_w32", 224, {.width = 32}},
    {"hrnet_w40", 224, {.width = 40}},
    {"hrnet_w44", 224, {.width = 44}},
    {"hrnet_w48", 224, {.width = 48}},
    {"hrnet_w48_ssld", 224, {.width = 48, .head_bias = Bias::None}},
    {"hrnet_w64", 224, {.width = 64}},
});

}  // namespace

/// Upsampled branches meet those of higher resolution only where each reduction halves evenly.
std::vector<Entry> timm_hrnet_family() {
  return timm_entries(kModels, "high resolution network, ImageNet (timm, models/hrnet.py)",
                      build_network, {.min = 32, .max = 4096, .step = 32});
}

}  // namespace horus::zoo
