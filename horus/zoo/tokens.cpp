// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/tokens.hpp"

#include <utility>

#include "horus/base/check.hpp"

namespace horus::zoo {
namespace {

/// Softens the division of l2_norm, as PyTorch's normalize() does.
constexpr double kTiny = 1e-12;
constexpr double kQuickGeluSlope = 1.702;

std::int64_t& size_of(Shape& shape, std::int64_t axis) {
  return shape.at(static_cast<std::size_t>(axis));
}

}  // namespace

Value shaped(Builder& b, const std::string& name, const Value& x, const Shape& shape) {
  std::vector<std::int64_t> target = shape;
  if (shape.front() == kBatch) target.front() = 0;
  return reshape(b, name, x, target, shape);
}

Value map_to_tokens(Builder& b, const std::string& name, const Value& x) {
  const std::int64_t count = x.shape[2] * x.shape[3];
  const Value rows = shaped(b, name + ".flatten", x, {x.shape[0], x.shape[1], count});
  return transpose(b, name, rows, {0, 2, 1});
}

Value tokens_to_map(Builder& b, const std::string& name, const Value& x, std::int64_t height,
                    std::int64_t width) {
  HORUS_CHECK(x.shape[1] == height * width, "the tokens fill the map");
  const Value rows = transpose(b, name + ".transpose", x, {0, 2, 1});
  return shaped(b, name, rows, {x.shape[0], x.shape[2], height, width});
}

Value channels_last(Builder& b, const std::string& name, const Value& x) {
  return transpose(b, name, x, {0, 2, 3, 1});
}

Value channels_first(Builder& b, const std::string& name, const Value& x) {
  return transpose(b, name, x, {0, 3, 1, 2});
}

Value patchify(Builder& b, const std::string& name, const Value& image, std::int64_t channels,
               std::int64_t patch, Bias bias) {
  return conv(b, name, image,
              {.channels = channels, .kernel = {patch}, .stride = {patch}, .bias = bias});
}

Value repeat_for_batch(Builder& b, const std::string& name, const Value& tensor,
                       const Value& like) {
  const Value batch = b.add({.name = name + ".batch",
                             .op_type = "Shape",
                             .inputs = {like.name},
                             .attributes = {{"start", std::int64_t{0}}, {"end", std::int64_t{1}}}},
                            {1}, ElementType::Int64);
  const std::vector<std::int64_t> rest(tensor.shape.begin() + 1, tensor.shape.end());
  const std::vector<Value> sizes{batch, b.integers(rest)};
  const Value target = concat(b, name + ".shape", sizes, 0);
  Shape shape = tensor.shape;
  shape.front() = kBatch;
  return b.add({.name = name, .op_type = "Expand", .inputs = {tensor.name, target.name}}, shape);
}

Value slice(Builder& b, const std::string& name, const Value& x, std::int64_t axis,
            std::int64_t begin, std::int64_t end) {
  Shape shape = x.shape;
  HORUS_CHECK(0 <= begin && begin < end && end <= size_of(shape, axis), "a slice lies in its axis");
  size_of(shape, axis) = end - begin;
  const Value from = b.integers({begin});
  const Value to = b.integers({end});
  const Value axes = b.integers({axis});
  return b.add(
      {.name = name, .op_type = "Slice", .inputs = {x.name, from.name, to.name, axes.name}}, shape,
      x.type);
}

Value every(Builder& b, const std::string& name, const Value& x, std::int64_t axis,
            std::int64_t step) {
  Shape shape = x.shape;
  std::int64_t& size = size_of(shape, axis);
  const Value from = b.integers({0});
  const Value to = b.integers({size});
  const Value axes = b.integers({axis});
  const Value steps = b.integers({step});
  size = (size + step - 1) / step;
  return b.add({.name = name,
                .op_type = "Slice",
                .inputs = {x.name, from.name, to.name, axes.name, steps.name}},
               shape, x.type);
}

Value pick(Builder& b, const std::string& name, const Value& x, std::int64_t axis,
           std::int64_t index) {
  Shape shape = x.shape;
  shape.erase(shape.begin() + axis);
  const Value at = b.integer(index);
  return b.add({.name = name,
                .op_type = "Gather",
                .inputs = {x.name, at.name},
                .attributes = {{"axis", axis}}},
               shape, x.type);
}

Value mean_over(Builder& b, const std::string& name, const Value& x, std::int64_t axis) {
  Shape shape = x.shape;
  shape.erase(shape.begin() + axis);
  return b.add(
      {.name = name,
       .op_type = "ReduceMean",
       .inputs = {x.name},
       .attributes = {{"axes", std::vector<std::int64_t>{axis}}, {"keepdims", std::int64_t{0}}}},
      shape);
}

Value roll(Builder& b, const std::string& name, const Value& x, std::int64_t axis,
           std::int64_t shift) {
  Shape shape = x.shape;
  const std::int64_t size = size_of(shape, axis);
  const Value head = slice(b, name + ".head", x, axis, shift, size);
  const Value tail = slice(b, name + ".tail", x, axis, 0, shift);
  return concat(b, name, std::vector<Value>{head, tail}, axis);
}

Value layer_scale(Builder& b, const std::string& name, const Value& x, Shape factor) {
  const Value gamma = b.parameter(name + ".gamma", std::move(factor));
  return binary(b, name, "Mul", x, gamma);
}

Value layer_scale(Builder& b, const std::string& name, const Value& x) {
  return layer_scale(b, name, x, {x.shape.back()});
}

Value layer_norm_of_map(Builder& b, const std::string& name, const Value& x, double epsilon) {
  const Value last = channels_last(b, name + ".last", x);
  return channels_first(b, name + ".first", layer_norm(b, name, last, epsilon));
}

Value rms_norm(Builder& b, const std::string& name, const Value& x, double epsilon) {
  Shape reduced = x.shape;
  reduced.back() = 1;
  const Value square = binary(b, name + ".pow", "Pow", x, b.number(2));
  const Value mean = b.add(
      {.name = name + ".mean",
       .op_type = "ReduceMean",
       .inputs = {square.name},
       .attributes = {{"axes", std::vector<std::int64_t>{-1}}, {"keepdims", std::int64_t{1}}}},
      reduced);
  const Value shifted = binary(b, name + ".add", "Add", mean, b.number(epsilon));
  const Value root = unary(b, name + ".sqrt", "Sqrt", shifted);
  const Value ratio = binary(b, name + ".div", "Div", x, root);
  return binary(b, name, "Mul", ratio, b.parameter(name + ".weight", {x.shape.back()}));
}

Value l2_norm(Builder& b, const std::string& name, const Value& x) {
  Shape reduced = x.shape;
  reduced.back() = 1;
  const Value length = b.add(
      {.name = name + ".norm",
       .op_type = "ReduceL2",
       .inputs = {x.name},
       .attributes = {{"axes", std::vector<std::int64_t>{-1}}, {"keepdims", std::int64_t{1}}}},
      reduced);
  const Value safe = binary(b, name + ".max", "Max", length, b.number(kTiny));
  return binary(b, name, "Div", x, safe);
}

Value quick_gelu(Builder& b, const std::string& name, const Value& x) {
  const Value steep = binary(b, name + ".mul", "Mul", x, b.number(kQuickGeluSlope));
  return binary(b, name, "Mul", x, unary(b, name + ".sigmoid", "Sigmoid", steep));
}

Value mlp(Builder& b, const std::string& name, const Value& x, std::int64_t inner,
          Activation activate) {
  const Value wide = linear(b, name + ".fc1", x, inner);
  return linear(b, name + ".fc2", activate(b, name + ".act", wide), x.shape.back());
}

Value mlp_of_map(Builder& b, const std::string& name, const Value& x, std::int64_t inner,
                 Activation activate) {
  const Value wide = conv(b, name + ".fc1", x, {.channels = inner, .bias = Bias::Trained});
  return conv(b, name + ".fc2", activate(b, name + ".act", wide),
              {.channels = x.shape[1], .bias = Bias::Trained});
}

}  // namespace horus::zoo
