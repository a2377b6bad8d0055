// SPDX-License-Identifier: Apache-2.0
#pragma once
// Attention of the class token alone (Touvron et al. 2021, CaiT, arXiv:2103.17239): it is the only
// query, and costs as much as a linear layer over the tokens.

#include <cstdint>
#include <string>

#include "horus/zoo/builder.hpp"

namespace horus::zoo {

/// Layers q, k, v and proj. `x` is (batch, tokens, width), class token first; the result
/// (batch, 1, width).
Value class_attention(Builder& b, const std::string& name, const Value& x, std::int64_t heads);

}  // namespace horus::zoo
