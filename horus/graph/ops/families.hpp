// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules that the operator table names, one block per family, one source file per block.
// infer_*: shapes and types of the outputs. fold_*: contents of the output. cost_*: a cost sheet.
// Inputs that a row requires are present and known when a rule is called; see op_rule.hpp.

#include <optional>
#include <string_view>
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

/// Says of all outputs that their sizes are the largest that they can be.
inline void mark_bounds(Facts& facts) {
  for (Fact& fact : facts) fact.is_bound = true;
}

/// Runs a shape rule on a view made of parts of a node, whose problems would otherwise be lost.
[[nodiscard]] inline Result<Facts> infer_as(InferRule rule, const NodeView& view) {
  auto facts = rule(view);
  if (view.problem()) return refuse(*view.problem());
  return facts;
}

// convolution.cpp
Result<Facts> infer_convolution(const NodeView& node);
Result<Facts> infer_deformed_convolution(const NodeView& node);
Result<Facts> infer_transposed_convolution(const NodeView& node);
void cost_convolution(const CostView& node, CostSheet& sheet);
void cost_deformed_convolution(const CostView& node, CostSheet& sheet);
void cost_transposed_convolution(const CostView& node, CostSheet& sheet);
/// The product behind a convolution by `weight` (M, C / groups, ...) with result (N, M, ...); all 0
/// where there is nothing to multiply.
GemmShape convolution_gemm(const Shape& weight, const Shape& result, double groups);

// linear.cpp
Result<Facts> infer_gemm(const NodeView& node);
Result<Facts> infer_matmul(const NodeView& node);
void cost_gemm(const CostView& node, CostSheet& sheet);
void cost_matmul(const CostView& node, CostSheet& sheet);
/// A product of inputs 0 and 1 with `macs` multiply-accumulates and an optional bias as input 2:
/// forward once, backward once per operand that needs a gradient.
void cost_product(const CostView& node, CostSheet& sheet, double macs);

// integer_products.cpp: quantized convolutions and products
Result<Facts> infer_conv_integer(const NodeView& node);
Result<Facts> infer_qlinear_conv(const NodeView& node);
Result<Facts> infer_matmul_integer(const NodeView& node);
Result<Facts> infer_qlinear_matmul(const NodeView& node);
Result<Facts> infer_matmul_to_float(const NodeView& node);
Result<Facts> infer_qgemm(const NodeView& node);
Result<Facts> infer_matmul_nbits(const NodeView& node);
void cost_conv_integer(const CostView& node, CostSheet& sheet);
void cost_qlinear_conv(const CostView& node, CostSheet& sheet);
void cost_matmul_integer(const CostView& node, CostSheet& sheet);
void cost_qlinear_matmul(const CostView& node, CostSheet& sheet);
void cost_qgemm(const CostView& node, CostSheet& sheet);
void cost_matmul_nbits(const CostView& node, CostSheet& sheet);

// one_attention.cpp: attention as one operator, of the standard set
Result<Facts> infer_attention(const NodeView& node);
Result<Facts> infer_linear_attention(const NodeView& node);
Result<Facts> infer_causal_convolution(const NodeView& node);
void cost_attention(const CostView& node, CostSheet& sheet);
void cost_linear_attention(const CostView& node, CostSheet& sheet);
void cost_causal_convolution(const CostView& node, CostSheet& sheet);

// microsoft_attention.cpp: attention as ONNX Runtime's optimizers write it
Result<Facts> infer_projected_attention(const NodeView& node);  ///< With weights inside.
Result<Facts> infer_multi_head_attention(const NodeView& node);
Result<Facts> infer_group_query_attention(const NodeView& node);
Result<Facts> infer_longformer_attention(const NodeView& node);
Result<Facts> infer_relative_bias(const NodeView& node);
Result<Facts> infer_gated_relative_bias(const NodeView& node);
void cost_projected_attention(const CostView& node, CostSheet& sheet);
void cost_multi_head_attention(const CostView& node, CostSheet& sheet);
void cost_group_query_attention(const CostView& node, CostSheet& sheet);
void cost_longformer_attention(const CostView& node, CostSheet& sheet);

// microsoft_fusions.cpp: layers as ONNX Runtime's optimizers fuse them
Result<Facts> infer_nhwc_convolution(const NodeView& node);
Result<Facts> infer_split_gelu(const NodeView& node);
Result<Facts> infer_skip_norm(const NodeView& node);
Result<Facts> infer_skip_group_norm(const NodeView& node);
Result<Facts> infer_embed_norm(const NodeView& node);
Result<Facts> infer_bias_dropout(const NodeView& node);
Result<Facts> infer_bitmask_dropout(const NodeView& node);
Result<Facts> infer_expand_dims(const NodeView& node);
Result<Facts> infer_qlinear_binary(const NodeView& node);
Result<Facts> infer_qlinear_concat(const NodeView& node);
Result<Facts> infer_qlinear_global_pool(const NodeView& node);
Result<Facts> infer_qlinear_pool(const NodeView& node);
void cost_nhwc_convolution(const CostView& node, CostSheet& sheet);

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
Result<Facts> infer_group_norm(const NodeView& node);
void cost_layer_norm(const CostView& node, CostSheet& sheet);
void cost_group_norm(const CostView& node, CostSheet& sheet);
void cost_instance_norm(const CostView& node, CostSheet& sheet);
void cost_lp_norm(const CostView& node, CostSheet& sheet);
void cost_skip_norm(const CostView& node, CostSheet& sheet);   ///< A sum, normalized.
void cost_embed_norm(const CostView& node, CostSheet& sheet);  ///< Three lookups, normalized.
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

/// Neighbours that an interpolation in the plane weighs, by the name of its mode: two operations
/// for each. 0 for "nearest", which copies.
double neighbours_of(std::string_view mode);

// signal.cpp
Result<Facts> infer_dft(const NodeView& node);
Result<Facts> infer_stft(const NodeView& node);
Result<Facts> infer_signal_window(const NodeView& node);
Result<Facts> infer_mel_weights(const NodeView& node);
void cost_dft(const CostView& node, CostSheet& sheet);
void cost_stft(const CostView& node, CostSheet& sheet);

// detection.cpp: regions of images
Result<Facts> infer_grid_sample(const NodeView& node);
Result<Facts> infer_affine_grid(const NodeView& node);
Result<Facts> infer_roi_align(const NodeView& node);
Result<Facts> infer_max_roi_pool(const NodeView& node);
Result<Facts> infer_crop_and_resize(const NodeView& node);
Result<Facts> infer_non_max_suppression(const NodeView& node);
Result<Facts> infer_image_decoder(const NodeView& node);
void cost_grid_sample(const CostView& node, CostSheet& sheet);
void cost_affine_grid(const CostView& node, CostSheet& sheet);
void cost_roi_align(const CostView& node, CostSheet& sheet);
void cost_max_roi_pool(const CostView& node, CostSheet& sheet);
void cost_crop_and_resize(const CostView& node, CostSheet& sheet);
void cost_non_max_suppression(const CostView& node, CostSheet& sheet);

// selection.cpp: elements kept or written where data says so
Result<Facts> infer_compress(const NodeView& node);
Result<Facts> infer_unique(const NodeView& node);
Result<Facts> infer_tensor_scatter(const NodeView& node);

// geometry.cpp
Result<Facts> infer_max_unpool(const NodeView& node);
Result<Facts> infer_col2im(const NodeView& node);
Result<Facts> infer_center_crop_pad(const NodeView& node);
Result<Facts> infer_crop(const NodeView& node);
Result<Facts> infer_det(const NodeView& node);
Result<Facts> infer_inverse(const NodeView& node);
void cost_square_matrix(const CostView& node, CostSheet& sheet);  ///< Determinant or inverse.

// sequences.cpp: sequences of tensors, and optional values
Result<Facts> infer_sequence_construct(const NodeView& node);
Result<Facts> infer_sequence_empty(const NodeView& node);
Result<Facts> infer_sequence_insert(const NodeView& node);
Result<Facts> infer_sequence_erase(const NodeView& node);
Result<Facts> infer_sequence_at(const NodeView& node);
Result<Facts> infer_sequence_length(const NodeView& node);
Result<Facts> infer_split_to_sequence(const NodeView& node);
Result<Facts> infer_concat_from_sequence(const NodeView& node);
Result<Facts> infer_optional(const NodeView& node);  ///< The value itself, also a sequence.
Result<Facts> infer_has_element(const NodeView& node);

// preview_operators.cpp
void cost_optimizer(const CostView& node, CostSheet& sheet);

// strings.cpp: operators on strings
Result<Facts> infer_string_normalizer(const NodeView& node);
Result<Facts> infer_string_concat(const NodeView& node);
Result<Facts> infer_string_split(const NodeView& node);
Result<Facts> infer_ngrams(const NodeView& node);
void cost_host(const CostView& node, CostSheet& sheet);  ///< One operator of the host, no kernel.

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
Result<Facts> infer_dynamic_quantize(const NodeView& node);

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
Result<Facts> infer_multinomial(const NodeView& node);
/// The element type that an attribute names by its number, or `fallback`.
ElementType type_attribute(const NodeView& node, const char* name, ElementType fallback);
void cost_fill(const CostView& node, CostSheet& sheet);

// loss.cpp
Result<Facts> infer_loss(const NodeView& node);
void cost_loss(const CostView& node, CostSheet& sheet);

// structure.cpp: what stands for control flow in a flat graph
Result<Facts> infer_broken(const NodeView& node);
Result<Facts> infer_choice(const NodeView& node);
Result<Facts> infer_merge(const NodeView& node);
Result<Facts> infer_loop_trips(const NodeView& node);
Result<Facts> infer_scan_trips(const NodeView& node);
Result<Facts> infer_loop_counter(const NodeView& node);
Result<Facts> infer_loop_condition(const NodeView& node);
Result<Facts> infer_loop_state(const NodeView& node);
Result<Facts> infer_loop_result(const NodeView& node);
Result<Facts> infer_scan_slice(const NodeView& node);
Result<Facts> infer_stack(const NodeView& node);
Result<Facts> infer_map_element(const NodeView& node);
Result<Facts> infer_map_collect(const NodeView& node);

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
