// SPDX-License-Identifier: Apache-2.0
#pragma once
// Attention over an image whose heads share keys and values (MobileNetV4, Qin et al. 2024,
// arXiv:2404.10518).

#include <cstdint>
#include <string>

#include "horus/zoo/builder.hpp"

namespace horus::zoo {

struct MultiQuerySpec {
  std::int64_t heads{};
  std::int64_t head_width{};
  std::int64_t key_stride{1};  ///< Keys and values are reduced by it, each by a convolution.
  std::int64_t kernel{3};      ///< Of that convolution.
  std::int64_t channels{};     ///< Of the output.
};

/// From and to (batch, channels, height, width); the side of `x` is kept.
Value multi_query_attention(Builder& b, const std::string& name, const Value& x,
                            const MultiQuerySpec& spec);

}  // namespace horus::zoo
