// SPDX-License-Identifier: Apache-2.0
// Networks of linear layers alone, as timm builds them: MLP-Mixer (Tolstikhin et al. 2021,
// arXiv:2105.01601), ResMLP (Touvron et al. 2021, arXiv:2105.03404), and timm's gated mixer.

#include <array>
#include <string>

#include "horus/zoo/families/family.hpp"
#include "horus/zoo/families/timm_entry.hpp"
#include "horus/zoo/multi_head.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {
namespace {

enum class Form { Mixer, GatedMixer, Residual };

struct Plan {
  Form form{};
  std::int64_t patch{};
  std::int64_t depth{};
  std::int64_t width{};
};

constexpr double kEpsilon = 1e-6;
constexpr std::int64_t kExpansion = 4;

/// A trained scale and offset for each channel.
Value affine(Builder& b, const std::string& name, const Value& x) {
  const Value beta = b.parameter(name + ".beta", {1, 1, x.shape.back()});
  const Value alpha = b.parameter(name + ".alpha", {1, 1, x.shape.back()});
  return binary(b, name, "Add", beta, binary(b, name + ".mul", "Mul", alpha, x));
}

Value norm(Builder& b, const std::string& name, const Value& x, Form form) {
  return form == Form::Residual ? affine(b, name, x) : layer_norm(b, name, x, kEpsilon);
}

/// Half of the inner width, times the SiLU of the other half.
Value gated_mlp(Builder& b, const std::string& name, const Value& x, std::int64_t inner) {
  const std::vector<Value> halves =
      split_last(b, name + ".chunk", linear(b, name + ".fc1", x, inner), 2);
  const Value y = binary(b, name + ".gated", "Mul", halves[0], silu(b, name + ".act", halves[1]));
  return linear(b, name + ".fc2", y, x.shape.back());
}

Value feed_forward(Builder& b, const std::string& name, const Value& x, std::int64_t inner,
                   Form form) {
  return form == Form::GatedMixer ? gated_mlp(b, name, x, inner) : mlp(b, name, x, inner);
}

/// Linear layers over the tokens, the same for each channel.
Value mix_tokens(Builder& b, const std::string& name, const Value& x, const Plan& plan) {
  Value y = swap_last(b, name + ".mix.in", x);
  if (plan.form == Form::Residual) {
    y = linear(b, name + ".linear_tokens", y, y.shape.back());
  } else {
    const std::int64_t inner = plan.form == Form::Mixer ? plan.width / 2 : plan.width;
    y = feed_forward(b, name + ".mlp_tokens", y, inner, plan.form);
  }
  return swap_last(b, name + ".mix.out", y);
}

Value scaled(Builder& b, const std::string& name, const Value& x, Form form) {
  return form == Form::Residual ? layer_scale(b, name, x) : x;
}

Value block(Builder& b, const std::string& name, const Value& x, const Plan& plan) {
  Value y = mix_tokens(b, name, norm(b, name + ".norm1", x, plan.form), plan);
  y = scaled(b, name + ".ls1", y, plan.form);
  const Value middle = binary(b, name + ".add1", "Add", x, y);
  y = norm(b, name + ".norm2", middle, plan.form);
  y = feed_forward(b, name + ".mlp_channels", y, kExpansion * plan.width, plan.form);
  return binary(b, name + ".add2", "Add", middle, scaled(b, name + ".ls2", y, plan.form));
}

void build_mixer(Builder& b, const Plan& plan, std::int64_t image) {
  const Value input = b.input("input", {kBatch, 3, image, image});
  Value x = patchify(b, "stem.proj", input, plan.width, plan.patch);
  x = map_to_tokens(b, "stem", x);
  for (std::int64_t layer = 0; layer < plan.depth; ++layer) {
    x = block(b, "blocks." + std::to_string(layer), x, plan);
  }
  x = mean_over(b, "pool", norm(b, "norm", x, plan.form), 1);
  b.output(linear(b, "head", x, 1000));
}

constexpr auto kModels =
    std::to_array<TimmModel<Plan>>({{"mixer_s32_224", 224, {Form::Mixer, 32, 8, 512}},
                                    {"mixer_s16_224", 224, {Form::Mixer, 16, 8, 512}},
                                    {"mixer_b32_224", 224, {Form::Mixer, 32, 12, 768}},
                                    {"mixer_b16_224", 224, {Form::Mixer, 16, 12, 768}},
                                    {"mixer_l32_224", 224, {Form::Mixer, 32, 24, 1024}},
                                    {"mixer_l16_224", 224, {Form::Mixer, 16, 24, 1024}},
                                    {"gmixer_12_224", 224, {Form::GatedMixer, 16, 12, 384}},
                                    {"gmixer_24_224", 224, {Form::GatedMixer, 16, 24, 384}},
                                    {"resmlp_12_224", 224, {Form::Residual, 16, 12, 384}},
                                    {"resmlp_24_224", 224, {Form::Residual, 16, 24, 384}},
                                    {"resmlp_36_224", 224, {Form::Residual, 16, 36, 384}},
                                    {"resmlp_big_24_224", 224, {Form::Residual, 8, 24, 768}}});

}  // namespace

std::vector<Entry> timm_mixer_family() {
  return timm_entries(kModels, "network of linear layers alone, ImageNet (arXiv:2105.01601, timm)",
                      build_mixer, {.step = 32});
}

}  // namespace horus::zoo
