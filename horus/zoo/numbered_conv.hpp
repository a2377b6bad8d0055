// SPDX-License-Identifier: Apache-2.0
#pragma once
// Convolutions of a block that its framework counts: NAME.conv1 and NAME.bn1, NAME.conv2 and so on.

#include <string>

#include "horus/zoo/builder.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {

/// Convolution NAME.convINDEX and its batch normalization NAME.bnINDEX.
Value numbered_conv(Builder& b, const std::string& name, int index, const Value& x,
                    const ConvSpec& spec);
/// The same and NAME.reluINDEX.
Value numbered_conv_relu(Builder& b, const std::string& name, int index, const Value& x,
                         const ConvSpec& spec);

}  // namespace horus::zoo
