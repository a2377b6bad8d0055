// SPDX-License-Identifier: Apache-2.0
#pragma once
// Attention that stands in the place of a spatial convolution, as timm builds it: operator by
// operator, over an image of shape (batch, channels, height, width). Results have the channels of
// the input, and half its size where the stride is 2.

#include <cstdint>
#include <string>

#include "horus/zoo/builder.hpp"

namespace horus::zoo {

enum class ImageAttentionKind {
  Global,  ///< All positions see each other (Srinivas et al. 2021, arXiv:2101.11605).
  Halo,    ///< Blocks see themselves and a margin (Vaswani et al. 2021, arXiv:2103.12731).
  Lambda,  ///< Positions apply functions made from their context (Bello 2021, arXiv:2102.08602).
};

struct ImageAttention {
  ImageAttentionKind kind{ImageAttentionKind::Global};
  std::int64_t heads{4};
  std::int64_t head_width{0};  ///< Of queries and keys; 0: query_ratio of the values' width.
  double query_ratio{1};
  std::int64_t block{8};  ///< Halo: side of a block, which divides that of the image, ...
  std::int64_t halo{3};   ///< ... and width of the margin.
  std::int64_t reach{9};  ///< Lambda: side of the convolution over positions.
};

Value image_attention(Builder& b, const std::string& name, const Value& x,
                      const ImageAttention& spec, std::int64_t stride);

}  // namespace horus::zoo
