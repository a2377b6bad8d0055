// SPDX-License-Identifier: Apache-2.0
#pragma once
// Attention of several heads over values with any number of axes before (tokens, width): the batch,
// and windows where a network attends within windows only. Operator by operator, as exported.

#include <cstdint>
#include <string>
#include <vector>

#include "horus/zoo/builder.hpp"
#include "horus/zoo/layers.hpp"

namespace horus::zoo {

/// Queries, keys and values after their projections, shape (..., heads, tokens, width of a head).
struct HeadTriple {
  Value query;
  Value key;
  Value value;
};

/// (..., tokens, width) to (..., heads, tokens, width / heads).
Value part_heads(Builder& b, const std::string& name, const Value& x, std::int64_t heads);
/// (..., heads, tokens, width of a head) to (..., tokens, width).
Value unite_heads(Builder& b, const std::string& name, const Value& x);
/// The last two axes in the other order.
Value swap_last(Builder& b, const std::string& name, const Value& x);

/// A joint projection of width 3 * `x`, parted into heads.
HeadTriple project_heads(Builder& b, const std::string& name, const Value& x, std::int64_t heads,
                         Bias bias = Bias::Trained);
/// The same with a bias for queries and values only; that of the keys stays zero. `name` is that of
/// the attention.
HeadTriple project_heads_keyless(Builder& b, const std::string& name, const Value& x,
                                 std::int64_t heads);
/// The joint projection of it before it is split, shape (..., 3 * width).
Value project_keyless(Builder& b, const std::string& name, const Value& x);

/// softmax(scale q k^T + biases) v: Mul, MatMul, Add, Softmax, MatMul. `scale` 0: one over the root
/// of the head's width. Biases are added one by one; they broadcast to (..., heads, queries, keys).
Value attend(Builder& b, const std::string& name, const HeadTriple& heads,
             const std::vector<Value>& biases = {}, double scale = 0);
/// The end of it: softmax(scores + biases) v.
Value weigh(Builder& b, const std::string& name, const Value& scores, const Value& value,
            const std::vector<Value>& biases = {});
/// The same with cosines as scores, times a trained temperature for each head, at most 100 (Swin
/// Transformer V2, arXiv:2111.09883).
Value attend_by_cosine(Builder& b, const std::string& name, const HeadTriple& heads,
                       const std::vector<Value>& biases);

struct SelfAttentionSpec {
  std::int64_t heads{};
  Bias bias{Bias::Trained};     ///< Of the joint projection.
  std::vector<Value> biases{};  ///< Added to the scores.
};

/// The joint projection "qkv", attention, and the output projection "proj".
Value self_attention(Builder& b, const std::string& name, const Value& x,
                     const SelfAttentionSpec& spec);

/// A trained table of one number for each relative position in a window of `height` by `width`, and
/// each head, spread to (heads, tokens, tokens). `prefix` tokens before the window's (0 or 1) have
/// three more rows: from, to and between themselves. `name` is that of the attention.
Value relative_bias(Builder& b, const std::string& name, std::int64_t height, std::int64_t width,
                    std::int64_t heads, std::int64_t prefix = 0);
/// Rows of `table` (positions, heads) spread to (heads, tokens, tokens) by a fixed index.
Value spread_bias(Builder& b, const std::string& name, const Value& table, std::int64_t tokens);

}  // namespace horus::zoo
