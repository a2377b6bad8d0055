// SPDX-License-Identifier: Apache-2.0
#pragma once
// Biases of attention that a small network computes from the distance of two tokens (Liu et al.
// 2022, Swin Transformer V2, arXiv:2111.09883).

#include <cstdint>
#include <string>

#include "horus/zoo/builder.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {

struct PositionNetworkSpec {
  std::int64_t height{};  ///< Of the window, in tokens.
  std::int64_t width{};
  std::int64_t heads{};
  std::int64_t inner{};        ///< Width between the two layers.
  std::int64_t prefix{0};      ///< Tokens before the window's, which have no bias.
  double dropout_rate{0.125};  ///< After the first layer's ReLU.
};

/// A number for each relative position and head by mlp.fc1, ReLU and mlp.fc2 over coordinates on a
/// logarithmic scale, spread to (heads, tokens, tokens).
Value position_network(Builder& b, const std::string& name, const PositionNetworkSpec& spec);

}  // namespace horus::zoo
