// SPDX-License-Identifier: Apache-2.0
// EfficientViT of MIT (Cai et al. 2022, arXiv:2205.14756) as timm builds it: inverted bottlenecks,
// and in the last stages attention with ReLU in place of the softmax, whose cost is linear.

#include <array>
#include <string>

#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/multi_head.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {
namespace {

enum class Form { Small, Large };  // "b" and "l" of the names.

struct Plan {
  Form form{};
  std::array<std::int64_t, 5> widths{};  ///< Stem and four stages.
  std::array<std::int64_t, 5> depths{};
  std::int64_t head_width{};
  std::array<std::int64_t, 2> classifier{};
};

constexpr double kEpsilon = 1e-5;
constexpr double kSmallest = 1e-5;      // Added to the sum that divides attention.
constexpr std::int64_t kScale = 5;      // Kernel of the second set of queries, keys and values.
constexpr std::int64_t kExpansion = 4;  // Of all but the following.
constexpr std::int64_t kExpansionOfAttentionLarge = 6;
constexpr std::int64_t kExpansionOfHalvingLarge = 16;
constexpr std::int64_t kExpansionOfLastHalvingLarge = 24;

/// Layers of a block either have a norm each, or a bias each and a norm at the end only.
enum class Norms { Each, Last };

Activation activation_of(const Plan& plan) { return plan.form == Form::Large ? gelu : hard_swish; }

/// A layer in the middle of a block: convolution, norm or bias, activation.
Value inner_layer(Builder& b, const std::string& name, const Value& x, ConvSpec spec, Norms norms,
                  Activation activate) {
  spec.bias = norms == Norms::Last ? Bias::Trained : Bias::None;
  Value y = conv(b, name + ".conv", x, spec);
  if (norms == Norms::Each) y = batch_norm(b, name + ".norm", y);
  return activate(b, name + ".act", y);
}

Value last_layer(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec) {
  return batch_norm(b, name + ".norm", conv(b, name + ".conv", x, spec));
}

struct BlockSpec {
  std::int64_t width{};
  std::int64_t stride{1};
  std::int64_t expansion{1};
  Norms norms{Norms::Each};
};

/// 1x1, depthwise 3x3, 1x1; without expansion the first is left out.
Value inverted(Builder& b, const std::string& name, const Value& x, const BlockSpec& spec,
               Activation activate) {
  const std::int64_t inner = x.shape[1] * spec.expansion;
  Value y = x;
  if (spec.expansion != 1) {
    y = inner_layer(b, name + ".inverted_conv", y, {.channels = inner}, spec.norms, activate);
  }
  y = inner_layer(b, name + ".depth_conv", y, centred(inner, 3, spec.stride, inner), spec.norms,
                  activate);
  return last_layer(b, name + ".point_conv", y, {.channels = spec.width});
}

/// 3x3 to the inner width and 1x1; without expansion two of 3x3.
Value fused(Builder& b, const std::string& name, const Value& x, const BlockSpec& spec,
            Activation activate) {
  const bool plain = spec.expansion == 1;
  const std::int64_t inner = x.shape[1] * spec.expansion;
  const Value y = inner_layer(b, name + (plain ? ".conv1" : ".spatial_conv"), x,
                              centred(inner, 3, spec.stride), spec.norms, activate);
  return plain ? last_layer(b, name + ".conv2", y, centred(spec.width, 3))
               : last_layer(b, name + ".point_conv", y, {.channels = spec.width});
}

Value residual(Builder& b, const std::string& name, const Value& x, const Value& y) {
  return binary(b, name + ".add", "Add", y, x);
}

/// Queries, keys and values of each head, once as projected and once convolved further:
/// (batch, 2 * heads, places, width) each.
std::vector<Value> multi_scale(Builder& b, const std::string& name, const Value& x,
                               std::int64_t head_width) {
  const std::int64_t heads = x.shape[1] / head_width;
  const std::int64_t width = 3 * heads * head_width;
  const Value once = conv(b, name + ".qkv.conv", x, {.channels = width});
  Value wider = conv(b, name + ".aggreg.0.0", once, centred(width, kScale, 1, width));
  wider = conv(b, name + ".aggreg.0.1", wider, {.channels = width, .groups = 3 * heads});
  Value all = concat(b, name + ".scales", std::vector<Value>{once, wider}, 1);
  all =
      shaped(b, name + ".heads", all, {kBatch, 2 * heads, 3 * head_width, x.shape[2] * x.shape[3]});
  return split_last(b, name + ".chunk", swap_last(b, name + ".tokens", all), 3);
}

/// q (k^T v) / q (k^T 1), queries and keys through ReLU: a sum is in the softmax's place.
Value linear_attention(Builder& b, const std::string& name, const Value& x,
                       std::int64_t head_width) {
  const std::vector<Value> parts = multi_scale(b, name, x, head_width);
  const Value query = relu(b, name + ".q", parts[0]);
  const Value key = relu(b, name + ".k", parts[1]);
  const Value pads = b.integers({0, 0, 0, 0, 0, 0, 0, 1});
  const Value one = b.number(1);
  Shape wider = parts[2].shape;
  ++wider.back();
  const Value value =
      b.add({.name = name + ".v", .op_type = "Pad", .inputs = {parts[2].name, pads.name, one.name}},
            wider);
  const Value summary = matmul(b, name + ".kv", swap_last(b, name + ".kt", key), value);
  const Value sums = matmul(b, name + ".out", query, summary);
  const std::vector<Value> out = split(b, name + ".out.split", sums, 3, {head_width, 1});
  const Value divisor = binary(b, name + ".safe", "Add", out[1], b.number(kSmallest));
  const Value y = swap_last(b, name + ".places", binary(b, name + ".div", "Div", out[0], divisor));
  const Shape map{kBatch, y.shape[1] * head_width, x.shape[2], x.shape[3]};
  return last_layer(b, name + ".proj", shaped(b, name + ".map", y, map), {.channels = x.shape[1]});
}

Value attention_block(Builder& b, const std::string& name, const Value& x, const Plan& plan) {
  const std::string context = name + ".context_module";
  const Value attended = linear_attention(b, context + ".main", x, plan.head_width);
  const Value middle = residual(b, context, x, attended);
  const std::string local = name + ".local_module";
  const std::int64_t expansion = plan.form == Form::Large ? kExpansionOfAttentionLarge : kExpansion;
  const BlockSpec spec{.width = x.shape[1], .expansion = expansion, .norms = Norms::Last};
  const Value y = inverted(b, local + ".main", middle, spec, activation_of(plan));
  return residual(b, local, middle, y);
}

Value stem(Builder& b, const Value& image, const Plan& plan) {
  const std::int64_t width = plan.widths[0];
  const Activation activate = activation_of(plan);
  Value x = inner_layer(b, "stem.in_conv", image, centred(width, 3, 2), Norms::Each, activate);
  for (std::int64_t index = 0; index < plan.depths[0]; ++index) {
    const std::string name = "stem.res" + std::to_string(index);
    const BlockSpec spec{.width = width};
    const Value y = plan.form == Form::Large ? fused(b, name + ".main", x, spec, activate)
                                             : inverted(b, name + ".main", x, spec, activate);
    x = residual(b, name, x, y);
  }
  return x;
}

Value small_stage(Builder& b, const std::string& name, Value x, const Plan& plan,
                  std::size_t stage) {
  const bool attends = stage >= 3;
  const BlockSpec first{.width = plan.widths[stage],
                        .stride = 2,
                        .expansion = kExpansion,
                        .norms = attends ? Norms::Last : Norms::Each};
  x = inverted(b, name + "0.main", x, first, activation_of(plan));
  const std::int64_t blocks = plan.depths[stage] + (attends ? 1 : 0);
  for (std::int64_t index = 1; index < blocks; ++index) {
    const std::string block = name + std::to_string(index);
    if (attends) {
      x = attention_block(b, block, x, plan);
      continue;
    }
    const BlockSpec spec{.width = plan.widths[stage], .expansion = kExpansion};
    x = residual(b, block, x, inverted(b, block + ".main", x, spec, activation_of(plan)));
  }
  return x;
}

Value large_stage(Builder& b, const std::string& name, Value x, const Plan& plan,
                  std::size_t stage) {
  const bool attends = stage >= 4;
  const bool is_fused = stage < 3;
  const auto local = is_fused ? fused : inverted;
  const Norms norms = is_fused ? Norms::Each : Norms::Last;
  const BlockSpec first{
      .width = plan.widths[stage],
      .stride = 2,
      .expansion = attends ? kExpansionOfLastHalvingLarge : kExpansionOfHalvingLarge,
      .norms = norms};
  x = local(b, name + "0.main", x, first, activation_of(plan));
  for (std::int64_t index = 1; index <= plan.depths[stage]; ++index) {
    const std::string block = name + std::to_string(index);
    if (attends) {
      x = attention_block(b, block, x, plan);
      continue;
    }
    const BlockSpec spec{.width = plan.widths[stage], .expansion = kExpansion, .norms = norms};
    x = residual(b, block, x, local(b, block + ".main", x, spec, activation_of(plan)));
  }
  return x;
}

void build_efficientvit(Builder& b, const Plan& plan, std::int64_t image) {
  Value x = stem(b, b.input("input", {kBatch, 3, image, image}), plan);
  for (std::size_t stage = 1; stage < plan.widths.size(); ++stage) {
    const std::string name = "stages." + std::to_string(stage - 1) + ".blocks.";
    x = plan.form == Form::Large ? large_stage(b, name, x, plan, stage)
                                 : small_stage(b, name, x, plan, stage);
  }
  const Activation activate = activation_of(plan);
  x = inner_layer(b, "head.in_conv", x, {.channels = plan.classifier[0]}, Norms::Each, activate);
  x = flatten(b, "head.flatten", global_average_pool(b, "head.global_pool", x));
  x = linear(b, "head.classifier.0", x, plan.classifier[1], Bias::None);
  x = activate(b, "head.classifier.2", layer_norm(b, "head.classifier.1", x, kEpsilon));
  b.output(linear(b, "head.classifier.4", x, 1000));
}

using Five = std::array<std::int64_t, 5>;

constexpr Five kB0{8, 16, 32, 64, 128};
constexpr Five kB1{16, 32, 64, 128, 256};
constexpr Five kB2{24, 48, 96, 192, 384};
constexpr Five kWide{32, 64, 128, 256, 512};
constexpr Five kWidest{64, 128, 256, 512, 1024};

// clang-format off
constexpr auto kModels = std::to_array<TimmModel<Plan>>({
    {"efficientvit_b0", 224, {Form::Small, kB0, {1, 2, 2, 2, 2}, 16, {1024, 1280}}},
    {"efficientvit_b1", 224, {Form::Small, kB1, {1, 2, 3, 3, 4}, 16, {1536, 1600}}},
    {"efficientvit_b2", 224, {Form::Small, kB2, {1, 3, 4, 4, 6}, 32, {2304, 2560}}},
    {"efficientvit_b3", 224, {Form::Small, kWide, {1, 4, 6, 6, 9}, 32, {2304, 2560}}},
    {"efficientvit_l1", 224, {Form::Large, kWide, {1, 1, 1, 6, 6}, 32, {3072, 3200}}},
    {"efficientvit_l2", 224, {Form::Large, kWide, {1, 2, 2, 8, 8}, 32, {3072, 3200}}},
    {"efficientvit_l3", 224, {Form::Large, kWidest, {1, 2, 2, 8, 8}, 32, {6144, 6400}}},
});
// clang-format on

}  // namespace

std::vector<Entry> timm_efficientvit_family() {
  return timm_entries(kModels, "EfficientViT of MIT, ImageNet (arXiv:2205.14756, timm)",
                      build_efficientvit);
}

}  // namespace horus::zoo
