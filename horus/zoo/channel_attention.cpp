// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/channel_attention.hpp"

#include <algorithm>
#include <cmath>

#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

constexpr double kContextNormEpsilon = 1e-6;
constexpr std::int64_t kShortestKernel = 3;

/// floor((log2(channels) + 1) / 2), made odd upwards.
std::int64_t channel_kernel(std::int64_t channels) {
  const double reach = (std::log2(static_cast<double>(channels)) + 1) / 2;
  return std::max(static_cast<std::int64_t>(reach) | 1, kShortestKernel);
}

ConvSpec pointwise(std::int64_t channels) { return {.channels = channels, .bias = Bias::Trained}; }

}  // namespace

Value squeeze_excite(Builder& b, const std::string& name, const Value& x, const SqueezeSpec& spec) {
  Value gate = spatial_mean(b, name + ".mean", x);
  gate = conv(b, name + ".fc1", gate, pointwise(spec.squeezed));
  gate = spec.normalize(b, name + ".bn", gate);
  gate = spec.activation(b, name + ".act", gate);
  gate = conv(b, name + ".fc2", gate, pointwise(x.shape[1]));
  return binary(b, name, "Mul", x, spec.gate(b, name + ".gate", gate));
}

Value effective_squeeze_excite(Builder& b, const std::string& name, const Value& x,
                               Activation gate) {
  Value y = spatial_mean(b, name + ".mean", x);
  y = conv(b, name + ".fc", y, pointwise(x.shape[1]));
  return binary(b, name, "Mul", x, gate(b, name + ".gate", y));
}

Value efficient_channel_attention(Builder& b, const std::string& name, const Value& x,
                                  std::int64_t sized_for) {
  const std::int64_t channels = x.shape[1];
  const std::int64_t kernel = channel_kernel(sized_for != 0 ? sized_for : channels);
  Value gate = spatial_mean(b, name + ".mean", x);
  gate = reshape(b, name + ".row", gate, {-1, 1, channels}, {x.shape[0], 1, channels});
  gate = conv(b, name + ".conv", gate, centred(1, kernel));
  gate = sigmoid(b, name + ".gate", gate);
  gate = reshape(b, name + ".column", gate, {-1, channels, 1, 1}, {x.shape[0], channels, 1, 1});
  return binary(b, name, "Mul", x, gate);
}

Value global_context(Builder& b, const std::string& name, const Value& x, std::int64_t squeezed) {
  const std::int64_t batch = x.shape[0];
  const std::int64_t channels = x.shape[1];
  const std::int64_t positions = x.shape[2] * x.shape[3];
  Value weights = conv(b, name + ".conv_attn", x, pointwise(1));
  weights = reshape(b, name + ".weights", weights, {-1, positions, 1}, {batch, positions, 1});
  weights = unary(b, name + ".softmax", "Softmax", weights, {{"axis", std::int64_t{1}}});
  Value context = reshape(b, name + ".flat", x, {0, channels, -1}, {batch, channels, positions});
  context = matmul(b, name + ".context", context, weights);
  context = reshape(b, name + ".column", context, {0, channels, 1, 1}, {batch, channels, 1, 1});
  context = conv(b, name + ".mlp_add.fc1", context, pointwise(squeezed));
  context = transpose(b, name + ".mlp_add.last", context, {0, 2, 3, 1});
  context = layer_norm(b, name + ".mlp_add.norm", context, kContextNormEpsilon);
  context = transpose(b, name + ".mlp_add.first", context, {0, 3, 1, 2});
  context = relu(b, name + ".mlp_add.act", context);
  context = conv(b, name + ".mlp_add.fc2", context, pointwise(channels));
  return binary(b, name, "Add", x, context);
}

}  // namespace horus::zoo
