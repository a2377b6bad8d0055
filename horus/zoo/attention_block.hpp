// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parts that transformers share: attention in its exported, operator by operator form, and the
// feed-forward pair.

#include <cstdint>
#include <optional>
#include <string>

#include "horus/zoo/builder.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {

/// Queries, keys and values after their projections; shape (batch, tokens, width) each. Keys and
/// values have the same number of tokens, queries may have another.
struct Projections {
  Value query;
  Value key;
  Value value;
};

/// What the three projections, and the attention's own nodes, are called.
struct ProjectionNames {
  std::string query;
  std::string key;
  std::string value;
};

/// Three linear layers: queries from `x`, keys and values from `memory`.
Projections project_apart(Builder& b, const ProjectionNames& names, const Value& x,
                          const Value& memory, Bias bias);
/// One linear layer of three times the width, split.
Projections project_together(Builder& b, const std::string& name, const Value& x);

struct AttentionSpec {
  std::int64_t heads{};
  double dropout{};           ///< Of the attention weights.
  std::optional<Value> mask;  ///< Added to the scores; broadcasts to (batch, heads, query, key).
  /// Of the scores. Absent: 1 / sqrt(width of a head). 1 adds no node.
  std::optional<double> scale{};
};

/// softmax(scale q k^T + mask) v for each head, heads joined again: MatMul, Mul, Add, Softmax,
/// Dropout, MatMul. Shape (batch, query tokens, width). The output projection is not part of it.
Value attention(Builder& b, const std::string& name, const Projections& projections,
                const AttentionSpec& spec);

struct FeedForwardSpec {
  std::string expand;      ///< Name of the first layer.
  std::string activation;  ///< Name of the activation.
  std::string contract;    ///< Name of the second layer, back to the width of the input.
  std::int64_t inner{};    ///< Width between the two.
  /// relu, gelu, gelu_tanh, ... of layers.hpp.
  Value (*activate)(Builder& b, const std::string& name, const Value& x){};
};

Value feed_forward(Builder& b, const Value& x, const FeedForwardSpec& spec);

/// Token numbers 0 to `count` - 1 as a constant, shape (1, count), int64.
Value positions(Builder& b, std::int64_t count);

/// -infinity (as -1e9) wherever `keep` of shape (batch, tokens) is 0, as an additive mask of shape
/// (batch, 1, 1, tokens).
Value padding_mask(Builder& b, const std::string& name, const Value& keep);

}  // namespace horus::zoo
