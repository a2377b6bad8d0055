// SPDX-License-Identifier: Apache-2.0
#pragma once
// Exporters freeze the batch they saw into constants: Reshape to [1, -1], Expand to [4, 1, 768],
// Slice to [0:4], initial states of recurrent layers. Comparing a node at the file's batch with the
// same node at another batch shows where, and which axis to scale.

#include <cstdint>
#include <optional>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/graph/node_view.hpp"
#include "horus/graph/op_rule.hpp"
#include "horus/graph/shape.hpp"

namespace horus::graph {

/// One node at two batch sizes.
struct FrozenNode {
  const NodeView& now;
  const NodeView& before;     ///< The same node at the file's batch.
  const Fact& output_before;  ///< Its first output there.
  std::int64_t batch;
  std::int64_t batch_before;
};

/// True when `facts` (the node's outputs at the new batch, or the error) must be the work of a
/// frozen constant: an input grew with the batch, and the output fails, or stays, or grows at an
/// axis where the batch cannot be.
[[nodiscard]] bool keeps_old_batch(const FrozenNode& node, const Result<Facts>& facts);

/// The output of a Reshape that keeps the old batch, with its batch axis scaled; nothing where that
/// axis cannot be told. Axes are matched in groups of equal products, as Reshape keeps the order of
/// elements.
[[nodiscard]] std::optional<Shape> scaled_reshape(const FrozenNode& node);

/// For a node that keeps the old batch: inputs whose sizes (or contents, for target shapes) equal
/// the old batch where another input has grown with the batch, scaled the same way. Nothing for
/// inputs that stay.
[[nodiscard]] std::vector<std::optional<Fact>> scaled_inputs(const FrozenNode& node);

}  // namespace horus::graph
