// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sizes of an attention that one operator computes, and what such an operator costs.

#include <cstdint>

#include "horus/base/result.hpp"
#include "horus/graph/cost_view.hpp"
#include "horus/graph/ops/families.hpp"

namespace horus::graph {

/// Scaled dot-product attention of `heads` queries over `key_heads` keys and values; grouped-query
/// attention has fewer of the latter. All sizes are >= 0, and their products are sound shapes.
struct AttentionSizes {
  std::int64_t batch{};
  std::int64_t heads{};
  std::int64_t key_heads{};
  std::int64_t queries{};  ///< Positions that ask.
  std::int64_t keys{};     ///< Positions that are asked, those of a cache included.
  std::int64_t size{};     ///< Of a query and of a key of one head.
  std::int64_t value_size{};
};

/// Adds QK^T, softmax and the product with the values to the sheet, as one kernel that keeps no
/// scores (Dao, FlashAttention-2, 2023): per row it keeps a logarithm, and backward recomputes the
/// scores, so that it has five products where forward has two. Masked positions are counted: a
/// causal kernel may skip up to half of them.
void add_attention(const CostView& node, CostSheet& sheet, const AttentionSizes& sizes);

/// Names the first `inputs` activations and the first output as kept, and counts what the operator
/// reads and writes.
void move_attention_data(const CostView& node, CostSheet& sheet, std::size_t inputs);

}  // namespace horus::graph
