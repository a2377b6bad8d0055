// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/cross_covariance.hpp"

#include "horus/zoo/layers.hpp"
#include "horus/zoo/multi_head.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {
namespace {

constexpr std::int64_t kWaves = 64;  // Sines and cosines of each place, half of them for each axis.

}  // namespace

Value cross_covariance(Builder& b, const std::string& name, const Value& x, std::int64_t heads) {
  const HeadTriple parts = project_heads(b, name + ".qkv", x, heads);
  const Value query = l2_norm(b, name + ".q.unit", swap_last(b, name + ".q", parts.query));
  const Value key = l2_norm(b, name + ".k.unit", swap_last(b, name + ".k", parts.key));
  const Value value = swap_last(b, name + ".v", parts.value);
  Value weights = matmul(b, name + ".scores", query, swap_last(b, name + ".k.t", key));
  weights =
      binary(b, name + ".scale", "Mul", weights, b.parameter(name + ".temperature", {heads, 1, 1}));
  const Value y = swap_last(b, name + ".context.t", weigh(b, name, weights, value));
  return linear(b, name + ".proj", unite_heads(b, name + ".context", y), x.shape.back());
}

Value wave_positions(Builder& b, const std::string& name, std::int64_t height, std::int64_t width,
                     std::int64_t channels) {
  const Value waves = b.buffer(name + ".waves", {1, kWaves, height, width});
  const Value places =
      conv(b, name + ".token_projection", waves, {.channels = channels, .bias = Bias::Trained});
  const Value rows = reshape(b, name + ".flatten", places, {1, channels, height * width},
                             {1, channels, height * width});
  return transpose(b, name, rows, {0, 2, 1});
}

}  // namespace horus::zoo
