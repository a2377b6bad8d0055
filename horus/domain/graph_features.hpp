// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a computation graph asks of a GPU: one record per operator, independent of GPU and
// precision. Made by room graph from ONNX, read by room predict.

#include <cstdint>
#include <string>
#include <vector>

#include "horus/base/quantity.hpp"

namespace horus {

/// Operators grouped by the kernels that run them.
enum class OpKind {
  Convolution,
  DepthwiseConvolution,  ///< groups == input channels
  GroupedConvolution,
  Linear,     ///< a matrix product with a weight (Gemm, MatMul with a parameter)
  MatMul,     ///< a matrix product of two activations
  Recurrent,  ///< LSTM, GRU, RNN: many small dependent kernels
  BatchNorm,
  LayerNorm,  ///< layer, group, instance and RMS normalization
  Softmax,
  Activation,   ///< pointwise, one input (Relu, Gelu, Sigmoid, ...)
  Elementwise,  ///< pointwise, several inputs (Add, Mul, Where, ...)
  Dropout,
  Pool,          ///< pooling and reductions over spatial axes
  Reduction,     ///< ReduceMean, ReduceSum, ArgMax, ...
  Embedding,     ///< row lookup in a parameter table
  DataMovement,  ///< Concat, Transpose, Gather, Slice, Pad, Resize, ...: copies, no arithmetic
  Free,          ///< no kernel: Reshape, Identity, Constant, shape arithmetic on the host
};

/// The part that an operator plays in an attention block found in the graph.
enum class AttentionRole { None, Scores, ScaleOrMask, Softmax, Dropout, Context };

/// The matrix product behind a convolution, linear or recurrent operator: `groups` products of
/// (m x k) by (k x n). All 0 where there is none.
struct GemmShape {
  double m{};
  double n{};
  double k{};
  double groups{};
  friend bool operator==(const GemmShape&, const GemmShape&) = default;
};

/// The work of one operator in one training step on one GPU, at the analysed batch size.
/// "Elements" are floating-point tensor elements: room predict multiplies by the bytes of the
/// precision in use. Integer and boolean tensors are given in bytes.
struct OpWork {
  std::string name;     ///< Node name, or its first output where the node has none.
  std::string op_type;  ///< ONNX operator type.
  OpKind kind{OpKind::Free};
  AttentionRole attention{AttentionRole::None};
  double macs{};  ///< Forward multiply-accumulates of convolution, linear, matrix products.
  double flops_forward{};     ///< 2 per multiply-accumulate, 1 per other arithmetic operation.
  double flops_backward{};    ///< Gradients of inputs (where needed) and of weights.
  double elements_read{};     ///< Forward, activations only (weights: weight_elements).
  double elements_written{};  ///< Forward.
  double elements_read_backward{};
  double elements_written_backward{};
  Bytes index_bytes;         ///< Integer or boolean bytes moved, forward and backward together.
  double weight_elements{};  ///< Trainable parameters read by this operator.
  /// Of these, the parameters that no earlier operator read: shared weights count once, so that the
  /// sum is GraphFeatures::parameters but for what no operator with a cost reads.
  double weights_first_used{};
  int weight_tensors{};
  double saved_elements{};  ///< Newly kept alive from forward to backward, floating point.
  Bytes saved_index_bytes;  ///< The same for integer and boolean tensors (pool indices, masks).
  /// Alive when it runs forward beside all that is saved by then: its output and what waits for
  /// later operators.
  double live_elements{};
  /// Gradients of activations alive when it runs backward: of its outputs, of its inputs, and those
  /// that wait for earlier operators (the short way around a residual block).
  double gradient_elements{};
  /// Where later operators need one tensor only of all computed so far: its elements, else 0. A
  /// place to cut the graph into blocks that are computed again (checkpointing).
  double cut_elements{};
  double kernels_forward{};  ///< Kernels launched on the GPU.
  double kernels_backward{};
  double host_ops_forward{};  ///< Framework operators dispatched by the host (0: fused or free).
  double host_ops_backward{};
  double sequential_steps{1};  ///< Dependent steps that cannot run at the same time (recurrence).
  GemmShape gemm;
  bool needs_input_gradient{true};  ///< False for operators fed by data inputs only.
  bool inplace{false};              ///< Frameworks run it in place: no new output storage.
  friend bool operator==(const OpWork&, const OpWork&) = default;
};

/// All that prediction knows of a model.
struct GraphFeatures {
  std::string model_name;
  std::int64_t batch{1};    ///< Samples per step.
  std::vector<OpWork> ops;  ///< In topological order.
  double parameters{};      ///< Trainable scalars; shared weights count once.
  int parameter_tensors{};
  double buffers{};          ///< Untrained state: BatchNorm running statistics and the like.
  double input_elements{};   ///< Elements of all data inputs of one step.
  double output_elements{};  ///< Elements of all graph outputs of one step.
  int ops_without_cost{};    ///< Operators that could not be costed: the sums are lower bounds.
};

}  // namespace horus
