// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/activating_norm.hpp"

#include "horus/base/check.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {
namespace {

constexpr double kEpsilon = 1e-5;

/// A trained vector over the channels, in a shape that broadcasts over an image.
Value per_channel(Builder& b, const std::string& name, const Value& x) {
  return b.parameter(name, {x.shape.at(1), 1, 1});
}

Value affine(Builder& b, const std::string& name, const Value& x) {
  const Value scaled = binary(b, name + ".scale", "Mul", x, per_channel(b, name + ".weight", x));
  return binary(b, name + ".shift", "Add", scaled, per_channel(b, name + ".bias", x));
}

/// sqrt(x + epsilon).
Value root(Builder& b, const std::string& name, const Value& x) {
  return unary(b, name + ".sqrt", "Sqrt", binary(b, name + ".eps", "Add", x, b.number(kEpsilon)));
}

/// Standard deviation of each group of channels, in the shape of `x`.
Value group_deviation(Builder& b, const std::string& name, const Value& x, std::int64_t groups) {
  HORUS_CHECK(x.shape.at(1) % groups == 0, "channels divide evenly into groups");
  const std::int64_t members = x.shape[1] / groups * x.shape.at(2) * x.shape.at(3);
  const Value grouped =
      reshape(b, name + ".group", x, {0, groups, -1}, {x.shape[0], groups, members});
  const Value mean = spatial_mean(b, name + ".mean", grouped);
  const Value centred = binary(b, name + ".sub", "Sub", grouped, mean);
  const Value square = binary(b, name + ".square", "Mul", centred, centred);
  const Value deviation = root(b, name, spatial_mean(b, name + ".variance", square));
  const Value wide = b.add({.name = name + ".expand",
                            .op_type = "Expand",
                            .inputs = {deviation.name, b.integers({1, 1, members}).name}},
                           grouped.shape);
  return reshape(b, name + ".ungroup", wide, {-1, x.shape[1], x.shape[2], x.shape[3]}, x.shape);
}

}  // namespace

Value evo_norm(Builder& b, const std::string& name, const Value& x, std::int64_t groups) {
  const Value slope = binary(b, name + ".slope", "Mul", x, per_channel(b, name + ".v", x));
  const Value gated =
      binary(b, name + ".gate", "Mul", x, unary(b, name + ".sigmoid", "Sigmoid", slope));
  const Value deviation = group_deviation(b, name, x, groups);
  return affine(b, name, binary(b, name + ".div", "Div", gated, deviation));
}

Value evo_norm_linear(Builder& b, const std::string& name, const Value& x, std::int64_t groups) {
  const Value deviation = group_deviation(b, name, x, groups);
  return affine(b, name, binary(b, name + ".div", "Div", x, deviation));
}

Value filter_response_norm(Builder& b, const std::string& name, const Value& x) {
  const Value square = binary(b, name + ".square", "Mul", x, x);
  const Value rms = root(b, name, spatial_mean(b, name + ".mean", square));
  const Value normal = binary(b, name + ".div", "Div", x, rms);
  const Value shifted = affine(b, name, normal);
  return binary(b, name + ".max", "Max", shifted, per_channel(b, name + ".tau", x));
}

}  // namespace horus::zoo
