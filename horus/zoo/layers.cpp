// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/layers.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <utility>

#include "horus/base/check.hpp"

namespace horus::zoo {
namespace {

constexpr double kBatchNormEpsilon = 1e-5;
constexpr double kGroupNormEpsilon = 1e-5;
constexpr double kBatchNormMomentum = 0.9;  // Of the old statistics; PyTorch calls it 0.1.

std::int64_t channels_of(const Value& x) {
  HORUS_CHECK(x.shape.size() >= 2, "axis 1 holds the channels");
  return x.shape[1];
}

std::size_t spatial_rank(const Value& x) {
  HORUS_CHECK(x.shape.size() >= 3, "spatial operators need (batch, channels, spatial axes...)");
  return x.shape.size() - 2;
}

/// `extent` with one entry for each of `axes` spatial axes.
Extent spread(const Extent& extent, std::size_t axes) {
  if (extent.size() == 1) return Extent(axes, extent.front());
  HORUS_CHECK(extent.size() == axes, "an extent has one entry, or one for each spatial axis");
  return extent;
}

/// A kernel that slides over the spatial axes of one value.
struct Sliding {
  Extent kernel;
  Extent stride;
  Extent padding;
  Extent dilation;
  Rounding rounding{Rounding::Down};
};

Sliding sliding(const Value& x, const ConvSpec& spec) {
  const std::size_t axes = spatial_rank(x);
  return {.kernel = spread(spec.kernel, axes),
          .stride = spread(spec.stride, axes),
          .padding = spread(spec.padding, axes),
          .dilation = spread(spec.dilation, axes)};
}

Sliding sliding(const Value& x, const PoolSpec& spec) {
  const std::size_t axes = spatial_rank(x);
  return {.kernel = spread(spec.kernel, axes),
          .stride = spread(spec.stride, axes),
          .padding = spread(spec.padding, axes),
          .dilation = Extent(axes, 1),
          .rounding = spec.rounding};
}

Attributes attributes_of(const Sliding& window) {
  Extent both_ends(2 * window.padding.size());
  std::copy(window.padding.begin(), window.padding.end(), both_ends.begin());
  std::copy_backward(window.padding.begin(), window.padding.end(), both_ends.end());
  Attributes attributes{
      {"kernel_shape", window.kernel}, {"strides", window.stride}, {"pads", both_ends}};
  const auto is_dilated = [](std::int64_t dilation) { return dilation != 1; };
  if (std::ranges::any_of(window.dilation, is_dilated)) {
    attributes.emplace("dilations", window.dilation);
  }
  if (window.rounding == Rounding::Up) attributes.emplace("ceil_mode", std::int64_t{1});
  return attributes;
}

/// Windows along one axis.
std::int64_t windows(const Sliding& window, std::size_t axis, std::int64_t size) {
  const std::int64_t stride = window.stride[axis];
  const std::int64_t reach = window.dilation[axis] * (window.kernel[axis] - 1) + 1;
  const std::int64_t room = size + 2 * window.padding[axis] - reach;
  HORUS_CHECK(room >= 0, "the kernel fits into the padded input");
  if (window.rounding == Rounding::Down || room % stride == 0) return room / stride + 1;
  // A window that would start behind the input and its leading padding is left out all the same.
  const std::int64_t last_start = (room / stride + 1) * stride;
  return room / stride + (last_start < size + window.padding[axis] ? 2 : 1);
}

Shape slide(const Value& x, const Sliding& window, std::int64_t channels) {
  Shape shape{x.shape[0], channels};
  for (std::size_t axis = 0; axis < window.kernel.size(); ++axis) {
    shape.push_back(windows(window, axis, x.shape[axis + 2]));
  }
  return shape;
}

Shape slide_back(const Value& x, const Sliding& window, std::int64_t channels) {
  Shape shape{x.shape[0], channels};
  for (std::size_t axis = 0; axis < window.kernel.size(); ++axis) {
    shape.push_back((x.shape[axis + 2] - 1) * window.stride[axis] - 2 * window.padding[axis] +
                    window.kernel[axis]);
  }
  return shape;
}

/// The inputs of a layer: `x`, a weight of `weight_shape`, and a bias where wanted.
std::vector<std::string> weighted(Builder& b, const std::string& name, const Value& x,
                                  Shape weight_shape, Shape bias_shape) {
  std::vector<std::string> inputs{x.name, b.parameter(name + ".weight", weight_shape).name};
  if (!bias_shape.empty()) inputs.push_back(b.parameter(name + ".bias", bias_shape).name);
  return inputs;
}

Shape bias_of(Bias bias, std::int64_t width) {
  return bias == Bias::Trained ? Shape{width} : Shape{};
}

Shape broadcast(const Shape& left, const Shape& right) {
  const Shape& longer = left.size() >= right.size() ? left : right;
  const Shape& shorter = left.size() >= right.size() ? right : left;
  Shape shape = longer;
  const std::size_t offset = longer.size() - shorter.size();
  for (std::size_t axis = 0; axis < shorter.size(); ++axis) {
    std::int64_t& size = shape[offset + axis];
    HORUS_CHECK(size == shorter[axis] || size == 1 || shorter[axis] == 1,
                "shapes of a pointwise operator broadcast together");
    if (size == 1) size = shorter[axis];
  }
  return shape;
}

}  // namespace

Value conv(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec) {
  const Sliding window = sliding(x, spec);
  HORUS_CHECK(channels_of(x) % spec.groups == 0 && spec.channels % spec.groups == 0,
              "channels divide evenly into groups");
  Shape weight{spec.channels, channels_of(x) / spec.groups};
  weight.insert(weight.end(), window.kernel.begin(), window.kernel.end());
  Attributes attributes = attributes_of(window);
  attributes.emplace("group", spec.groups);
  return b.add({.name = name,
                .op_type = "Conv",
                .inputs = weighted(b, name, x, weight, bias_of(spec.bias, spec.channels)),
                .attributes = std::move(attributes)},
               slide(x, window, spec.channels));
}

Value conv_by(Builder& b, const std::string& name, const Value& x, const Value& weight,
              const std::optional<Value>& bias, const ConvSpec& spec) {
  const Sliding window = sliding(x, spec);
  NodeSpec node{.name = name,
                .op_type = "Conv",
                .inputs = {x.name, weight.name},
                .attributes = attributes_of(window)};
  node.attributes.emplace("group", spec.groups);
  if (bias) node.inputs.push_back(bias->name);
  return b.add(std::move(node), slide(x, window, spec.channels));
}

Value conv_transpose(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec) {
  const Sliding window = sliding(x, spec);
  Shape weight{channels_of(x), spec.channels / spec.groups};
  weight.insert(weight.end(), window.kernel.begin(), window.kernel.end());
  Attributes attributes = attributes_of(window);
  attributes.emplace("group", spec.groups);
  Shape shape = slide_back(x, window, spec.channels);
  const Extent more = spread(spec.output_padding, window.kernel.size());
  attributes.emplace("output_padding", more);
  for (std::size_t axis = 0; axis < more.size(); ++axis) shape[axis + 2] += more[axis];
  return b.add({.name = name,
                .op_type = "ConvTranspose",
                .inputs = weighted(b, name, x, weight, bias_of(spec.bias, spec.channels)),
                .attributes = std::move(attributes)},
               std::move(shape));
}

Value upsample(Builder& b, const std::string& name, const Value& x, std::int64_t factor) {
  std::vector<double> scales(x.shape.size(), static_cast<double>(factor));
  scales[0] = scales[1] = 1;
  const Value sizes = b.numbers(name + ".scales", {std::ssize(scales)}, scales);
  Shape shape = x.shape;
  for (std::size_t axis = 2; axis < shape.size(); ++axis) shape[axis] *= factor;
  return b.add({.name = name,
                .op_type = "Resize",
                .inputs = {x.name, "", sizes.name},
                .attributes = {{"coordinate_transformation_mode", std::string{"asymmetric"}},
                               {"mode", std::string{"nearest"}},
                               {"nearest_mode", std::string{"floor"}}}},
               std::move(shape));
}

Value max_pool(Builder& b, const std::string& name, const Value& x, const PoolSpec& spec) {
  const Sliding window = sliding(x, spec);
  return b.add(
      {.name = name, .op_type = "MaxPool", .inputs = {x.name}, .attributes = attributes_of(window)},
      slide(x, window, channels_of(x)));
}

Value average_pool(Builder& b, const std::string& name, const Value& x, const PoolSpec& spec) {
  const Sliding window = sliding(x, spec);
  Attributes attributes = attributes_of(window);
  attributes.emplace("count_include_pad",
                     std::int64_t{spec.padding_counts == PaddingCounts::Yes ? 1 : 0});
  return b.add({.name = name,
                .op_type = "AveragePool",
                .inputs = {x.name},
                .attributes = std::move(attributes)},
               slide(x, window, channels_of(x)));
}

Value global_average_pool(Builder& b, const std::string& name, const Value& x) {
  Shape shape(2 + spatial_rank(x), 1);
  shape[0] = x.shape[0];
  shape[1] = x.shape[1];
  return b.add({.name = name, .op_type = "GlobalAveragePool", .inputs = {x.name}}, shape);
}

Value spatial_mean(Builder& b, const std::string& name, const Value& x) {
  Shape shape(2 + spatial_rank(x), 1);
  shape[0] = x.shape[0];
  shape[1] = x.shape[1];
  std::vector<std::int64_t> axes;
  for (std::size_t axis = 2; axis < x.shape.size(); ++axis) {
    axes.push_back(static_cast<std::int64_t>(axis));
  }
  return b.add({.name = name,
                .op_type = "ReduceMean",
                .inputs = {x.name},
                .attributes = {{"axes", axes}, {"keepdims", std::int64_t{1}}}},
               shape);
}

Value batch_norm(Builder& b, const std::string& name, const Value& x) {
  const Shape per_channel{channels_of(x)};
  NodeSpec node{.name = name,
                .op_type = "BatchNormalization",
                .inputs = weighted(b, name, x, per_channel, per_channel),
                .attributes = {{"epsilon", kBatchNormEpsilon},
                               {"momentum", kBatchNormMomentum},
                               {"training_mode", std::int64_t{1}}}};
  node.inputs.push_back(b.buffer(name + ".running_mean", per_channel).name);
  node.inputs.push_back(b.buffer(name + ".running_var", per_channel).name);
  return b.add_many(std::move(node), {x.shape, per_channel, per_channel}).front();
}

Value group_norm(Builder& b, const std::string& name, const Value& x, std::int64_t groups) {
  const std::int64_t channels = channels_of(x);
  HORUS_CHECK(channels % groups == 0, "channels divide evenly into groups");
  std::int64_t members = channels / groups;
  for (std::size_t axis = 2; axis < x.shape.size(); ++axis) members *= x.shape[axis];
  const Value grouped =
      reshape(b, name + ".group", x, {0, groups, -1}, {x.shape[0], groups, members});
  const Value normal = b.add({.name = name + ".normal",
                              .op_type = "InstanceNormalization",
                              .inputs = {grouped.name, b.buffer(name + ".ones", {groups}).name,
                                         b.buffer(name + ".zeros", {groups}).name},
                              .attributes = {{"epsilon", kGroupNormEpsilon}}},
                             grouped.shape);
  std::vector<std::int64_t> target{x.shape.begin(), x.shape.end()};
  target[0] = -1;
  const Value y = reshape(b, name + ".ungroup", normal, target, x.shape);
  Shape per_channel(x.shape.size() - 1, 1);
  per_channel[0] = channels;
  const Value scaled =
      binary(b, name + ".scale", "Mul", y, b.parameter(name + ".weight", per_channel));
  return binary(b, name, "Add", scaled, b.parameter(name + ".bias", per_channel));
}

Value layer_norm(Builder& b, const std::string& name, const Value& x, double epsilon) {
  const Shape last{x.shape.back()};
  return b.add({.name = name,
                .op_type = "LayerNormalization",
                .inputs = weighted(b, name, x, last, last),
                .attributes = {{"axis", std::int64_t{-1}}, {"epsilon", epsilon}}},
               x.shape);
}

Value linear(Builder& b, const std::string& name, const Value& x, std::int64_t features,
             Bias bias) {
  const std::int64_t width = x.shape.back();
  Shape shape = x.shape;
  shape.back() = features;
  if (x.shape.size() == 2) {
    return b.add({.name = name,
                  .op_type = "Gemm",
                  .inputs = weighted(b, name, x, {features, width}, bias_of(bias, features)),
                  .attributes = {{"transB", std::int64_t{1}}}},
                 shape);
  }
  const std::string product = bias == Bias::Trained ? name + ".matmul" : name;
  Value y = b.add(
      {.name = product, .op_type = "MatMul", .inputs = weighted(b, name, x, {width, features}, {})},
      shape);
  if (bias == Bias::None) return y;
  return binary(b, name, "Add", y, b.parameter(name + ".bias", {features}));
}

Value tied_linear(Builder& b, const std::string& name, const Value& x, const Value& table) {
  return matmul(b, name, x, transpose(b, name + ".transpose", table, {1, 0}));
}

Value embedding(Builder& b, const std::string& name, const Value& table, const Value& ids) {
  Shape shape = ids.shape;
  shape.push_back(table.shape.back());
  return b.add({.name = name, .op_type = "Gather", .inputs = {table.name, ids.name}}, shape);
}

Value unary(Builder& b, const std::string& name, std::string_view op_type, const Value& x,
            Attributes attributes) {
  return b.add({.name = name,
                .op_type = std::string{op_type},
                .inputs = {x.name},
                .attributes = std::move(attributes)},
               x.shape, x.type);
}

Value binary(Builder& b, const std::string& name, std::string_view op_type, const Value& left,
             const Value& right) {
  return b.add({.name = name, .op_type = std::string{op_type}, .inputs = {left.name, right.name}},
               broadcast(left.shape, right.shape), left.type);
}

Value relu(Builder& b, const std::string& name, const Value& x) {
  return unary(b, name, "Relu", x);
}

Value relu6(Builder& b, const std::string& name, const Value& x) {
  const Value low = b.number(0);
  const Value high = b.number(6);
  return b.add({.name = name, .op_type = "Clip", .inputs = {x.name, low.name, high.name}}, x.shape);
}

Value tanh(Builder& b, const std::string& name, const Value& x) {
  return unary(b, name, "Tanh", x);
}

Value sigmoid(Builder& b, const std::string& name, const Value& x) {
  return unary(b, name, "Sigmoid", x);
}

Value hard_sigmoid(Builder& b, const std::string& name, const Value& x) {
  return unary(b, name, "HardSigmoid", x, {{"alpha", 1.0 / 6}, {"beta", 0.5}});
}

Value hard_swish(Builder& b, const std::string& name, const Value& x) {
  return unary(b, name, "HardSwish", x);
}

Value silu(Builder& b, const std::string& name, const Value& x) {
  return binary(b, name, "Mul", x, unary(b, name + ".sigmoid", "Sigmoid", x));
}

Value gelu(Builder& b, const std::string& name, const Value& x) {
  const Value scaled = binary(b, name + ".div", "Div", x, b.number(std::numbers::sqrt2));
  const Value erf = unary(b, name + ".erf", "Erf", scaled);
  const Value shifted = binary(b, name + ".add", "Add", erf, b.number(1));
  const Value product = binary(b, name + ".mul", "Mul", x, shifted);
  return binary(b, name, "Mul", product, b.number(0.5));
}

Value gelu_tanh(Builder& b, const std::string& name, const Value& x) {
  const double slope = std::sqrt(2 * std::numbers::inv_pi);
  const Value cube = binary(b, name + ".pow", "Pow", x, b.number(3));
  const Value cubic = binary(b, name + ".mul", "Mul", cube, b.number(0.044715));
  const Value sum = binary(b, name + ".add", "Add", x, cubic);
  const Value scaled = binary(b, name + ".mul_1", "Mul", sum, b.number(slope));
  const Value tanh = unary(b, name + ".tanh", "Tanh", scaled);
  const Value shifted = binary(b, name + ".add_1", "Add", tanh, b.number(1));
  const Value half = binary(b, name + ".mul_2", "Mul", x, b.number(0.5));
  return binary(b, name, "Mul", half, shifted);
}

Value approximate_gelu(Builder& b, const std::string& name, const Value& x) {
  const double slope = std::sqrt(2 * std::numbers::inv_pi);
  const Value square = binary(b, name + ".square", "Mul", x, x);
  const Value cube = binary(b, name + ".cube", "Mul", x, square);
  const Value cubic = binary(b, name + ".mul", "Mul", b.number(0.044715), cube);
  const Value sum = binary(b, name + ".add", "Add", x, cubic);
  const Value scaled = binary(b, name + ".mul_1", "Mul", b.number(slope), sum);
  const Value tanh = unary(b, name + ".tanh", "Tanh", scaled);
  const Value shifted = binary(b, name + ".add_1", "Add", b.number(1), tanh);
  const Value product = binary(b, name + ".mul_2", "Mul", x, shifted);
  return binary(b, name, "Mul", b.number(0.5), product);
}

Value softmax(Builder& b, const std::string& name, const Value& x) {
  return unary(b, name, "Softmax", x, {{"axis", std::int64_t{-1}}});
}

Value dropout(Builder& b, const std::string& name, const Value& x, double rate) {
  if (rate <= 0) return x;
  const Value ratio = b.number(rate);
  const Value training = b.truth();
  return b.add({.name = name, .op_type = "Dropout", .inputs = {x.name, ratio.name, training.name}},
               x.shape);
}

Value concat(Builder& b, const std::string& name, std::span<const Value> parts, std::int64_t axis) {
  HORUS_CHECK(!parts.empty(), "a concatenation has parts");
  NodeSpec node{.name = name, .op_type = "Concat", .inputs = {}, .attributes = {{"axis", axis}}};
  Shape shape = parts.front().shape;
  auto& joined = shape.at(static_cast<std::size_t>(axis));
  joined = 0;
  for (const Value& part : parts) {
    node.inputs.push_back(part.name);
    joined += part.shape.at(static_cast<std::size_t>(axis));
  }
  return b.add(std::move(node), shape, parts.front().type);
}

Value flatten(Builder& b, const std::string& name, const Value& x) {
  std::int64_t width = 1;
  for (std::size_t axis = 1; axis < x.shape.size(); ++axis) width *= x.shape[axis];
  return b.add({.name = name,
                .op_type = "Flatten",
                .inputs = {x.name},
                .attributes = {{"axis", std::int64_t{1}}}},
               {x.shape[0], width});
}

Value reshape(Builder& b, const std::string& name, const Value& x,
              const std::vector<std::int64_t>& target, Shape shape) {
  const Value constant = b.integers(target);
  return b.add({.name = name, .op_type = "Reshape", .inputs = {x.name, constant.name}},
               std::move(shape), x.type);
}

Value transpose(Builder& b, const std::string& name, const Value& x,
                const std::vector<std::int64_t>& order) {
  HORUS_CHECK(order.size() == x.shape.size(), "a permutation names every axis");
  Shape shape;
  for (const std::int64_t axis : order) shape.push_back(x.shape.at(static_cast<std::size_t>(axis)));
  return b.add(
      {.name = name, .op_type = "Transpose", .inputs = {x.name}, .attributes = {{"perm", order}}},
      shape, x.type);
}

std::vector<Value> split(Builder& b, const std::string& name, const Value& x, std::int64_t axis,
                         const std::vector<std::int64_t>& sizes) {
  std::vector<Shape> shapes;
  std::int64_t sum = 0;
  for (const std::int64_t size : sizes) {
    shapes.push_back(x.shape);
    shapes.back().at(static_cast<std::size_t>(axis)) = size;
    sum += size;
  }
  HORUS_CHECK(sum == x.shape.at(static_cast<std::size_t>(axis)), "the parts make up the axis");
  return b.add_many({.name = name,
                     .op_type = "Split",
                     .inputs = {x.name, b.integers(sizes).name},
                     .attributes = {{"axis", axis}}},
                    shapes);
}

std::vector<Value> split_last(Builder& b, const std::string& name, const Value& x,
                              std::int64_t count) {
  HORUS_CHECK(x.shape.back() % count == 0, "the last axis divides evenly");
  Shape part = x.shape;
  part.back() /= count;
  const auto parts = static_cast<std::size_t>(count);
  const Value sizes = b.integers(std::vector<std::int64_t>(parts, part.back()));
  return b.add_many({.name = name,
                     .op_type = "Split",
                     .inputs = {x.name, sizes.name},
                     .attributes = {{"axis", std::int64_t{-1}}}},
                    std::vector<Shape>(parts, part));
}

Value matmul(Builder& b, const std::string& name, const Value& left, const Value& right) {
  HORUS_CHECK(left.shape.size() >= 2 && right.shape.size() >= 2 &&
                  left.shape.back() == right.shape[right.shape.size() - 2],
              "the inner sizes of a matrix product agree");
  Shape shape = left.shape;
  shape.back() = right.shape.back();
  return b.add({.name = name, .op_type = "MatMul", .inputs = {left.name, right.name}}, shape);
}

}  // namespace horus::zoo
