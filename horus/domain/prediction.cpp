// SPDX-License-Identifier: Apache-2.0
#include "horus/domain/prediction.hpp"

#include <array>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "horus/base/text.hpp"

namespace horus {
namespace {

template <class Enum>
using Names = std::span<const std::pair<Enum, std::string_view>>;

constexpr std::array<std::pair<Precision, std::string_view>, 5> kPrecisions{{
    {Precision::Fp32, "fp32"},
    {Precision::Tf32, "tf32"},
    {Precision::Fp16, "fp16"},
    {Precision::Amp, "amp"},
    {Precision::Bf16, "bf16"},
}};
constexpr std::array<std::pair<Optimizer, std::string_view>, 5> kOptimizers{{
    {Optimizer::None, "none"},
    {Optimizer::Sgd, "sgd"},
    {Optimizer::Momentum, "momentum"},
    {Optimizer::Adam, "adam"},
    {Optimizer::AdamW, "adamw"},
}};
constexpr std::array<std::pair<Attention, std::string_view>, 2> kAttentions{{
    {Attention::Eager, "eager"},
    {Attention::Fused, "fused"},
}};

template <class Enum>
std::string_view lookup(Names<Enum> names, Enum value) {
  for (const auto& [key, name] : names) {
    if (key == value) return name;
  }
  return "unknown";
}

template <class Enum>
Result<Enum> parse(Names<Enum> names, std::string_view what, std::string_view text) {
  std::vector<std::string> known;
  for (const auto& [key, name] : names) {
    if (name == to_lower(text)) return key;
    known.emplace_back(name);
  }
  return fail(Errc::InvalidArgument, fmt::format("unknown {} '{}': expected one of {}", what,
                                                 printable(text), fmt::join(known, ", ")));
}

}  // namespace

std::string_view name_of(Precision precision) { return lookup<Precision>(kPrecisions, precision); }
std::string_view name_of(Optimizer optimizer) { return lookup<Optimizer>(kOptimizers, optimizer); }
std::string_view name_of(Attention attention) { return lookup<Attention>(kAttentions, attention); }

Result<Precision> parse_precision(std::string_view text) {
  return parse<Precision>(kPrecisions, "precision", text);
}
Result<Optimizer> parse_optimizer(std::string_view text) {
  return parse<Optimizer>(kOptimizers, "optimizer", text);
}
Result<Attention> parse_attention(std::string_view text) {
  return parse<Attention>(kAttentions, "attention", text);
}

}  // namespace horus
