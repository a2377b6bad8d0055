// SPDX-License-Identifier: Apache-2.0
#pragma once
// Convolutions whose kernels are normalized, filter by filter, in every step (Qiao et al. 2019,
// arXiv:1903.10520; scaled: Brock et al. 2021, arXiv:2101.08692). In the graph the kernel goes
// through a normalization of its own: MeanVarianceNormalization, or, where it is scaled,
// InstanceNormalization of an image with one channel for each filter.

#include <string>

#include "horus/zoo/builder.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {

/// Zero mean and unit variance for each filter.
Value standardized_conv(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec);

/// The same times a trained gain for each filter and a fixed `scale` over the square root of the
/// number of weights of a filter. `scale` is the correction of the activation in front.
Value scaled_standardized_conv(Builder& b, const std::string& name, const Value& x,
                               const ConvSpec& spec, double scale);

}  // namespace horus::zoo
