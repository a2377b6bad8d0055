// SPDX-License-Identifier: Apache-2.0
#pragma once
// Attention within windows (Liu et al. 2021, Swin Transformer, arXiv:2103.14030). The windows of a
// map are an axis of their own after the batch, for the batch must stay the first axis:
// (batch, height, width, channels) becomes (batch, windows, tokens of a window, channels).

#include <cstdint>
#include <string>

#include "horus/zoo/builder.hpp"

namespace horus::zoo {

/// Neighbouring tokens in windows of `side` by `side`, which divides the map's sides.
Value part_windows(Builder& b, const std::string& name, const Value& x, std::int64_t side);
/// The map of `height` by `width` that part_windows() has cut.
Value unite_windows(Builder& b, const std::string& name, const Value& x, std::int64_t height,
                    std::int64_t width);
/// Windows of `side` by `side` tokens that lie spread over the whole map, equally far from each
/// other (Tu et al. 2022, MaxViT, arXiv:2204.01697).
Value part_grid(Builder& b, const std::string& name, const Value& x, std::int64_t side);
/// The map of `height` by `width` that part_grid() has cut.
Value unite_grid(Builder& b, const std::string& name, const Value& x, std::int64_t height,
                 std::int64_t width);

/// Zeros behind the last row and column until `side` divides both.
Value pad_to_windows(Builder& b, const std::string& name, const Value& x, std::int64_t side);

/// Two by two neighbours joined to one token of four times the channels.
Value join_neighbours(Builder& b, const std::string& name, const Value& x);

}  // namespace horus::zoo
