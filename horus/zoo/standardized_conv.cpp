// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/standardized_conv.hpp"

#include <cmath>
#include <optional>
#include <vector>

namespace horus::zoo {
namespace {

constexpr double kEpsilon = 1e-6;

struct Kernel {
  Value weight;
  std::int64_t filter_size{1};  ///< Weights of one filter.
};

Kernel kernel_of(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec) {
  Shape shape{spec.channels, x.shape.at(1) / spec.groups};
  for (std::size_t axis = 2; axis < x.shape.size(); ++axis) {
    shape.push_back(spec.kernel.size() == 1 ? spec.kernel.front() : spec.kernel[axis - 2]);
  }
  Kernel kernel{.weight = b.parameter(name + ".weight", shape)};
  for (std::size_t axis = 1; axis < shape.size(); ++axis) kernel.filter_size *= shape[axis];
  return kernel;
}

/// `scale`: one factor for each filter.
Value scaled(Builder& b, const std::string& name, const Kernel& kernel, const Value& scale) {
  const Shape& shape = kernel.weight.shape;
  const std::int64_t filters = shape.front();
  const Value flat = reshape(b, name + ".filters", kernel.weight, {1, filters, -1},
                             {1, filters, kernel.filter_size});
  const Value zeros = b.buffer(name + ".zeros", {filters});
  const Value normal = b.add({.name = name + ".standardize",
                              .op_type = "InstanceNormalization",
                              .inputs = {flat.name, scale.name, zeros.name},
                              .attributes = {{"epsilon", kEpsilon}}},
                             flat.shape);
  return reshape(b, name + ".kernel", normal, shape, shape);
}

std::optional<Value> bias_of(Builder& b, const std::string& name, const ConvSpec& spec) {
  if (spec.bias == Bias::None) return std::nullopt;
  return b.parameter(name + ".bias", {spec.channels});
}

}  // namespace

Value standardized_conv(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec) {
  const Kernel kernel = kernel_of(b, name, x, spec);
  const Value weight = b.add({.name = name + ".standardize",
                              .op_type = "MeanVarianceNormalization",
                              .inputs = {kernel.weight.name},
                              .attributes = {{"axes", std::vector<std::int64_t>{1, 2, 3}}}},
                             kernel.weight.shape);
  return conv_by(b, name, x, weight, bias_of(b, name, spec), spec);
}

Value scaled_standardized_conv(Builder& b, const std::string& name, const Value& x,
                               const ConvSpec& spec, double scale) {
  const Kernel kernel = kernel_of(b, name, x, spec);
  const Value gain = b.parameter(name + ".gain", {spec.channels, 1, 1, 1});
  const double factor = scale / std::sqrt(static_cast<double>(kernel.filter_size));
  Value gains = binary(b, name + ".gain.scale", "Mul", gain, b.number(factor));
  gains = reshape(b, name + ".gain.flat", gains, {-1}, {spec.channels});
  const Value weight = scaled(b, name, kernel, gains);
  return conv_by(b, name, x, weight, bias_of(b, name, spec), spec);
}

}  // namespace horus::zoo
