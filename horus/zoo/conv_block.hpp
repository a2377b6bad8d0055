// SPDX-License-Identifier: Apache-2.0
#pragma once
// What convolutional networks are made of: a convolution, its normalization and an activation.
// Names are those of timm's ConvNormAct: NAME.conv, NAME.bn and NAME.act.

#include <cstdint>
#include <string>

#include "horus/zoo/builder.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {

/// relu, silu, gelu, ... of layers.hpp.
using Activation = Value (*)(Builder& b, const std::string& name, const Value& x);

/// The activation that does nothing: adds no node and returns `x`.
Value identity(Builder& b, const std::string& name, const Value& x);

/// Convolution, batch normalization, activation.
Value conv_bn_act(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec,
                  Activation activation);
/// Convolution and batch normalization.
Value conv_bn(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec);

/// A square kernel of odd `size` that keeps the image's side at stride 1.
ConvSpec centred(std::int64_t channels, std::int64_t size, std::int64_t stride = 1,
                 std::int64_t groups = 1);

/// The multiple of `divisor` that is nearest to `value`, at least `divisor`; one step more where
/// that is less than `floor` of the value. Widths of scaled networks are rounded so.
std::int64_t rounded_to(double value, std::int64_t divisor, double floor = 0.9);

/// Low-pass filter before a reduction by two (Zhang 2019, arXiv:1904.11486): reflected edges and a
/// fixed binomial 3x3 kernel for each channel.
Value blur_pool(Builder& b, const std::string& name, const Value& x);

/// Averages of 2x2, at odd ends of what is there: the reduction in the shortcuts of ResNet-D (He et
/// al. 2018, arXiv:1812.01187).
Value halving_average(Builder& b, const std::string& name, const Value& x);

/// Mean over the image and one linear layer to `classes` outputs; a dropout between them where
/// `dropout_rate` is not 0. Nodes NAME.pool, NAME.flatten, NAME.drop; the layer is `layer`.
Value classifier(Builder& b, const std::string& name, const std::string& layer, const Value& x,
                 double dropout_rate = 0, std::int64_t classes = 1000);

}  // namespace horus::zoo
