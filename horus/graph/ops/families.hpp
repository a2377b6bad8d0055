// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules that the operator table names, one block per family, one source file per block.
// infer_*: shapes and types of the outputs. fold_*: contents of the output. cost_*: a cost sheet.
// Inputs that a row requires are present and known when a rule is called; see op_rule.hpp.

#include <optional>
#include <utility>

#include "horus/graph/cost_view.hpp"
#include "horus/graph/op_rule.hpp"

namespace horus::graph {

/// The facts of an operator with one output.
[[nodiscard]] inline Facts one(ElementType type, Shape shape) {
  Facts facts;
  facts.push_back(Fact{.type = type, .shape = std::move(shape), .contents = std::nullopt});
  return facts;
}

// convolution.cpp
Result<Facts> infer_convolution(const NodeView& node);
Result<Facts> infer_transposed_convolution(const NodeView& node);
void cost_convolution(const CostView& node, CostSheet& sheet);
void cost_transposed_convolution(const CostView& node, CostSheet& sheet);

// linear.cpp
Result<Facts> infer_gemm(const NodeView& node);
Result<Facts> infer_matmul(const NodeView& node);
void cost_gemm(const CostView& node, CostSheet& sheet);
void cost_matmul(const CostView& node, CostSheet& sheet);
/// A product of inputs 0 and 1 with `macs` multiply-accumulates and an optional bias as input 2:
/// forward once, backward once per operand that needs a gradient.
void cost_product(const CostView& node, CostSheet& sheet, double macs);

// einsum.cpp
Result<Facts> infer_einsum(const NodeView& node);
void cost_einsum(const CostView& node, CostSheet& sheet);

// pooling.cpp
Result<Facts> infer_pool(const NodeView& node);
Result<Facts> infer_max_pool(const NodeView& node);
Result<Facts> infer_global_pool(const NodeView& node);
void cost_max_pool(const CostView& node, CostSheet& sheet);
void cost_average_pool(const CostView& node, CostSheet& sheet);
void cost_global_pool(const CostView& node, CostSheet& sheet);

// normalization.cpp
Result<Facts> infer_batch_norm(const NodeView& node);
Result<Facts> infer_layer_norm(const NodeView& node);
void cost_batch_norm(const CostView& node, CostSheet& sheet);
Result<Facts> infer_channel_norm(const NodeView& node);  ///< Needs channels on axis 1.
void cost_layer_norm(const CostView& node, CostSheet& sheet);
void cost_group_norm(const CostView& node, CostSheet& sheet);
void cost_instance_norm(const CostView& node, CostSheet& sheet);
void cost_lp_norm(const CostView& node, CostSheet& sheet);
void cost_local_response(const CostView& node, CostSheet& sheet);

// activation.cpp
Result<Facts> infer_same(const NodeView& node);  ///< Type and shape of input 0.
Result<Facts> infer_softmax(const NodeView& node);
Result<Facts> infer_dropout(const NodeView& node);
void cost_dropout(const CostView& node, CostSheet& sheet);

// elementwise.cpp
Result<Facts> infer_elementwise(const NodeView& node);  ///< Broadcast of all, type of input 0.
Result<Facts> infer_predicate(const NodeView& node);    ///< Broadcast of all, boolean.
Result<Facts> infer_truth(const NodeView& node);        ///< Shape of input 0, boolean.
Result<Facts> infer_where(const NodeView& node);
/// By the row's Pointwise: any number of broadcast inputs, one output.
void cost_pointwise(const CostView& node, CostSheet& sheet);

// reduction.cpp
Result<Facts> infer_reduction(const NodeView& node);
Result<Facts> infer_arg_reduction(const NodeView& node);
Result<Facts> infer_top_k(const NodeView& node);
void cost_reduction(const CostView& node, CostSheet& sheet);
void cost_top_k(const CostView& node, CostSheet& sheet);

// reshaping.cpp: the same elements under another shape
Result<Facts> infer_reshape(const NodeView& node);
Result<Facts> infer_flatten(const NodeView& node);
Result<Facts> infer_squeeze(const NodeView& node);
Result<Facts> infer_unsqueeze(const NodeView& node);
Result<Facts> infer_cast(const NodeView& node);
Result<Facts> infer_cast_like(const NodeView& node);
void cost_free(const CostView& node, CostSheet& sheet);
void cost_cast(const CostView& node, CostSheet& sheet);

// movement.cpp: copies along axes
Result<Facts> infer_concat(const NodeView& node);
Result<Facts> infer_split(const NodeView& node);
Result<Facts> infer_slice(const NodeView& node);
Result<Facts> infer_transpose(const NodeView& node);
Result<Facts> infer_expand(const NodeView& node);
Result<Facts> infer_tile(const NodeView& node);
Result<Facts> infer_pad(const NodeView& node);
void cost_copy(const CostView& node, CostSheet& sheet);

// resampling.cpp: another spatial resolution
Result<Facts> infer_resize(const NodeView& node);
Result<Facts> infer_depth_to_space(const NodeView& node);
Result<Facts> infer_space_to_depth(const NodeView& node);
void cost_resize(const CostView& node, CostSheet& sheet);

// lookup.cpp: elements chosen by index
Result<Facts> infer_gather(const NodeView& node);
Result<Facts> infer_gather_elements(const NodeView& node);
Result<Facts> infer_gather_nd(const NodeView& node);
Result<Facts> infer_one_hot(const NodeView& node);
Result<Facts> infer_non_zero(const NodeView& node);
void cost_gather(const CostView& node, CostSheet& sheet);

// quantization.cpp
Result<Facts> infer_quantize(const NodeView& node);
Result<Facts> infer_dequantize(const NodeView& node);

// recurrent.cpp
Result<Facts> infer_recurrent(const NodeView& node);
void cost_recurrent(const CostView& node, CostSheet& sheet);

// sources.cpp: values from nothing, and shapes as values
Result<Facts> infer_shape(const NodeView& node);
Result<Facts> infer_size(const NodeView& node);
Result<Facts> infer_constant(const NodeView& node);
Result<Facts> infer_constant_of_shape(const NodeView& node);
Result<Facts> infer_range(const NodeView& node);
Result<Facts> infer_eye_like(const NodeView& node);
Result<Facts> infer_random(const NodeView& node);
Result<Facts> infer_random_like(const NodeView& node);
void cost_fill(const CostView& node, CostSheet& sheet);

// loss.cpp
Result<Facts> infer_loss(const NodeView& node);
void cost_loss(const CostView& node, CostSheet& sheet);

// fold_arithmetic.cpp: contents computed element by element
std::optional<Contents> fold_arithmetic(const NodeView& node, const Fact& output);
std::optional<Contents> fold_unary(const NodeView& node, const Fact& output);
std::optional<Contents> fold_comparison(const NodeView& node, const Fact& output);
std::optional<Contents> fold_where(const NodeView& node, const Fact& output);
std::optional<Contents> fold_cast(const NodeView& node, const Fact& output);
std::optional<Contents> fold_reduction(const NodeView& node, const Fact& output);

// fold_movement.cpp: contents moved unchanged
std::optional<Contents> fold_same(const NodeView& node, const Fact& output);
std::optional<Contents> fold_concat(const NodeView& node, const Fact& output);
std::optional<Contents> fold_gather(const NodeView& node, const Fact& output);
std::optional<Contents> fold_slice(const NodeView& node, const Fact& output);
std::optional<Contents> fold_expand(const NodeView& node, const Fact& output);
std::optional<Contents> fold_transpose(const NodeView& node, const Fact& output);

}  // namespace horus::graph
