// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/multi_head.hpp"

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "horus/base/check.hpp"
#include "horus/zoo/tokens.hpp"

namespace horus::zoo {
namespace {

/// `x` with axes `count` - 3 and `count` - 2 from the end exchanged: tokens and heads.
Value swap_heads(Builder& b, const std::string& name, const Value& x) {
  std::vector<std::int64_t> order(x.shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[order.size() - 3], order[order.size() - 2]);
  return transpose(b, name, x, order);
}

/// Queries, keys and values from their joint projection.
HeadTriple split_heads(Builder& b, const std::string& name, const Value& all, std::int64_t heads) {
  const std::vector<Value> parts = split_last(b, name + ".split", all, 3);
  // One statement each: the order of nodes must not depend on the compiler.
  Value query = part_heads(b, name + ".query", parts[0], heads);
  Value key = part_heads(b, name + ".key", parts[1], heads);
  Value value = part_heads(b, name + ".value", parts[2], heads);
  return {.query = std::move(query), .key = std::move(key), .value = std::move(value)};
}

}  // namespace

Value part_heads(Builder& b, const std::string& name, const Value& x, std::int64_t heads) {
  HORUS_CHECK(x.shape.back() % heads == 0, "heads share the width evenly");
  Shape shape = x.shape;
  shape.back() = heads;
  shape.push_back(x.shape.back() / heads);
  return swap_heads(b, name + ".transpose", shaped(b, name + ".reshape", x, shape));
}

Value unite_heads(Builder& b, const std::string& name, const Value& x) {
  const Value ordered = swap_heads(b, name + ".transpose", x);
  Shape shape = ordered.shape;
  const std::int64_t width = shape.back();
  shape.pop_back();
  shape.back() *= width;
  return shaped(b, name + ".reshape", ordered, shape);
}

Value swap_last(Builder& b, const std::string& name, const Value& x) {
  std::vector<std::int64_t> order(x.shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[order.size() - 2], order[order.size() - 1]);
  return transpose(b, name, x, order);
}

HeadTriple project_heads(Builder& b, const std::string& name, const Value& x, std::int64_t heads,
                         Bias bias) {
  return split_heads(b, name, linear(b, name, x, 3 * x.shape.back(), bias), heads);
}

Value project_keyless(Builder& b, const std::string& name, const Value& x) {
  const std::int64_t width = x.shape.back();
  const Value y = linear(b, name + ".qkv", x, 3 * width, Bias::None);
  // One statement each: the order of weights must not depend on the compiler.
  const Value query = b.parameter(name + ".q_bias", {width});
  const Value key = b.buffer(name + ".k_bias", {width});
  const Value value = b.parameter(name + ".v_bias", {width});
  const Value bias = concat(b, name + ".qkv_bias", std::vector<Value>{query, key, value}, 0);
  return binary(b, name + ".qkv.add", "Add", y, bias);
}

HeadTriple project_heads_keyless(Builder& b, const std::string& name, const Value& x,
                                 std::int64_t heads) {
  return split_heads(b, name + ".qkv", project_keyless(b, name, x), heads);
}

Value weigh(Builder& b, const std::string& name, const Value& scores, const Value& value,
            const std::vector<Value>& biases) {
  Value weights = scores;
  for (std::size_t i = 0; i < biases.size(); ++i) {
    weights = binary(b, name + ".bias" + std::to_string(i), "Add", weights, biases[i]);
  }
  return matmul(b, name + ".context", softmax(b, name + ".softmax", weights), value);
}

Value attend(Builder& b, const std::string& name, const HeadTriple& heads,
             const std::vector<Value>& biases, double scale) {
  if (scale == 0) scale = 1 / std::sqrt(static_cast<double>(heads.query.shape.back()));
  const Value query = binary(b, name + ".scale", "Mul", heads.query, b.number(scale));
  const Value key = swap_last(b, name + ".key", heads.key);
  return weigh(b, name, matmul(b, name + ".scores", query, key), heads.value, biases);
}

Value attend_by_cosine(Builder& b, const std::string& name, const HeadTriple& heads,
                       const std::vector<Value>& biases) {
  const Value query = l2_norm(b, name + ".query", heads.query);
  const Value key = swap_last(b, name + ".key", l2_norm(b, name + ".key.unit", heads.key));
  const Value cosines = matmul(b, name + ".cosines", query, key);
  const std::int64_t count = heads.query.shape[heads.query.shape.size() - 3];
  const Value logarithm = b.parameter(name + ".logit_scale", {count, 1, 1});
  const Value capped = binary(b, name + ".cap", "Min", logarithm, b.number(std::log(100.0)));
  const Value scale = unary(b, name + ".exp", "Exp", capped);
  return weigh(b, name, binary(b, name + ".scale", "Mul", cosines, scale), heads.value, biases);
}

Value self_attention(Builder& b, const std::string& name, const Value& x,
                     const SelfAttentionSpec& spec) {
  const HeadTriple heads = project_heads(b, name + ".qkv", x, spec.heads, spec.bias);
  const Value y = unite_heads(b, name + ".context", attend(b, name, heads, spec.biases));
  return linear(b, name + ".proj", y, x.shape.back());
}

Value spread_bias(Builder& b, const std::string& name, const Value& table, std::int64_t tokens) {
  const Value index =
      b.buffer(name + ".relative_position_index", {tokens * tokens}, ElementType::Int64);
  const Value rows = embedding(b, name + ".rows", table, index);
  const Value square = shaped(b, name + ".square", rows, {tokens, tokens, table.shape.back()});
  return transpose(b, name, square, {2, 0, 1});
}

Value relative_bias(Builder& b, const std::string& name, std::int64_t height, std::int64_t width,
                    std::int64_t heads, std::int64_t prefix) {
  const std::int64_t positions = (2 * height - 1) * (2 * width - 1) + 3 * prefix;
  const Value table = b.parameter(name + ".relative_position_bias_table", {positions, heads});
  return spread_bias(b, name + ".relative_position_bias", table, height * width + prefix);
}

}  // namespace horus::zoo
