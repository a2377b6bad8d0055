// SPDX-License-Identifier: Apache-2.0
// Attention of the standard operator set: Attention (23), FlexAttention, LinearAttention (27) and
// the convolution that goes with the latter.

#include "horus/graph/ops/one_attention.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace horus::graph {
namespace {

constexpr double kScaleAndSoftmax = 6;  // Scale 1, softmax 5.
constexpr double kSoftmaxBackward = 4;
constexpr double kRowBytes = 4;  // The logarithm of a row's sum is FP32 in every precision.

/// One of Q, K, V as (batch, heads, positions, size): given so, or as (batch, positions, heads x
/// size).
struct Operand4 {
  std::int64_t batch, heads, positions, size;
};

Result<Operand4> operand(const NodeView& node, std::size_t i, const char* heads_attribute) {
  const Shape& shape = node.shape(i);
  if (shape.size() == 4) return Operand4{shape[0], shape[1], shape[2], shape[3]};
  const std::int64_t heads = node.integer(heads_attribute, 0);
  if (shape.size() != 3 || heads < 1 || shape[2] % heads != 0) {
    return refuse(fmt::format("input {} is {}, which does not split into {} heads", i,
                              text_of(shape), heads));
  }
  return Operand4{shape[0], heads, shape[1], shape[2] / heads};
}

Result<AttentionSizes> sizes_of(const NodeView& node) {
  HORUS_TRY(const Operand4 q, operand(node, 0, "q_num_heads"));
  HORUS_TRY(const Operand4 k, operand(node, 1, "kv_num_heads"));
  HORUS_TRY(const Operand4 v, operand(node, 2, "kv_num_heads"));
  const bool fits = q.batch == k.batch && k.batch == v.batch && k.heads == v.heads &&
                    k.positions == v.positions && q.size == k.size && k.heads > 0 &&
                    q.heads % k.heads == 0;
  if (!fits) {
    return refuse(fmt::format("queries {}, keys {} and values {} do not belong together",
                              text_of(node.shape(0)), text_of(node.shape(1)),
                              text_of(node.shape(2))));
  }
  std::int64_t past = 0;
  if (node.has_input(4)) {
    if (node.shape(4).size() != 4) return refuse("the past keys must have four axes");
    past = node.shape(4)[2];
  }
  return AttentionSizes{.batch = q.batch,
                        .heads = q.heads,
                        .key_heads = k.heads,
                        .queries = q.positions,
                        .keys = past + k.positions,
                        .size = q.size,
                        .value_size = v.size};
}

double real(std::int64_t size) { return static_cast<double>(size); }

/// The shapes of a LinearAttention: (batch, positions, heads x size) for queries, keys and values.
Result<AttentionSizes> linear_sizes(const NodeView& node) {
  const std::int64_t heads = node.integer("q_num_heads", 0);
  const std::int64_t key_heads = node.integer("kv_num_heads", 0);
  const Shape& query = node.shape(0);
  const Shape& value = node.shape(2);
  const bool fits = query.size() == 3 && value.size() == 3 && heads > 0 && key_heads > 0 &&
                    query[2] % heads == 0 && value[2] % key_heads == 0;
  if (!fits) {
    return refuse(fmt::format("queries {} and values {} do not split into {} and {} heads",
                              text_of(query), text_of(value), heads, key_heads));
  }
  return AttentionSizes{.batch = query[0],
                        .heads = heads,
                        .key_heads = key_heads,
                        .queries = query[1],
                        .keys = query[1],
                        .size = query[2] / heads,
                        .value_size = value[2] / key_heads};
}

}  // namespace

void add_attention(const CostView& node, CostSheet& sheet, const AttentionSizes& sizes) {
  OpWork& work = sheet.work;
  const double rows = real(sizes.batch) * real(sizes.heads) * real(sizes.queries);
  const double scores = rows * real(sizes.keys);
  const double macs = scores * (real(sizes.size) + real(sizes.value_size));
  work.gemm = {.m = real(sizes.queries),
               .n = real(sizes.keys),
               .k = real(sizes.size),
               .groups = real(sizes.batch) * real(sizes.heads)};
  work.macs += macs;
  work.flops_forward += 2 * macs + kScaleAndSoftmax * scores;
  work.kernels_forward += 1;
  work.host_ops_forward = 1;
  if (!node.runs_backward()) return;
  // Scores again, gradients of values, of probabilities, of queries and of keys.
  work.flops_backward += 2 * scores * (3 * real(sizes.size) + 2 * real(sizes.value_size)) +
                         (kScaleAndSoftmax + kSoftmaxBackward) * scores;
  work.kernels_backward += 3;  // Row sums of dO O, the products, the conversion of dQ.
  work.host_ops_backward = 1;
  sheet.kept_bytes += static_cast<std::int64_t>(kRowBytes * rows);
}

void move_attention_data(const CostView& node, CostSheet& sheet, std::size_t inputs) {
  OpWork& work = sheet.work;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (node.is_activation(i) && is_floating(node.input(i).type)) {
      work.elements_read += node.size(i);
    }
  }
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    const Fact* fact = node.output(i);
    if (fact != nullptr && is_floating(fact->type)) work.elements_written += count(fact->shape);
  }
  if (!node.runs_backward()) return;
  work.elements_read_backward += work.elements_read + 2 * node.result_size();
  for (std::size_t i = 0; i < inputs; ++i) {
    if (!node.is_activation(i)) continue;
    sheet.kept_inputs.push_back(i);
    if (node.operand(i).needs_gradient) work.elements_written_backward += node.size(i);
  }
  sheet.kept_outputs.push_back(0);
}

Result<Facts> infer_attention(const NodeView& node) {
  HORUS_TRY(const AttentionSizes sizes, sizes_of(node));
  const ElementType type = node.input(0).type;
  const bool is_flat = node.shape(0).size() == 3;
  if (sizes.heads > 0 && sizes.value_size > kMaxElements / sizes.heads) {
    return refuse("the heads are beyond all bounds");
  }
  Facts facts =
      one(type, is_flat ? Shape{sizes.batch, sizes.queries, sizes.heads * sizes.value_size}
                        : Shape{sizes.batch, sizes.heads, sizes.queries, sizes.value_size});
  facts.push_back({.type = node.input(1).type,
                   .shape = {sizes.batch, sizes.key_heads, sizes.keys, sizes.size}});
  facts.push_back({.type = node.input(2).type,
                   .shape = {sizes.batch, sizes.key_heads, sizes.keys, sizes.value_size}});
  facts.push_back({.type = type, .shape = {sizes.batch, sizes.heads, sizes.queries, sizes.keys}});
  return facts;
}

void cost_attention(const CostView& node, CostSheet& sheet) {
  const auto sizes = sizes_of(node);
  if (!sizes) return;
  add_attention(node, sheet, *sizes);
  move_attention_data(node, sheet, 3);
}

Result<Facts> infer_linear_attention(const NodeView& node) {
  HORUS_TRY(const AttentionSizes sizes, linear_sizes(node));
  const ElementType type = node.input(0).type;
  if (sizes.value_size > kMaxElements / sizes.heads) return refuse("heads beyond all bounds");
  Facts facts = one(type, {sizes.batch, sizes.queries, sizes.heads * sizes.value_size});
  facts.push_back({.type = node.has_input(3) ? node.input(3).type : type,
                   .shape = {sizes.batch, sizes.key_heads, sizes.size, sizes.value_size}});
  return facts;
}

void cost_linear_attention(const CostView& node, CostSheet& sheet) {
  const auto sizes = linear_sizes(node);
  if (!sizes) return;
  // Per position, each key head updates its state with an outer product (and, with the delta rule,
  // reads it first), and each query head reads it.
  const std::string rule = node.text("update_rule", "gated_delta");
  const double updates = rule.find("delta") == std::string::npos ? 1 : 2;
  const double gates = rule.find("gated") == std::string::npos ? 0 : 1;
  const double positions = real(sizes->batch) * real(sizes->queries);
  const double state = real(sizes->size) * real(sizes->value_size);
  const double key_states = positions * real(sizes->key_heads) * state;
  OpWork& work = sheet.work;
  work.macs = updates * key_states + positions * real(sizes->heads) * state;
  work.flops_forward = 2 * work.macs + gates * key_states;
  work.kernels_forward = work.host_ops_forward = 1;
  const double chunk = std::max(1.0, static_cast<double>(node.integer("chunk_size", 64)));
  work.sequential_steps = std::max(1.0, std::ceil(real(sizes->queries) / chunk));
  move_attention_data(node, sheet, 3);
  if (!node.runs_backward()) return;
  work.flops_backward = 2 * work.flops_forward;
  work.kernels_backward = 2;
  work.host_ops_backward = 1;
}

/// CausalConvWithState (input, weight, bias, past state): depthwise, every output looks back.
Result<Facts> infer_causal_convolution(const NodeView& node) {
  const Shape& data = node.shape(0);
  const Shape& weight = node.shape(1);
  if (data.size() != 3 || weight.size() != 3 || weight[0] != data[1] || weight[2] < 1) {
    return refuse(
        fmt::format("kernels {} do not fit channels of {}", text_of(weight), text_of(data)));
  }
  Facts facts = one(node.input(0).type, data);
  facts.push_back({.type = node.input(0).type, .shape = {data[0], data[1], weight[2] - 1}});
  return facts;
}

void cost_causal_convolution(const CostView& node, CostSheet& sheet) {
  const double kernel = real(node.shape(1)[2]);
  const double channels = real(node.shape(0)[1]);
  if (channels == 0) return;
  sheet.work.gemm = {.m = node.result_size() / channels, .n = 1, .k = kernel, .groups = channels};
  cost_product(node, sheet, node.result_size() * kernel);
}

}  // namespace horus::graph
