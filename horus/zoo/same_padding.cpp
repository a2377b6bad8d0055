// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/same_padding.hpp"

#include <algorithm>
#include <utility>

#include "horus/base/check.hpp"

namespace horus::zoo {
namespace {

/// What both ends of an axis lack together.
std::int64_t missing(std::int64_t size, std::int64_t kernel, std::int64_t stride) {
  const std::int64_t windows = (size + stride - 1) / stride;
  return std::max<std::int64_t>(0, (windows - 1) * stride + kernel - size);
}

}  // namespace

Value pad_same(Builder& b, const std::string& name, const Value& x, std::int64_t kernel,
               std::int64_t stride) {
  HORUS_CHECK(x.shape.size() == 4, "an image has (batch, channels, height, width)");
  const std::int64_t height = missing(x.shape[2], kernel, stride);
  const std::int64_t width = missing(x.shape[3], kernel, stride);
  if (height == 0 && width == 0) return x;
  const Value pads =
      b.integers({0, 0, height / 2, width / 2, 0, 0, height - height / 2, width - width / 2});
  return b.add({.name = name, .op_type = "Pad", .inputs = {x.name, pads.name}},
               {x.shape[0], x.shape[1], x.shape[2] + height, x.shape[3] + width});
}

Value conv_same(Builder& b, const std::string& name, const Value& x, ConvSpec spec) {
  HORUS_CHECK(spec.kernel.size() == 1 && spec.stride.size() == 1, "the kernel is square");
  const std::int64_t kernel = spec.kernel.front();
  const std::int64_t stride = spec.stride.front();
  if (stride == 1 && kernel % 2 == 1) {
    spec.padding = {kernel / 2};
    return conv(b, name, x, spec);
  }
  spec.padding = {0};
  return conv(b, name, pad_same(b, name + ".pad", x, kernel, stride), spec);
}

}  // namespace horus::zoo
