// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small graphs built by hand, for tests and benchmarks of this room.

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "horus/base/check.hpp"
#include "horus/domain/gpu.hpp"
#include "horus/domain/graph_features.hpp"
#include "horus/domain/prediction.hpp"

namespace horus::predict::sample {

/// A product of `rows` x `in` activations with an `in` x `out` weight, no bias.
[[nodiscard]] inline OpWork linear(double rows, double in, double out) {
  OpWork op;
  op.name = "linear";
  op.op_type = "Gemm";
  op.kind = OpKind::Linear;
  op.macs = rows * in * out;
  op.flops_forward = 2 * op.macs;
  op.flops_backward = 4 * op.macs;
  op.elements_read = rows * in;
  op.elements_written = rows * out;
  op.elements_read_backward = rows * in + 2 * rows * out;
  op.elements_written_backward = rows * in;
  op.weight_elements = in * out;
  op.weights_first_used = op.weight_elements;
  op.weight_tensors = 1;
  op.saved_elements = rows * out;
  op.live_elements = rows * out;
  op.gradient_elements = rows * (in + out);
  op.kernels_forward = 1;
  op.kernels_backward = 2;
  op.host_ops_forward = 1;
  op.host_ops_backward = 1;
  op.gemm = {rows, out, in, 1};
  return op;
}

/// A convolution of `kernel` x `kernel`, stride 1, padded, over `images` of `side` x `side`.
[[nodiscard]] inline OpWork convolution(double images, double side, double in, double out,
                                        double kernel) {
  const double pixels = images * side * side;
  OpWork op = linear(pixels, in * kernel * kernel, out);
  op.name = "convolution";
  op.op_type = "Conv";
  op.kind = OpKind::Convolution;
  op.elements_read = pixels * in;
  op.elements_read_backward = pixels * in + 2 * pixels * out;
  op.elements_written_backward = pixels * in;
  op.gradient_elements = pixels * (in + out);
  return op;
}

/// A pointwise operator over `elements`.
[[nodiscard]] inline OpWork pointwise(double elements) {
  OpWork op;
  op.name = "activation";
  op.op_type = "Relu";
  op.kind = OpKind::Activation;
  op.flops_forward = elements;
  op.flops_backward = elements;
  op.elements_read = elements;
  op.elements_written = elements;
  op.elements_read_backward = 2 * elements;
  op.elements_written_backward = elements;
  op.saved_elements = elements;
  op.live_elements = elements;
  op.gradient_elements = 2 * elements;
  op.kernels_forward = 1;
  op.kernels_backward = 1;
  op.host_ops_forward = 1;
  op.host_ops_backward = 1;
  return op;
}

inline void add(GraphFeatures& features, const OpWork& op) {
  features.parameters += op.weight_elements;
  features.parameter_tensors += op.weight_tensors;
  features.ops.push_back(op);
}

/// `layers` x (linear of `width` x `width`, activation) over `batch` rows.
[[nodiscard]] inline GraphFeatures perceptron(std::int64_t batch, int layers, double width) {
  GraphFeatures features;
  features.model_name = "perceptron";
  features.batch = batch;
  const auto rows = static_cast<double>(batch);
  features.input_elements = rows * width;
  features.output_elements = rows * width;
  for (int i = 0; i < layers; ++i) {
    add(features, linear(rows, width, width));
    add(features, pointwise(rows * width));
  }
  return features;
}

/// One attention block without its projections: `heads` = batch x heads products of
/// `length` x `depth`.
[[nodiscard]] inline GraphFeatures attention(double heads, double length, double depth) {
  const double tokens = heads * length * depth;
  const double matrix = heads * length * length;
  OpWork product;
  product.kind = OpKind::MatMul;
  product.macs = matrix * depth;
  product.flops_forward = 2 * product.macs;
  product.flops_backward = 4 * product.macs;
  product.kernels_forward = 1;
  product.kernels_backward = 2;
  product.host_ops_forward = 1;
  product.host_ops_backward = 1;

  OpWork scores = product;
  scores.attention = AttentionRole::Scores;
  scores.elements_read = 2 * tokens;
  scores.elements_written = matrix;
  scores.elements_read_backward = 2 * tokens + 2 * matrix;
  scores.elements_written_backward = 2 * tokens;
  scores.saved_elements = 2 * tokens;
  scores.live_elements = matrix;
  scores.gradient_elements = matrix + 3 * tokens;  // That of the values waits.
  scores.gemm = {length, length, depth, heads};

  OpWork context = product;
  context.attention = AttentionRole::Context;
  context.elements_read = matrix + tokens;
  context.elements_written = tokens;
  context.elements_read_backward = matrix + 3 * tokens;
  context.elements_written_backward = matrix + tokens;
  context.saved_elements = 2 * tokens;
  context.live_elements = tokens;
  context.gradient_elements = matrix + 2 * tokens;
  context.gemm = {length, depth, length, heads};

  OpWork softmax = pointwise(matrix);
  softmax.kind = OpKind::Softmax;
  softmax.attention = AttentionRole::Softmax;
  OpWork scale = pointwise(matrix);
  scale.attention = AttentionRole::ScaleOrMask;
  scale.saved_elements = 0;
  OpWork dropout = pointwise(matrix);
  dropout.kind = OpKind::Dropout;
  dropout.attention = AttentionRole::Dropout;
  dropout.saved_index_bytes = Bytes{static_cast<std::int64_t>(matrix)};

  GraphFeatures features;
  features.model_name = "attention";
  features.input_elements = 3 * tokens;
  features.output_elements = tokens;
  features.ops = {scores, scale, softmax, dropout, context};
  return features;
}

/// A GPU of the catalogue, which must have it.
[[nodiscard]] inline const GpuSpec& gpu(std::string_view name) {
  const auto found = std::ranges::find(gpu_catalogue(), name, &GpuSpec::name);
  HORUS_CHECK(found != gpu_catalogue().end(), "tests name GPUs of the catalogue");
  return *found;
}

}  // namespace horus::predict::sample
