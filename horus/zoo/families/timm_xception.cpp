// SPDX-License-Identifier: Apache-2.0
// Xception (Chollet 2016, arXiv:1610.02357) and its aligned form (Chen et al. 2018,
// arXiv:1802.02611), as huggingface/pytorch-image-models (timm, models/xception.py and
// xception_aligned.py) builds them.

#include <array>
#include <optional>
#include <vector>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

enum class Skip { Added, None };
/// Where normalizations and activations stand: behind both convolutions of a separable pair
/// (Behind), or once in front of the pair (Front).
enum class NormPlace { Behind, Front };

struct Module {
  std::array<std::int64_t, 3> channels{};
  std::int64_t stride{1};
  Skip skip{Skip::Added};
};

struct Plan {
  std::vector<Module> modules;
  NormPlace norm{NormPlace::Behind};
};

ConvSpec depthwise(const Value& x, std::int64_t stride) {
  return centred(x.shape[1], 3, stride, x.shape[1]);
}

Value norm_relu(Builder& b, const std::string& name, const Value& x) {
  return relu(b, name + ".act", batch_norm(b, name, x));
}

/// Relu in front of the three pairs, or, without a skip, behind each convolution.
Value module_behind(Builder& b, const std::string& name, const Value& x, const Module& module) {
  const Activation inner = module.skip == Skip::None ? relu : identity;
  Value y = x;
  for (std::size_t i = 0; i < module.channels.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    if (module.skip == Skip::Added) y = relu(b, name + ".stack.act" + number, y);
    const std::string place = name + ".stack.conv" + number;
    y = conv(b, place + ".conv_dw", y, depthwise(y, i == 2 ? module.stride : 1));
    y = inner(b, place + ".act_dw", batch_norm(b, place + ".bn_dw", y));
    y = conv(b, place + ".conv_pw", y, {.channels = module.channels[i]});
    y = inner(b, place + ".act_pw", batch_norm(b, place + ".bn_pw", y));
  }
  if (module.skip == Skip::None) return y;
  Value past = x;
  if (module.stride != 1 || x.shape[1] != y.shape[1]) {
    past = conv_bn(b, name + ".shortcut", x, {.channels = y.shape[1], .stride = {module.stride}});
  }
  return binary(b, name + ".add", "Add", y, past);
}

Value module_front(Builder& b, const std::string& name, const Value& x, const Module& module) {
  const Value activated = norm_relu(b, name + ".norm", x);
  Value y = activated;
  for (std::size_t i = 0; i < module.channels.size(); ++i) {
    const std::string place = name + ".stack.conv" + std::to_string(i + 1);
    if (i > 0) y = norm_relu(b, place + ".norm", y);
    y = conv(b, place + ".conv_dw", y, depthwise(y, i == 2 ? module.stride : 1));
    y = conv(b, place + ".conv_pw", y, {.channels = module.channels[i]});
  }
  if (module.skip == Skip::None) return y;
  Value past = x;
  if (module.stride != 1 || x.shape[1] != y.shape[1]) {
    past = conv(b, name + ".shortcut", x, {.channels = y.shape[1], .stride = {module.stride}});
  }
  return binary(b, name + ".add", "Add", y, past);
}

void build_aligned(Builder& b, const Plan& plan, std::int64_t image) {
  Value x = b.input("input", {kBatch, 3, image, image});
  x = conv_bn_act(b, "stem.0", x, centred(32, 3, 2), relu);
  const bool front = plan.norm == NormPlace::Front;
  x = front ? conv(b, "stem.1", x, centred(64, 3))
            : conv_bn_act(b, "stem.1", x, centred(64, 3), relu);
  for (std::size_t i = 0; i < plan.modules.size(); ++i) {
    const std::string name = "blocks." + std::to_string(i);
    x = front ? module_front(b, name, x, plan.modules[i])
              : module_behind(b, name, x, plan.modules[i]);
  }
  if (front) x = relu(b, "act", x);
  b.output(classifier(b, "head", "head.fc", x));
}

Module even(std::int64_t channels, std::int64_t stride) {
  return {.channels = {channels, channels, channels}, .stride = stride};
}

/// `middle` equal modules between entry and exit.
Plan aligned(std::vector<Module> entry, std::size_t middle, NormPlace norm) {
  Plan plan{.modules = std::move(entry), .norm = norm};
  plan.modules.insert(plan.modules.end(), middle, even(728, 1));
  plan.modules.push_back({.channels = {728, 1024, 1024}, .stride = 2});
  plan.modules.push_back({.channels = {1536, 1536, 2048}, .skip = Skip::None});
  return plan;
}

/// A block of the first form: pairs of widths `channels`, the reduction a pool behind them.
struct Legacy {
  std::vector<std::int64_t> channels;
  std::int64_t stride{1};
};

Value separable(Builder& b, const std::string& name, const Value& x, std::int64_t channels) {
  const Value y = conv(b, name + ".conv1", x, depthwise(x, 1));
  return conv(b, name + ".pointwise", y, {.channels = channels});
}

/// The first block of the network starts with a convolution, all others with an activation.
Value legacy_block(Builder& b, const std::string& name, const Value& x, const Legacy& block) {
  Value y = x;
  for (std::size_t i = 0; i < block.channels.size(); ++i) {
    const std::string place = name + ".rep." + std::to_string(i);
    if (i > 0 || name != "block1") y = relu(b, place + ".relu", y);
    y = batch_norm(b, place + ".bn", separable(b, place, y, block.channels[i]));
  }
  if (block.stride == 1) return binary(b, name + ".add", "Add", y, x);
  y = max_pool(b, name + ".pool", y, {.kernel = {3}, .stride = {2}, .padding = {1}});
  const Value past = conv(b, name + ".skip", x, {.channels = y.shape[1], .stride = {2}});
  return binary(b, name + ".add", "Add", y, batch_norm(b, name + ".skipbn", past));
}

void build_legacy(Builder& b, const std::vector<Legacy>& blocks, std::int64_t image) {
  Value x = b.input("input", {kBatch, 3, image, image});
  x = conv(b, "conv1", x, {.channels = 32, .kernel = {3}, .stride = {2}});
  x = norm_relu(b, "bn1", x);
  x = norm_relu(b, "bn2", conv(b, "conv2", x, {.channels = 64, .kernel = {3}}));
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    x = legacy_block(b, "block" + std::to_string(i + 1), x, blocks[i]);
  }
  x = norm_relu(b, "bn3", separable(b, "conv3", x, 1536));
  x = norm_relu(b, "bn4", separable(b, "conv4", x, 2048));
  b.output(classifier(b, "global_pool", "fc", x));
}

std::vector<Legacy> legacy_blocks() {
  std::vector<Legacy> blocks{{{128, 128}, 2}, {{256, 256}, 2}, {{728, 728}, 2}};
  blocks.insert(blocks.end(), 8, {{728, 728, 728}, 1});
  blocks.push_back({{728, 1024}, 2});
  return blocks;
}

}  // namespace

std::vector<Entry> timm_xception_family() {
  const std::vector<Module> entry{even(128, 2), even(256, 2), even(728, 2)};
  const std::vector<Module> long_entry{even(128, 2), even(256, 1), even(256, 2), even(728, 1),
                                       even(728, 2)};
  const std::array<TimmModel<Plan>, 5> models{
      {{"xception41", 299, aligned(entry, 8, NormPlace::Behind)},
       {"xception41p", 299, aligned(entry, 8, NormPlace::Front)},
       {"xception65", 299, aligned(entry, 16, NormPlace::Behind)},
       {"xception65p", 299, aligned(entry, 16, NormPlace::Front)},
       {"xception71", 299, aligned(long_entry, 16, NormPlace::Behind)}}};
  const std::array<TimmModel<std::vector<Legacy>>, 1> legacy{
      {{"legacy_xception", 299, legacy_blocks()}}};
  auto entries = timm_entries(
      models, "aligned Xception, ImageNet (timm, models/xception_aligned.py)", build_aligned);
  for (Entry& more : timm_entries(legacy, "Xception, ImageNet (timm, models/xception.py)",
                                  build_legacy, {.min = 71})) {
    entries.push_back(std::move(more));
  }
  return entries;
}

}  // namespace horus::zoo
