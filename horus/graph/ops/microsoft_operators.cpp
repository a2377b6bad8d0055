// SPDX-License-Identifier: Apache-2.0
// Operators of domain com.microsoft: what ONNX Runtime's optimizers, quantizers and exporters
// write, one row each, by its docs/ContribOperators.md.

#include <algorithm>
#include <array>

#include "horus/graph/op_rule.hpp"
#include "horus/graph/ops/families.hpp"

namespace horus::graph {
namespace {

using enum OpKind;
using enum Keeps;
constexpr auto kMany = kAnyNumber;
constexpr auto kStops = Gradient::Stops;
constexpr auto kThrough = Gradient::FlowsThroughIntegers;
constexpr Pointwise kCopies{};

// Columns as in operators.cpp. A fused operator counts as many operations as its parts.
// clang-format off
constexpr auto kRules = std::to_array<OpRule>({
    {"Attention", 2, 7, "xwwsxss", MatMul, infer_projected_attention, cost_projected_attention},
    {"BiasAdd", 3, 3, "xwx", Elementwise, infer_same, cost_pointwise, {2, 0, Nothing}},
    {"BiasDropout", 2, 5, "xwxss", Elementwise, infer_bias_dropout, cost_pointwise, {4, 1, Mask}},
    {"BiasGelu", 2, 2, "xw", Activation, infer_same, cost_pointwise, {6, 10, Input}},
    {"BiasSoftmax", 2, 2, "xs", Softmax, infer_same, cost_pointwise, {6, 4, Output}},
    {"BiasSplitGelu", 2, 2, "xw", Activation, infer_split_gelu, cost_pointwise, {8, 12, Input}},
    {"BitmaskDropout", 1, 3, "xss", OpKind::Dropout, infer_bitmask_dropout, cost_dropout},
    {"CropAndResize", 4, 4, "xsss", Pool, infer_crop_and_resize, cost_crop_and_resize},
    {"DecoderMaskedMultiHeadAttention", 1, 11, "xxxssxxsssw", MatMul, infer_multi_head_attention,
     cost_multi_head_attention},
    {"DequantizeLinear", 2, 3, "xss", Elementwise, infer_dequantize, cost_pointwise,
     {2, 1, Nothing}},
    {"DynamicQuantizeMatMul", 3, 5, "xsssw", MatMul, infer_matmul_to_float, cost_matmul_integer,
     kCopies, nullptr, kStops},
    {"EmbedLayerNormalization", 7, 9, "sstttwwss", Embedding, infer_embed_norm, cost_embed_norm},
    {"ExpandDims", 2, 2, "xs", Free, infer_expand_dims, cost_free, kCopies, fold_same},
    {"FastGelu", 1, 2, "xw", Activation, infer_same, cost_pointwise, {8, 12, Input}},
    {"FusedConv", 2, 4, "xwwx", Convolution, infer_convolution, cost_convolution},
    {"FusedGemm", 2, 3, "xww", Linear, infer_gemm, cost_gemm},
    {"FusedMatMul", 2, 2, "m", MatMul, infer_matmul, cost_matmul},
    {"GatedRelativePositionBias", 6, 7, "xwxwwws", Elementwise, infer_gated_relative_bias,
     cost_pointwise, {6, 6, Input}},
    {"Gelu", 1, 1, "x", Activation, infer_same, cost_pointwise, {5, 10, Input}},
    {"GemmFastGelu", 2, 3, "xww", Linear, infer_matmul, cost_matmul},
    {"GridSample", 2, 2, "x", DataMovement, infer_grid_sample, cost_grid_sample},
    {"GroupNorm", 3, 3, "xww", LayerNorm, infer_same, cost_group_norm},
    {"GroupQueryAttention", 1, 14, "xxxxxss", MatMul, infer_group_query_attention,
     cost_group_query_attention},
    {"Inverse", 1, 1, "x", Reduction, infer_inverse, cost_square_matrix},
    {"LongformerAttention", 3, 7, "xwwswws", MatMul, infer_longformer_attention,
     cost_longformer_attention},
    {"MatMulIntegerToFloat", 4, 7, "xsssssw", MatMul, infer_matmul_to_float, cost_matmul_integer,
     kCopies, nullptr, kStops},
    {"MatMulNBits", 3, 6, "xs", Linear, infer_matmul_nbits, cost_matmul_nbits, kCopies, nullptr,
     kStops},
    {"MultiHeadAttention", 1, 10, "xxxwsxxxss", MatMul, infer_multi_head_attention,
     cost_multi_head_attention},
    {"NhwcConv", 2, 3, "xww", Convolution, infer_nhwc_convolution, cost_nhwc_convolution},
    {"Pad", 2, 4, "xs", DataMovement, infer_pad, cost_copy},
    {"QAttention", 5, 9, "xswsssssx", MatMul, infer_projected_attention, cost_projected_attention,
     kCopies, nullptr, kStops},
    {"QGemm", 6, 9, "xs", MatMul, infer_qgemm, cost_qgemm, kCopies, nullptr, kStops},
    {"QLinearAdd", 7, 8, "xssxs", Elementwise, infer_qlinear_binary, cost_pointwise, {5}, nullptr,
     kStops},
    {"QLinearAveragePool", 4, 5, "xs", Pool, infer_qlinear_pool, cost_average_pool, kCopies,
     nullptr, kStops},
    {"QLinearConcat", 5, kMany, "ssx", DataMovement, infer_qlinear_concat, cost_copy, kCopies,
     nullptr, kStops},
    {"QLinearGlobalAveragePool", 5, 5, "xs", Pool, infer_qlinear_global_pool, cost_global_pool,
     kCopies, nullptr, kStops},
    {"QLinearLeakyRelu", 4, 5, "xs", Activation, infer_same, cost_pointwise, {6}, nullptr, kStops},
    {"QLinearMul", 7, 8, "xssxs", Elementwise, infer_qlinear_binary, cost_pointwise, {5}, nullptr,
     kStops},
    {"QLinearSigmoid", 4, 5, "xs", Activation, infer_same, cost_pointwise, {8}, nullptr, kStops},
    {"QLinearSoftmax", 4, 5, "xs", Softmax, infer_same, cost_pointwise, {9}, nullptr, kStops},
    {"QuantizeLinear", 2, 3, "xss", Elementwise, infer_quantize, cost_pointwise, {4, 1, Nothing},
     nullptr, kThrough},
    {"QuickGelu", 1, 1, "x", Activation, infer_same, cost_pointwise, {6, 9, Input}},
    {"Range", 2, 3, "s", DataMovement, infer_range, cost_fill, kCopies, nullptr, kStops},
    {"RelativePositionBias", 3, 3, "tss", Embedding, infer_relative_bias, cost_gather},
    {"RotaryEmbedding", 4, 4, "xs", Elementwise, infer_same, cost_pointwise, {3, 3, Nothing}},
    {"SimplifiedLayerNormalization", 2, 2, "xw", LayerNorm, infer_layer_norm, cost_layer_norm},
    {"SkipGroupNorm", 4, 5, "xwwxw", LayerNorm, infer_skip_group_norm, cost_group_norm},
    {"SkipLayerNormalization", 3, 5, "xxwww", LayerNorm, infer_skip_norm, cost_skip_norm},
    {"SkipSimplifiedLayerNormalization", 3, 4, "xxww", LayerNorm, infer_skip_norm, cost_skip_norm},
    {"TransposeMatMul", 2, 2, "m", MatMul, infer_matmul, cost_matmul},
    {"Trilu", 1, 2, "xs", DataMovement, infer_same, cost_copy},
    {"Unique", 1, 1, "x", Reduction, infer_unique, cost_reduction, {1}, nullptr, kStops},
});
// clang-format on

static_assert(std::ranges::is_sorted(kRules, {}, &OpRule::name), "find_rule searches by halves");

}  // namespace

std::span<const OpRule> microsoft_rules() { return kRules; }

}  // namespace horus::graph
