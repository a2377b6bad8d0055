// SPDX-License-Identifier: Apache-2.0
#pragma once
// Images as sequences of tokens and back, and the small layers that vision transformers share.
// A map is (batch, channels, height, width), a sequence of tokens (batch, tokens, channels).

#include <cstdint>
#include <string>
#include <vector>

#include "horus/zoo/builder.hpp"
#include "horus/zoo/conv_block.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {

/// `x` in another shape of as many elements. Axis 0 is kept as it is where it is the batch.
Value shaped(Builder& b, const std::string& name, const Value& x, const Shape& shape);
/// (batch, channels, height, width) to (batch, height * width, channels).
Value map_to_tokens(Builder& b, const std::string& name, const Value& x);
/// (batch, height * width, channels) to (batch, channels, height, width).
Value tokens_to_map(Builder& b, const std::string& name, const Value& x, std::int64_t height,
                    std::int64_t width);
/// (batch, channels, height, width) to (batch, height, width, channels).
Value channels_last(Builder& b, const std::string& name, const Value& x);
/// (batch, height, width, channels) to (batch, channels, height, width).
Value channels_first(Builder& b, const std::string& name, const Value& x);

/// The image as a map of patches: a convolution whose stride is its kernel.
Value patchify(Builder& b, const std::string& name, const Value& image, std::int64_t channels,
               std::int64_t patch, Bias bias = Bias::Trained);

/// A trained tensor of shape (1, rest...), repeated for each element of the batch of `like`.
Value repeat_for_batch(Builder& b, const std::string& name, const Value& tensor, const Value& like);

/// Elements `begin` to `end` (exclusive) of `axis`.
Value slice(Builder& b, const std::string& name, const Value& x, std::int64_t axis,
            std::int64_t begin, std::int64_t end);
/// Every `step`-th element of `axis`, from the first.
Value every(Builder& b, const std::string& name, const Value& x, std::int64_t axis,
            std::int64_t step);
/// Element `index` of `axis`, which disappears.
Value pick(Builder& b, const std::string& name, const Value& x, std::int64_t axis,
           std::int64_t index);
/// The mean over `axis`, which disappears.
Value mean_over(Builder& b, const std::string& name, const Value& x, std::int64_t axis);
/// The elements of `axis` in a circle, the one at `shift` first.
Value roll(Builder& b, const std::string& name, const Value& x, std::int64_t axis,
           std::int64_t shift);

/// `x` times a trained factor of shape `factor`: one for each channel.
Value layer_scale(Builder& b, const std::string& name, const Value& x, Shape factor);
/// The same for the last axis.
Value layer_scale(Builder& b, const std::string& name, const Value& x);
/// Layer normalization over the channels of a map, by way of (batch, height, width, channels).
Value layer_norm_of_map(Builder& b, const std::string& name, const Value& x, double epsilon);
/// x / sqrt(mean(x^2)) times a weight, over the last axis, operator by operator.
Value rms_norm(Builder& b, const std::string& name, const Value& x, double epsilon);
/// x / |x| over the last axis, operator by operator.
Value l2_norm(Builder& b, const std::string& name, const Value& x);
/// x * sigmoid(1.702 x).
Value quick_gelu(Builder& b, const std::string& name, const Value& x);

/// fc1, the activation and fc2 under `name`, back to the width of `x`.
Value mlp(Builder& b, const std::string& name, const Value& x, std::int64_t inner,
          Activation activate = gelu);
/// The same with 1x1 convolutions, of a map.
Value mlp_of_map(Builder& b, const std::string& name, const Value& x, std::int64_t inner,
                 Activation activate = gelu);

}  // namespace horus::zoo
