// SPDX-License-Identifier: Apache-2.0
#pragma once
// Normalizations without statistics over the batch that bring their own activation, operator by
// operator, as they are exported.

#include <cstdint>
#include <string>

#include "horus/zoo/builder.hpp"

namespace horus::zoo {

/// EvoNorm-S0 (Liu et al. 2020, arXiv:2004.02967): x * sigmoid(v * x) over the standard deviation
/// of a group of channels, then a trained scale and offset.
Value evo_norm(Builder& b, const std::string& name, const Value& x, std::int64_t groups);

/// The part of it that is left where no activation is wanted.
Value evo_norm_linear(Builder& b, const std::string& name, const Value& x, std::int64_t groups);

/// Filter response normalization (Singh and Krishnan 2019, arXiv:1911.09737): x over its root mean
/// square in each channel, scale and offset, at least a trained threshold.
Value filter_response_norm(Builder& b, const std::string& name, const Value& x);

}  // namespace horus::zoo
