// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/conv_block.hpp"

#include <algorithm>
#include <optional>

#include "horus/base/check.hpp"

namespace horus::zoo {

Value identity(Builder&, const std::string&, const Value& x) { return x; }

Value conv_bn(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec) {
  return batch_norm(b, name + ".bn", conv(b, name + ".conv", x, spec));
}

Value conv_bn_act(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec,
                  Activation activation) {
  return activation(b, name + ".act", conv_bn(b, name, x, spec));
}

ConvSpec centred(std::int64_t channels, std::int64_t size, std::int64_t stride,
                 std::int64_t groups) {
  HORUS_CHECK(size % 2 == 1, "only an odd kernel has a centre");
  return {.channels = channels,
          .kernel = {size},
          .stride = {stride},
          .padding = {size / 2},
          .groups = groups};
}

std::int64_t rounded_to(double value, std::int64_t divisor, double floor) {
  const auto half_up = static_cast<std::int64_t>(value + static_cast<double>(divisor) / 2);
  const std::int64_t rounded = std::max(divisor, half_up / divisor * divisor);
  return static_cast<double>(rounded) < floor * value ? rounded + divisor : rounded;
}

Value blur_pool(Builder& b, const std::string& name, const Value& x) {
  const std::int64_t channels = x.shape.at(1);
  Shape shape = x.shape;
  for (std::size_t axis = 2; axis < shape.size(); ++axis) shape[axis] += 2;
  const Value padded = b.add({.name = name + ".pad",
                              .op_type = "Pad",
                              .inputs = {x.name, b.integers({0, 0, 1, 1, 0, 0, 1, 1}).name},
                              .attributes = {{"mode", std::string{"reflect"}}}},
                             shape);
  const Value kernel = b.buffer(name + ".filt", {channels, 1, 3, 3});
  return conv_by(b, name, padded, kernel, std::nullopt,
                 {.channels = channels, .kernel = {3}, .stride = {2}, .groups = channels});
}

Value halving_average(Builder& b, const std::string& name, const Value& x) {
  return average_pool(b, name, x,
                      {.kernel = {2},
                       .stride = {2},
                       .rounding = Rounding::Up,
                       .padding_counts = PaddingCounts::No});
}

Value classifier(Builder& b, const std::string& name, const std::string& layer, const Value& x,
                 double dropout_rate, std::int64_t classes) {
  Value y = flatten(b, name + ".flatten", global_average_pool(b, name + ".pool", x));
  y = dropout(b, name + ".drop", y, dropout_rate);
  return linear(b, layer, y, classes);
}

}  // namespace horus::zoo
