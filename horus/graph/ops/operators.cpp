// SPDX-License-Identifier: Apache-2.0
// The operators that Horus knows, one row each. Differences between versions of an operator sit in
// its rule (settings that moved, defaults that changed).

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

// Operations per element are counted as written in the definition, a transcendental function as
// one: sigmoid(x) = 1 / (1 + exp(-x)) is 4, gelu(x) = 0.5 x (1 + erf(x / sqrt 2)) is 5. Columns:
// name, inputs at least and at most, slots, kind, shape rule, cost rule, {operations forward and
// backward, what backward needs}, contents rule, gradient. Sorted by name.
// clang-format off
constexpr auto kRules = std::to_array<OpRule>({
    {"Abs", 1, 1, "x", Activation, infer_same, cost_pointwise, {1, 1, Input}, fold_unary},
    {"Acos", 1, 1, "x", Activation, infer_same, cost_pointwise, {1, 4, Input}},
    {"Acosh", 1, 1, "x", Activation, infer_same, cost_pointwise, {1, 4, Input}},
    {"Add", 2, 2, "x", Elementwise, infer_elementwise, cost_pointwise, {1, 0, Nothing},
     fold_arithmetic},
    {"And", 2, 2, "x", Elementwise, infer_predicate, cost_pointwise, {1, 0, Nothing},
     fold_comparison, kStops},
    {"ArgMax", 1, 1, "x", Reduction, infer_arg_reduction, cost_reduction, {1}, nullptr, kStops},
    {"ArgMin", 1, 1, "x", Reduction, infer_arg_reduction, cost_reduction, {1}, nullptr, kStops},
    {"Asin", 1, 1, "x", Activation, infer_same, cost_pointwise, {1, 4, Input}},
    {"Asinh", 1, 1, "x", Activation, infer_same, cost_pointwise, {1, 4, Input}},
    {"Atan", 1, 1, "x", Activation, infer_same, cost_pointwise, {1, 3, Input}},
    {"Atanh", 1, 1, "x", Activation, infer_same, cost_pointwise, {1, 3, Input}},
    {"AveragePool", 1, 1, "x", Pool, infer_pool, cost_average_pool},
    {"BatchNormalization", 5, 5, "xwwbb", BatchNorm, infer_batch_norm, cost_batch_norm},
    {"Cast", 1, 1, "x", DataMovement, infer_cast, cost_cast, kCopies, fold_cast},
    {"CastLike", 2, 2, "xs", DataMovement, infer_cast_like, cost_cast, kCopies, fold_cast},
    {"Ceil", 1, 1, "x", Activation, infer_same, cost_pointwise, {1}, fold_unary, kStops},
    {"Celu", 1, 1, "x", Activation, infer_same, cost_pointwise, {5, 3, Input}},
    {"Clip", 1, 3, "xss", Activation, infer_same, cost_pointwise, {2, 2, Output}},
    {"Concat", 1, kMany, "x", DataMovement, infer_concat, cost_copy, kCopies, fold_concat},
    {"Constant", 0, 0, "x", Free, infer_constant, cost_free},
    {"ConstantOfShape", 1, 1, "s", DataMovement, infer_constant_of_shape, cost_fill, kCopies,
     nullptr, kStops},
    {"Conv", 2, 3, "xww", Convolution, infer_convolution, cost_convolution},
    {"ConvTranspose", 2, 3, "xww", Convolution, infer_transposed_convolution,
     cost_transposed_convolution},
    {"Cos", 1, 1, "x", Activation, infer_same, cost_pointwise, {1, 3, Input}},
    {"Cosh", 1, 1, "x", Activation, infer_same, cost_pointwise, {1, 2, Input}},
    {"CumSum", 2, 2, "xs", Reduction, infer_same, cost_pointwise, {1, 1, Nothing}},
    {"DepthToSpace", 1, 1, "x", DataMovement, infer_depth_to_space, cost_copy},
    {"DequantizeLinear", 2, 3, "xss", Elementwise, infer_dequantize, cost_pointwise,
     {2, 1, Nothing}},
    {"Div", 2, 2, "x", Elementwise, infer_elementwise, cost_pointwise, {1, 2, Inputs},
     fold_arithmetic},
    {"Dropout", 1, 3, "xss", Dropout, infer_dropout, cost_dropout},
    {"Einsum", 1, 2, "m", MatMul, infer_einsum, cost_einsum},
    {"Elu", 1, 1, "x", Activation, infer_same, cost_pointwise, {4, 3, Input}},
    {"Equal", 2, 2, "x", Elementwise, infer_predicate, cost_pointwise, {1}, fold_comparison,
     kStops},
    {"Erf", 1, 1, "x", Activation, infer_same, cost_pointwise, {1, 5, Input}},
    {"Exp", 1, 1, "x", Activation, infer_same, cost_pointwise, {1, 1, Output}},
    {"Expand", 2, 2, "xs", DataMovement, infer_expand, cost_copy, kCopies, fold_expand},
    {"EyeLike", 1, 1, "s", DataMovement, infer_eye_like, cost_fill, kCopies, nullptr, kStops},
    {"Flatten", 1, 1, "x", Free, infer_flatten, cost_free, kCopies, fold_same},
    {"Floor", 1, 1, "x", Activation, infer_same, cost_pointwise, {1}, fold_unary, kStops},
    {"GRU", 3, 6, "xwwwss", Recurrent, infer_recurrent, cost_recurrent},
    {"Gather", 2, 2, "ts", DataMovement, infer_gather, cost_gather, kCopies, fold_gather},
    {"GatherElements", 2, 2, "ts", DataMovement, infer_gather_elements, cost_gather},
    {"GatherND", 2, 2, "ts", DataMovement, infer_gather_nd, cost_gather},
    {"Gelu", 1, 1, "x", Activation, infer_same, cost_pointwise, {5, 10, Input}},
    {"Gemm", 2, 3, "xww", Linear, infer_gemm, cost_gemm},
    {"GlobalAveragePool", 1, 1, "x", Pool, infer_global_pool, cost_global_pool},
    {"GlobalLpPool", 1, 1, "x", Pool, infer_global_pool, cost_global_pool},
    {"GlobalMaxPool", 1, 1, "x", Pool, infer_global_pool, cost_global_pool},
    {"Greater", 2, 2, "x", Elementwise, infer_predicate, cost_pointwise, {1}, fold_comparison,
     kStops},
    {"GreaterOrEqual", 2, 2, "x", Elementwise, infer_predicate, cost_pointwise, {1},
     fold_comparison, kStops},
    {"GroupNormalization", 3, 3, "xww", LayerNorm, infer_channel_norm, cost_group_norm},
    {"HardSigmoid", 1, 1, "x", Activation, infer_same, cost_pointwise, {4, 2, Input}},
    {"HardSwish", 1, 1, "x", Activation, infer_same, cost_pointwise, {5, 5, Input}},
    {"Hardmax", 1, 1, "x", Reduction, infer_softmax, cost_pointwise, {1}, nullptr, kStops},
    {"Identity", 1, 1, "x", Free, infer_same, cost_free, kCopies, fold_same},
    {"InstanceNormalization", 3, 3, "xww", LayerNorm, infer_channel_norm, cost_instance_norm},
    {"IsInf", 1, 1, "x", Activation, infer_truth, cost_pointwise, {1}, nullptr, kStops},
    {"IsNaN", 1, 1, "x", Activation, infer_truth, cost_pointwise, {1}, nullptr, kStops},
    {"LRN", 1, 1, "x", LayerNorm, infer_same, cost_local_response},
    {"LSTM", 3, 8, "xwwwsssw", Recurrent, infer_recurrent, cost_recurrent},
    {"LayerNormalization", 2, 3, "xww", LayerNorm, infer_layer_norm, cost_layer_norm},
    {"LeakyRelu", 1, 1, "x", Activation, infer_same, cost_pointwise, {2, 2, Output}},
    {"Less", 2, 2, "x", Elementwise, infer_predicate, cost_pointwise, {1}, fold_comparison, kStops},
    {"LessOrEqual", 2, 2, "x", Elementwise, infer_predicate, cost_pointwise, {1}, fold_comparison,
     kStops},
    {"Log", 1, 1, "x", Activation, infer_same, cost_pointwise, {1, 1, Input}},
    {"LogSoftmax", 1, 1, "x", Softmax, infer_softmax, cost_pointwise, {5, 4, Output}},
    {"LpNormalization", 1, 1, "x", LayerNorm, infer_same, cost_lp_norm},
    {"LpPool", 1, 1, "x", Pool, infer_pool, cost_average_pool},
    {"MatMul", 2, 2, "m", MatMul, infer_matmul, cost_matmul},
    {"Max", 1, kMany, "x", Elementwise, infer_elementwise, cost_pointwise, {1, 1, Inputs},
     fold_arithmetic},
    {"MaxPool", 1, 1, "x", Pool, infer_max_pool, cost_max_pool},
    {"Mean", 1, kMany, "x", Elementwise, infer_elementwise, cost_pointwise, {1, 1, Nothing}},
    {"MeanVarianceNormalization", 1, 1, "x", LayerNorm, infer_same, cost_lp_norm},
    {"Min", 1, kMany, "x", Elementwise, infer_elementwise, cost_pointwise, {1, 1, Inputs},
     fold_arithmetic},
    {"Mish", 1, 1, "x", Activation, infer_same, cost_pointwise, {5, 10, Input}},
    {"Mod", 2, 2, "x", Elementwise, infer_elementwise, cost_pointwise, {1, 1, Nothing},
     fold_arithmetic},
    {"Mul", 2, 2, "x", Elementwise, infer_elementwise, cost_pointwise, {1, 1, Inputs},
     fold_arithmetic},
    {"Neg", 1, 1, "x", Activation, infer_same, cost_pointwise, {1, 1, Nothing}, fold_unary},
    {"NegativeLogLikelihoodLoss", 2, 3, "xss", Reduction, infer_loss, cost_loss},
    {"NonZero", 1, 1, "x", DataMovement, infer_non_zero, cost_copy, kCopies, nullptr, kStops},
    {"Not", 1, 1, "x", Activation, infer_same, cost_pointwise, {1}, fold_unary, kStops},
    {"OneHot", 3, 3, "s", DataMovement, infer_one_hot, cost_fill, kCopies, nullptr, kStops},
    {"Or", 2, 2, "x", Elementwise, infer_predicate, cost_pointwise, {1}, fold_comparison, kStops},
    {"PRelu", 2, 2, "xw", Activation, infer_same, cost_pointwise, {2, 2, Input}},
    {"Pad", 1, 4, "xs", DataMovement, infer_pad, cost_copy},
    {"Pow", 2, 2, "xs", Elementwise, infer_elementwise, cost_pointwise, {1, 2, Input},
     fold_arithmetic},
    {"QuantizeLinear", 2, 3, "xss", Elementwise, infer_quantize, cost_pointwise, {4, 1, Nothing},
     nullptr, kThrough},
    {"RMSNormalization", 2, 2, "xw", LayerNorm, infer_layer_norm, cost_layer_norm},
    {"RNN", 3, 6, "xwwwss", Recurrent, infer_recurrent, cost_recurrent},
    {"RandomNormal", 0, 0, "s", DataMovement, infer_random, cost_fill, kCopies, nullptr, kStops},
    {"RandomNormalLike", 1, 1, "s", DataMovement, infer_random_like, cost_fill, kCopies, nullptr,
     kStops},
    {"RandomUniform", 0, 0, "s", DataMovement, infer_random, cost_fill, kCopies, nullptr, kStops},
    {"RandomUniformLike", 1, 1, "s", DataMovement, infer_random_like, cost_fill, kCopies, nullptr,
     kStops},
    {"Range", 3, 3, "s", DataMovement, infer_range, cost_fill, kCopies, nullptr, kStops},
    {"Reciprocal", 1, 1, "x", Activation, infer_same, cost_pointwise, {1, 3, Output}, fold_unary},
    {"ReduceL1", 1, 2, "xs", Reduction, infer_reduction, cost_reduction, {2}},
    {"ReduceL2", 1, 2, "xs", Reduction, infer_reduction, cost_reduction, {2}},
    {"ReduceLogSum", 1, 2, "xs", Reduction, infer_reduction, cost_reduction, {1}},
    {"ReduceLogSumExp", 1, 2, "xs", Reduction, infer_reduction, cost_reduction, {2}},
    {"ReduceMax", 1, 2, "xs", Reduction, infer_reduction, cost_reduction, {1}, fold_reduction},
    {"ReduceMean", 1, 2, "xs", Reduction, infer_reduction, cost_reduction, {1}},
    {"ReduceMin", 1, 2, "xs", Reduction, infer_reduction, cost_reduction, {1}, fold_reduction},
    {"ReduceProd", 1, 2, "xs", Reduction, infer_reduction, cost_reduction, {1}, fold_reduction},
    {"ReduceSum", 1, 2, "xs", Reduction, infer_reduction, cost_reduction, {1}, fold_reduction},
    {"ReduceSumSquare", 1, 2, "xs", Reduction, infer_reduction, cost_reduction, {2}},
    {"Relu", 1, 1, "x", Activation, infer_same, cost_pointwise, {1, 1, Output}},
    {"Reshape", 1, 2, "xs", Free, infer_reshape, cost_free, kCopies, fold_same},
    {"Resize", 1, 4, "xs", DataMovement, infer_resize, cost_resize},
    {"ReverseSequence", 2, 2, "xs", DataMovement, infer_same, cost_copy},
    {"Round", 1, 1, "x", Activation, infer_same, cost_pointwise, {1}, fold_unary, kStops},
    {"Scatter", 3, 3, "xsx", DataMovement, infer_same, cost_copy},
    {"ScatterElements", 3, 3, "xsx", DataMovement, infer_same, cost_copy},
    {"ScatterND", 3, 3, "xsx", DataMovement, infer_same, cost_copy},
    {"Selu", 1, 1, "x", Activation, infer_same, cost_pointwise, {5, 3, Input}},
    {"Shape", 1, 1, "x", Free, infer_shape, cost_free, kCopies, nullptr, kStops},
    {"Sigmoid", 1, 1, "x", Activation, infer_same, cost_pointwise, {4, 3, Output}},
    {"Sign", 1, 1, "x", Activation, infer_same, cost_pointwise, {1}, nullptr, kStops},
    {"Sin", 1, 1, "x", Activation, infer_same, cost_pointwise, {1, 2, Input}},
    {"Sinh", 1, 1, "x", Activation, infer_same, cost_pointwise, {1, 2, Input}},
    {"Size", 1, 1, "x", Free, infer_size, cost_free, kCopies, nullptr, kStops},
    {"Slice", 1, 5, "xs", DataMovement, infer_slice, cost_copy, kCopies, fold_slice},
    {"Softmax", 1, 1, "x", Softmax, infer_softmax, cost_pointwise, {5, 4, Output}},
    {"SoftmaxCrossEntropyLoss", 2, 3, "xss", Softmax, infer_loss, cost_loss},
    {"Softplus", 1, 1, "x", Activation, infer_same, cost_pointwise, {3, 5, Input}},
    {"Softsign", 1, 1, "x", Activation, infer_same, cost_pointwise, {3, 4, Input}},
    {"SpaceToDepth", 1, 1, "x", DataMovement, infer_space_to_depth, cost_copy},
    {"Split", 1, 2, "xs", DataMovement, infer_split, cost_copy},
    {"Sqrt", 1, 1, "x", Activation, infer_same, cost_pointwise, {1, 2, Output}, fold_unary},
    {"Squeeze", 1, 2, "xs", Free, infer_squeeze, cost_free, kCopies, fold_same},
    {"Sub", 2, 2, "x", Elementwise, infer_elementwise, cost_pointwise, {1, 0, Nothing},
     fold_arithmetic},
    {"Sum", 1, kMany, "x", Elementwise, infer_elementwise, cost_pointwise, {1, 0, Nothing}},
    {"Swish", 1, 1, "x", Activation, infer_same, cost_pointwise, {5, 9, Input}},
    {"Tan", 1, 1, "x", Activation, infer_same, cost_pointwise, {1, 3, Output}},
    {"Tanh", 1, 1, "x", Activation, infer_same, cost_pointwise, {1, 3, Output}},
    {"ThresholdedRelu", 1, 1, "x", Activation, infer_same, cost_pointwise, {1, 1, Input}},
    {"Tile", 2, 2, "xs", DataMovement, infer_tile, cost_copy, kCopies, fold_expand},
    {"TopK", 1, 2, "xs", Reduction, infer_top_k, cost_top_k},
    {"Transpose", 1, 1, "x", DataMovement, infer_transpose, cost_copy, kCopies, fold_transpose},
    {"Trilu", 1, 2, "xs", DataMovement, infer_same, cost_copy},
    {"Unsqueeze", 1, 2, "xs", Free, infer_unsqueeze, cost_free, kCopies, fold_same},
    {"Upsample", 1, 2, "xs", DataMovement, infer_resize, cost_resize},
    {"Where", 3, 3, "x", Elementwise, infer_where, cost_pointwise, {1, 1, Input}, fold_where},
    {"Xor", 2, 2, "x", Elementwise, infer_predicate, cost_pointwise, {1}, fold_comparison, kStops},
});
// clang-format on

static_assert(std::ranges::is_sorted(kRules, {}, &OpRule::name), "find_rule searches by halves");

}  // namespace

const OpRule* find_rule(std::string_view op_type) {
  const auto found = std::ranges::lower_bound(kRules, op_type, {}, &OpRule::name);
  return found != kRules.end() && found->name == op_type ? &*found : nullptr;
}

std::span<const OpRule> all_rules() { return kRules; }

}  // namespace horus::graph
