// SPDX-License-Identifier: Apache-2.0
#pragma once
// Attention between the channels of each head instead of between tokens (Ali et al. 2021, XCiT,
// arXiv:2106.09681): its cost grows with the number of tokens, not with its square.

#include <cstdint>
#include <string>

#include "horus/zoo/builder.hpp"

namespace horus::zoo {

/// softmax(temperature q^T k) v^T over the channels of each head, queries and keys of length one.
/// Layers qkv and proj.
Value cross_covariance(Builder& b, const std::string& name, const Value& x, std::int64_t heads);

/// What tells tokens their places in a map: a trained projection of fixed sines and cosines, shape
/// (1, height * width, channels).
Value wave_positions(Builder& b, const std::string& name, std::int64_t height, std::int64_t width,
                     std::int64_t channels);

}  // namespace horus::zoo
