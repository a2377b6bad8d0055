// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers in training form, one function each: the nodes and weights that a layer of a framework
// becomes when it is exported without folding. Parameter names follow PyTorch.
// In all of them `name` is the layer's place in the network ("layer1.0.conv1").

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horus/zoo/builder.hpp"

namespace horus::zoo {

enum class Bias { None, Trained };

/// One entry for each spatial axis, or a single entry that holds for all of them.
using Extent = std::vector<std::int64_t>;

struct ConvSpec {
  std::int64_t channels{};  ///< Output channels.
  Extent kernel{1};
  Extent stride{1};
  Extent padding{0};   ///< Added at both ends of each axis.
  Extent dilation{1};  ///< Distance between neighbouring weights of the kernel.
  std::int64_t groups{1};
  Bias bias{Bias::None};
  Extent output_padding{0};  ///< conv_transpose only: rows and columns more at the end.
};

/// What becomes of a last window that stands partly behind the end: left out (Down) or kept (Up,
/// which PyTorch calls ceil_mode).
enum class Rounding { Down, Up };
/// Whether zeros of the padding count in an average.
enum class PaddingCounts { Yes, No };

struct PoolSpec {
  Extent kernel{1};
  Extent stride{1};
  Extent padding{0};
  Rounding rounding{Rounding::Down};
  PaddingCounts padding_counts{PaddingCounts::Yes};  ///< Read by averages only.
};

/// Convolution of `x`, shape (batch, channels, spatial axes...), any number of spatial axes.
Value conv(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec);
/// Convolution of `x` with a kernel that the network computes: `weight` has the shape that conv()
/// would give its own. `bias` absent: none.
Value conv_by(Builder& b, const std::string& name, const Value& x, const Value& weight,
              const std::optional<Value>& bias, const ConvSpec& spec);
/// Transposed convolution: output size (in - 1) * stride - 2 * padding + kernel + output_padding.
Value conv_transpose(Builder& b, const std::string& name, const Value& x, const ConvSpec& spec);
/// `x` with every pixel repeated `factor` times along each spatial axis.
Value upsample(Builder& b, const std::string& name, const Value& x, std::int64_t factor);
Value max_pool(Builder& b, const std::string& name, const Value& x, const PoolSpec& spec);
Value average_pool(Builder& b, const std::string& name, const Value& x, const PoolSpec& spec);
/// The mean over all spatial axes, which stay with size 1.
Value global_average_pool(Builder& b, const std::string& name, const Value& x);
/// The same as global_average_pool, in the form that x.mean((2, 3), keepdim=True) is exported in.
Value spatial_mean(Builder& b, const std::string& name, const Value& x);

/// Batch normalization over axis 1 that updates its running statistics.
Value batch_norm(Builder& b, const std::string& name, const Value& x);
/// Group normalization over axis 1, in the form it has before operator set 18: one
/// InstanceNormalization of `groups` channels, then the trained scale and offset.
Value group_norm(Builder& b, const std::string& name, const Value& x, std::int64_t groups);
/// Layer normalization over the last axis.
Value layer_norm(Builder& b, const std::string& name, const Value& x, double epsilon);

/// x times a weight, plus a bias. With two axes a Gemm, otherwise MatMul and Add.
Value linear(Builder& b, const std::string& name, const Value& x, std::int64_t features,
             Bias bias = Bias::Trained);
/// x times the transpose of `table`, shape (rows, width of x): an output layer that shares the
/// weights of an embedding.
Value tied_linear(Builder& b, const std::string& name, const Value& x, const Value& table);
/// Rows of `table` at the positions `ids` (int64).
Value embedding(Builder& b, const std::string& name, const Value& table, const Value& ids);

/// A node with one input and an output of the same shape and type.
Value unary(Builder& b, const std::string& name, std::string_view op_type, const Value& x,
            Attributes attributes = {});
/// A node with two inputs that broadcast together.
Value binary(Builder& b, const std::string& name, std::string_view op_type, const Value& left,
             const Value& right);
Value relu(Builder& b, const std::string& name, const Value& x);
Value relu6(Builder& b, const std::string& name, const Value& x);
Value tanh(Builder& b, const std::string& name, const Value& x);
Value sigmoid(Builder& b, const std::string& name, const Value& x);
/// clip(x / 6 + 1/2, 0, 1).
Value hard_sigmoid(Builder& b, const std::string& name, const Value& x);
/// x * hard_sigmoid(x).
Value hard_swish(Builder& b, const std::string& name, const Value& x);
/// x * sigmoid(x), as exported: Sigmoid and Mul.
Value silu(Builder& b, const std::string& name, const Value& x);
/// GELU with the error function, as exported: Div, Erf, Add, Mul, Mul.
Value gelu(Builder& b, const std::string& name, const Value& x);
/// GELU by its tanh approximation, operator by operator (GPT-2 computes it so).
Value gelu_tanh(Builder& b, const std::string& name, const Value& x);
/// The same approximation as one operator of PyTorch, as exported: the cube is two products, and
/// the last product halves.
Value approximate_gelu(Builder& b, const std::string& name, const Value& x);
Value softmax(Builder& b, const std::string& name, const Value& x);
/// Dropout that is switched on. A rate of 0 adds nothing and returns `x`.
Value dropout(Builder& b, const std::string& name, const Value& x, double rate);

Value concat(Builder& b, const std::string& name, std::span<const Value> parts, std::int64_t axis);
/// (batch, a, b, ...) to (batch, a * b * ...).
Value flatten(Builder& b, const std::string& name, const Value& x);
/// `target` is the shape constant: 0 keeps an axis, -1 takes what is left. `shape` is the result.
Value reshape(Builder& b, const std::string& name, const Value& x,
              const std::vector<std::int64_t>& target, Shape shape);
Value transpose(Builder& b, const std::string& name, const Value& x,
                const std::vector<std::int64_t>& order);
/// `count` equal parts along the last axis.
std::vector<Value> split_last(Builder& b, const std::string& name, const Value& x,
                              std::int64_t count);
/// Parts of the given sizes along `axis`.
std::vector<Value> split(Builder& b, const std::string& name, const Value& x, std::int64_t axis,
                         const std::vector<std::int64_t>& sizes);
/// Matrix product over the last two axes; the axes before them are those of `left`.
Value matmul(Builder& b, const std::string& name, const Value& left, const Value& right);

}  // namespace horus::zoo
