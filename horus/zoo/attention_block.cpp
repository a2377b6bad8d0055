// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/attention_block.hpp"

#include <cmath>
#include <numeric>

#include "horus/base/check.hpp"

namespace horus::zoo {
namespace {

/// (batch, tokens, width) to the axes of `order` over (batch, tokens, heads, width / heads).
Value split_heads(Builder& b, const std::string& name, const Value& x, std::int64_t heads,
                  const std::vector<std::int64_t>& order) {
  const std::int64_t width = x.shape.back() / heads;
  const Value parted = reshape(b, name + ".reshape", x, {0, 0, heads, width},
                               {x.shape[0], x.shape[1], heads, width});
  return transpose(b, name + ".transpose", parted, order);
}

Value join_heads(Builder& b, const std::string& name, const Value& x) {
  const Value ordered = transpose(b, name + ".transpose", x, {0, 2, 1, 3});
  const std::int64_t width = ordered.shape[2] * ordered.shape[3];
  return reshape(b, name + ".reshape", ordered, {0, 0, width},
                 {ordered.shape[0], ordered.shape[1], width});
}

}  // namespace

Projections project_apart(Builder& b, const ProjectionNames& names, const Value& x,
                          const Value& memory, Bias bias) {
  // One statement each: the order of nodes must not depend on the compiler.
  const std::int64_t width = x.shape.back();
  Value query = linear(b, names.query, x, width, bias);
  Value key = linear(b, names.key, memory, width, bias);
  Value value = linear(b, names.value, memory, width, bias);
  return {.query = std::move(query), .key = std::move(key), .value = std::move(value)};
}

Projections project_together(Builder& b, const std::string& name, const Value& x) {
  const Value all = linear(b, name, x, 3 * x.shape.back());
  std::vector<Value> parts = split_last(b, name + ".split", all, 3);
  return {.query = std::move(parts[0]), .key = std::move(parts[1]), .value = std::move(parts[2])};
}

Value attention(Builder& b, const std::string& name, const Projections& projections,
                const AttentionSpec& spec) {
  const std::int64_t width = projections.query.shape.back();
  HORUS_CHECK(width % spec.heads == 0, "heads share the width evenly");
  const std::int64_t head_width = width / spec.heads;
  const double scale = spec.scale.value_or(1 / std::sqrt(static_cast<double>(head_width)));
  const Value query = split_heads(b, name + ".query", projections.query, spec.heads, {0, 2, 1, 3});
  const Value key = split_heads(b, name + ".key", projections.key, spec.heads, {0, 2, 3, 1});
  const Value value = split_heads(b, name + ".value", projections.value, spec.heads, {0, 2, 1, 3});
  Value weights = matmul(b, name + ".scores", query, key);
  if (scale != 1) weights = binary(b, name + ".scale", "Mul", weights, b.number(scale));
  if (spec.mask) weights = binary(b, name + ".mask", "Add", weights, *spec.mask);
  weights = softmax(b, name + ".softmax", weights);
  weights = dropout(b, name + ".dropout", weights, spec.dropout);
  return join_heads(b, name + ".context", matmul(b, name + ".context", weights, value));
}

Value feed_forward(Builder& b, const Value& x, const FeedForwardSpec& spec) {
  const Value inner = linear(b, spec.expand, x, spec.inner);
  return linear(b, spec.contract, spec.activate(b, spec.activation, inner), x.shape.back());
}

Value positions(Builder& b, std::int64_t count) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  const Value flat = b.integers(numbers);
  const Value axis = b.integers({0});
  return b.add({.name = "position_ids", .op_type = "Unsqueeze", .inputs = {flat.name, axis.name}},
               {1, count}, ElementType::Int64);
}

Value padding_mask(Builder& b, const std::string& name, const Value& keep) {
  HORUS_CHECK(keep.shape.size() == 2, "a padding mask has (batch, tokens)");
  constexpr double kNever = -1e9;
  const Shape shape{keep.shape[0], 1, 1, keep.shape[1]};
  const Value axes = b.integers({1, 2});
  const Value spread =
      b.add({.name = name + ".unsqueeze", .op_type = "Unsqueeze", .inputs = {keep.name, axes.name}},
            shape, keep.type);
  const Value number =
      b.add({.name = name + ".cast",
             .op_type = "Cast",
             .inputs = {spread.name},
             .attributes = {{"to", static_cast<std::int64_t>(ElementType::Float32)}}},
            shape);
  const Value dropped = binary(b, name + ".sub", "Sub", b.number(1), number);
  return binary(b, name, "Mul", dropped, b.number(kNever));
}

}  // namespace horus::zoo
