// SPDX-License-Identifier: Apache-2.0
// The attention operators that ONNX Runtime's optimizers write (domain com.microsoft), by its
// docs/ContribOperators.md. Those with weights inside count their projections.

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "horus/graph/ops/one_attention.hpp"

namespace horus::graph {
namespace {

double real(std::int64_t size) { return static_cast<double>(size); }

Result<std::int64_t> heads_of(const NodeView& node, const char* name, std::int64_t width) {
  const std::int64_t heads = node.integer(name, 0);
  if (heads < 1 || width % heads != 0) {
    return refuse(fmt::format("{} features do not split into {} heads", width, heads));
  }
  return heads;
}

/// Positions of a cache (batch, heads, positions, size) at input `i`; 0 without one.
std::int64_t past_positions(const NodeView& node, std::size_t i) {
  return node.has_input(i) && node.shape(i).size() == 4 ? node.shape(i)[2] : 0;
}

// --- Attention and QAttention: weights inside ----------------------------------------------------

/// Widths of the projections to queries, keys and values.
struct Projection {
  std::int64_t depth{}, query{}, key{}, value{};
  [[nodiscard]] std::int64_t sum() const { return query + key + value; }
};

Result<Projection> projection_of(const NodeView& node) {
  const Shape& weight = node.shape(1);
  if (weight.size() != 2) return refuse("the weight of three projections has two axes");
  const auto given = node.integers("qkv_hidden_sizes");
  const std::int64_t third = weight[1] / 3;
  Projection widths{.depth = weight[0], .query = third, .key = third, .value = third};
  if (given.size() == 3) {
    widths = {.depth = weight[0], .query = given[0], .key = given[1], .value = given[2]};
  }
  const bool fits =
      widths.query > 0 && widths.key > 0 && widths.value > 0 && widths.sum() == weight[1];
  if (!fits) {
    return refuse(fmt::format("weight {} does not hold three projections", text_of(weight)));
  }
  return widths;
}

/// Attention has its past as input 4, QAttention as input 8: (2, batch, heads, positions, size).
std::int64_t stacked_past(const NodeView& node) {
  const std::size_t i = node.node().op_type == "QAttention" ? 8 : 4;
  return node.has_input(i) && node.shape(i).size() == 5 ? node.shape(i)[3] : 0;
}

Result<AttentionSizes> projected_sizes(const NodeView& node) {
  const Shape& data = node.shape(0);
  HORUS_TRY(const Projection widths, projection_of(node));
  if (data.size() != 3 || data[2] != widths.depth) {
    return refuse(
        fmt::format("data {} does not meet the weight {}", text_of(data), text_of(node.shape(1))));
  }
  HORUS_TRY(const std::int64_t heads, heads_of(node, "num_heads", widths.query));
  if (widths.value % heads != 0) return refuse("the values do not split into heads");
  return AttentionSizes{.batch = data[0],
                        .heads = heads,
                        .key_heads = heads,
                        .queries = data[1],
                        .keys = stacked_past(node) + data[1],
                        .size = widths.query / heads,
                        .value_size = widths.value / heads};
}

void add_projection(const CostView& node, CostSheet& sheet, const Projection& widths) {
  OpWork& work = sheet.work;
  const double rows = real(node.shape(0)[0]) * real(node.shape(0)[1]);
  const double macs = rows * real(widths.depth) * real(widths.sum());
  work.macs += macs;
  work.flops_forward += 2 * macs + rows * real(widths.sum());
  work.kernels_forward += 1;
  if (!node.runs_backward()) return;
  const double inputs = node.operand(0).needs_gradient ? 1 : 0;
  const double weights = node.operand(1).needs_gradient ? 1 : 0;
  work.flops_backward += 2 * macs * (inputs + weights) + weights * rows * real(widths.sum());
  work.kernels_backward += inputs + 2 * weights;
  sheet.kept_elements += rows * real(widths.sum());  // Queries, keys and values.
}

// --- MultiHeadAttention and its relatives --------------------------------------------------------

/// Where MultiHeadAttention and DecoderMaskedMultiHeadAttention keep their past keys.
std::size_t past_input(const NodeView& node) {
  return node.node().op_type == "DecoderMaskedMultiHeadAttention" ? 5 : 6;
}

/// Keys or values as (batch, positions, features) or (batch, heads, positions, size).
struct KeysOrValues {
  std::int64_t positions, width;
};

Result<KeysOrValues> keys_or_values(const NodeView& node, std::size_t i, std::int64_t heads) {
  const Shape& shape = node.shape(i);
  if (shape.size() == 3) return KeysOrValues{shape[1], shape[2]};
  if (shape.size() == 4 && shape[1] == heads) return KeysOrValues{shape[2], heads * shape[3]};
  return refuse(fmt::format("input {} is {}, which is not of {} heads", i, text_of(shape), heads));
}

Result<AttentionSizes> multi_head_sizes(const NodeView& node) {
  const Shape& query = node.shape(0);
  const bool is_packed = query.size() == 5 && query[3] == 3;  // (batch, positions, heads, 3, size)
  if (query.size() != 3 && !is_packed) {
    return refuse(fmt::format("queries of 3 axes are needed, found {}", text_of(query)));
  }
  if (is_packed) {
    return AttentionSizes{.batch = query[0],
                          .heads = query[2],
                          .key_heads = query[2],
                          .queries = query[1],
                          .keys = query[1],
                          .size = query[4],
                          .value_size = query[4]};
  }
  HORUS_TRY(const std::int64_t heads, heads_of(node, "num_heads", query[2]));
  KeysOrValues keys{query[1], query[2]};
  const bool has_keys = node.has_input(1);
  const bool are_packed = has_keys && node.shape(1).size() == 5;  // (batch, positions, heads, 2, .)
  if (are_packed) keys = {node.shape(1)[1], query[2]};
  if (has_keys && !are_packed) {
    HORUS_TRY(keys, keys_or_values(node, 1, heads));
  }
  KeysOrValues values = keys;
  if (node.has_input(2)) {
    HORUS_TRY(values, keys_or_values(node, 2, heads));
  }
  if (values.width % heads != 0) return refuse("the values do not split into heads");
  return AttentionSizes{.batch = query[0],
                        .heads = heads,
                        .key_heads = heads,
                        .queries = query[1],
                        .keys = keys.positions + past_positions(node, past_input(node)),
                        .size = query[2] / heads,
                        .value_size = values.width / heads};
}

/// GroupQueryAttention (query, key, value, past key, past value, lengths, total length, ...).
/// Without keys, the query holds queries, keys and values of all heads.
Result<AttentionSizes> grouped_sizes(const NodeView& node) {
  const Shape& query = node.shape(0);
  const std::int64_t heads = node.integer("num_heads", 0);
  const std::int64_t key_heads = node.integer("kv_num_heads", 0);
  if (query.size() != 3 || heads < 1 || key_heads < 1 || heads % key_heads != 0) {
    return refuse(
        fmt::format("{} heads over {} for {} are no groups", heads, key_heads, text_of(query)));
  }
  const std::int64_t parts = node.has_input(1) ? heads : heads + 2 * key_heads;
  if (query[2] % parts != 0) {
    return refuse(fmt::format("{} features do not split into {} heads", query[2], parts));
  }
  const std::int64_t size = query[2] / parts;
  const std::int64_t past = past_positions(node, 3);
  const std::int64_t fresh =
      node.has_input(1) && node.shape(1).size() == 3 ? node.shape(1)[1] : query[1];
  // A cache that is written in place already has room for the new positions.
  const auto total = node.scalar(6);
  const bool is_told = total && *total >= 0 && *total <= static_cast<double>(kMaxElements);
  const std::int64_t keys =
      is_told ? std::max(past, static_cast<std::int64_t>(*total)) : past + fresh;
  return AttentionSizes{.batch = query[0],
                        .heads = heads,
                        .key_heads = key_heads,
                        .queries = query[1],
                        .keys = keys,
                        .size = size,
                        .value_size = size};
}

Facts with_cache(const NodeView& node, const AttentionSizes& sizes) {
  const ElementType type = node.input(0).type;
  Facts facts = one(type, {sizes.batch, sizes.queries, sizes.heads * sizes.value_size});
  facts.push_back({.type = type, .shape = {sizes.batch, sizes.key_heads, sizes.keys, sizes.size}});
  facts.push_back(
      {.type = type, .shape = {sizes.batch, sizes.key_heads, sizes.keys, sizes.value_size}});
  facts.push_back({.type = type, .shape = {sizes.batch, sizes.heads, sizes.queries, sizes.keys}});
  return facts;
}

}  // namespace

Result<Facts> infer_projected_attention(const NodeView& node) {
  HORUS_TRY(const AttentionSizes sizes, projected_sizes(node));
  const bool is_quantized = !is_floating(node.input(0).type);
  const ElementType type = is_quantized ? ElementType::Float32 : node.input(0).type;
  Facts facts = one(type, {sizes.batch, sizes.queries, sizes.heads * sizes.value_size});
  facts.push_back({.type = type, .shape = {2, sizes.batch, sizes.heads, sizes.keys, sizes.size}});
  return facts;
}

void cost_projected_attention(const CostView& node, CostSheet& sheet) {
  const auto sizes = projected_sizes(node);
  const auto widths = projection_of(node);
  if (!sizes || !widths) return;
  add_projection(node, sheet, *widths);
  add_attention(node, sheet, *sizes);
  move_attention_data(node, sheet, 1);
}

Result<Facts> infer_multi_head_attention(const NodeView& node) {
  HORUS_TRY(const AttentionSizes sizes, multi_head_sizes(node));
  return with_cache(node, sizes);
}

void cost_multi_head_attention(const CostView& node, CostSheet& sheet) {
  const auto sizes = multi_head_sizes(node);
  if (!sizes) return;
  add_attention(node, sheet, *sizes);
  move_attention_data(node, sheet, 3);
}

Result<Facts> infer_group_query_attention(const NodeView& node) {
  HORUS_TRY(const AttentionSizes sizes, grouped_sizes(node));
  Facts facts = with_cache(node, sizes);
  // Without the total length, the cache and the new positions are all that there can be.
  const bool is_open = node.has_input(3) && !node.scalar(6);
  for (std::size_t i = 1; is_open && i < facts.size(); ++i) facts[i].is_bound = true;
  return facts;
}

void cost_group_query_attention(const CostView& node, CostSheet& sheet) {
  const auto sizes = grouped_sizes(node);
  if (!sizes) return;
  add_attention(node, sheet, *sizes);
  move_attention_data(node, sheet, 3);
}

/// LongformerAttention (input, weight, bias, mask, global weight, global bias, global): every
/// position sees `window` on both sides. Global positions, which data choose, are not counted.
Result<Facts> infer_longformer_attention(const NodeView& node) {
  HORUS_TRY_DONE(heads_of(node, "num_heads", node.shape(0).empty() ? 0 : node.shape(0).back()));
  if (node.shape(0).size() != 3) return refuse("samples, positions and features are needed");
  return one(node.input(0).type, node.shape(0));
}

void cost_longformer_attention(const CostView& node, CostSheet& sheet) {
  const Shape& data = node.shape(0);
  const auto widths = projection_of(node);
  const std::int64_t heads = std::max<std::int64_t>(1, node.integer("num_heads", 1));
  if (!widths) return;
  const std::int64_t seen =
      std::min(data[1], 2 * std::max<std::int64_t>(0, node.integer("window", 0)) + 1);
  add_projection(node, sheet, *widths);
  add_attention(node, sheet,
                {.batch = data[0],
                 .heads = heads,
                 .key_heads = heads,
                 .queries = data[1],
                 .keys = seen,
                 .size = data[2] / heads,
                 .value_size = data[2] / heads});
  move_attention_data(node, sheet, 1);
}

/// RelativePositionBias (table of buckets x heads, query length, key length).
Result<Facts> infer_relative_bias(const NodeView& node) {
  const auto queries = node.contents(1);
  const auto keys = node.contents(2);
  if (!queries || !keys || queries->size() != 1 || keys->size() != 1) {
    return refuse("the lengths depend on data, so they are unknown");
  }
  if (node.shape(0).size() != 2) return refuse("a table of buckets and heads is needed");
  return one(node.input(0).type, {1, node.shape(0)[1], queries->front(), keys->front()});
}

/// GatedRelativePositionBias (queries, bias, relative positions, weight, bias, eco, offsets).
Result<Facts> infer_gated_relative_bias(const NodeView& node) {
  const Shape& query = node.shape(0);
  const std::int64_t heads = node.integer("num_heads", 0);
  if (query.size() != 3 || heads < 1) return refuse("queries of 3 axes and heads are needed");
  return one(node.input(0).type, {query[0], heads, query[1], query[1]});
}

}  // namespace horus::graph
