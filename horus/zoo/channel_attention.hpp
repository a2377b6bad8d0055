// SPDX-License-Identifier: Apache-2.0
#pragma once
// Attention of each channel of an image to what all channels hold, as timm builds it. The squeeze
// is a ReduceMean, the form that x.mean((2, 3)) is exported in.

#include <cstdint>
#include <string>

#include "horus/zoo/builder.hpp"
#include "horus/zoo/conv_block.hpp"

namespace horus::zoo {

struct SqueezeSpec {
  std::int64_t squeezed{};  ///< Channels between the two 1x1 convolutions.
  Activation activation{relu};
  Activation gate{sigmoid};
  Activation normalize{identity};  ///< batch_norm where the squeeze is normalized.
};

/// Squeeze and excitation (Hu et al. 2018, arXiv:1709.01507).
Value squeeze_excite(Builder& b, const std::string& name, const Value& x, const SqueezeSpec& spec);

/// One convolution without a squeeze (Lee and Park 2020, arXiv:1911.06667).
Value effective_squeeze_excite(Builder& b, const std::string& name, const Value& x,
                               Activation gate = hard_sigmoid);

/// One short convolution along the channels (Wang et al. 2020, arXiv:1910.03151), whose kernel
/// grows with the logarithm of their number, `sized_for` or, where that is 0, those of `x`.
Value efficient_channel_attention(Builder& b, const std::string& name, const Value& x,
                                  std::int64_t sized_for = 0);

/// Global context (Cao et al. 2019, arXiv:1904.11492): a softmax over the positions weighs them,
/// two 1x1 convolutions with `squeezed` channels between them see the sum, and the result is added.
Value global_context(Builder& b, const std::string& name, const Value& x, std::int64_t squeezed);

}  // namespace horus::zoo
