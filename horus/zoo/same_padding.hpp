// SPDX-License-Identifier: Apache-2.0
#pragma once
// Padding as TensorFlow's "SAME" sets it: ceil(side / stride) windows, and what is missing is added
// half before and half behind, the odd element behind.

#include <string>

#include "horus/zoo/builder.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {

/// Padding of the last two axes of `x` for a square window; adds no node where none is missing.
Value pad_same(Builder& b, const std::string& name, const Value& x, std::int64_t kernel,
               std::int64_t stride);

/// Convolution with a square kernel; `spec.padding` is not read. A separate Pad wherever the two
/// ends may differ (the stride is not 1, or the kernel even), because frameworks run it so.
Value conv_same(Builder& b, const std::string& name, const Value& x, ConvSpec spec);

}  // namespace horus::zoo
