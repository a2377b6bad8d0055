// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gives every axis of the graph inputs a size: from the file, from --batch and from --dim.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/graph/analysis.hpp"
#include "horus/graph/graph_index.hpp"
#include "horus/graph/input_role.hpp"
#include "horus/graph/shape.hpp"

namespace horus::graph {

/// Sizes of symbols, by name.
using Symbols = std::map<std::string, std::int64_t, std::less<>>;

/// One graph input at two batch sizes: the file's own and the wanted one.
struct BoundInput {
  ValueIndex value{};
  std::vector<std::int64_t> reference;  ///< -1 where the size is not known.
  std::vector<std::int64_t> wanted;     ///< Same axes.
  /// Why the shape is not known, with what to do; empty where it is.
  std::string gap;
};

struct Binding {
  std::int64_t reference_batch{1};
  std::int64_t batch{1};
  std::vector<BoundInput> inputs;  ///< As index.graph_inputs.
  Symbols reference_symbols;
  Symbols symbols;
  std::vector<std::string> warnings;
};

/// The batch is the axis whose symbol says so ("N", "batch", "batch_size", ...), else axis 0 of the
/// data inputs, or axis 1 where axis 0 is the time of a recurrent operator.
/// Errors: InvalidArgument for a size below 1 or beyond 2^31, a name that no input has, or a batch
/// where no data input has a batch axis.
[[nodiscard]] Result<Binding> bind_inputs(const Model& model, const GraphIndex& index,
                                          const std::vector<InputRole>& roles,
                                          const AnalysisOptions& options);

/// The shape that `info` declares, with its symbols replaced; nothing where a size is missing.
[[nodiscard]] std::optional<Shape> declared_shape(const ValueInfo& info, const Symbols& symbols);

}  // namespace horus::graph
