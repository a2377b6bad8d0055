// SPDX-License-Identifier: Apache-2.0
#pragma once
// From a model to what it costs: shapes, constant folding, FLOPs, bytes, kernels, parameters.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/domain/graph_features.hpp"
#include "horus/graph/limits.hpp"
#include "horus/graph/model.hpp"
#include "horus/graph/shape.hpp"

namespace horus::graph {

/// Whether an analysis also lists every value with its shape.
enum class ListValues { No, Yes };

struct AnalysisOptions {
  /// Overrides the batch dimension (axis 0 of the data inputs) and re-infers every shape. Absent:
  /// what the file says, 1 where it is symbolic.
  std::optional<std::int64_t> batch;
  /// Values of named dimensions, e.g. {"sequence", 128}. {"trips:Loop_3", 10} is how often the
  /// loop of that name runs its body.
  std::map<std::string, std::int64_t> dims;
  ListValues values{ListValues::No};
  FlattenLimits limits{};  ///< Of functions and control flow.
};

/// A node whose shape or cost is not known. It is never counted as zero in silence.
struct CostGap {
  std::string node;
  std::string op_type;
  std::string reason;
};

/// A data input (parameters and buffers that are graph inputs are not among these).
struct DataInput {
  std::string name;
  ElementType type{ElementType::Undefined};
  std::vector<std::int64_t> shape;  ///< At the analysed batch size; -1 where unknown.
};

/// A tensor whose type and shape are known: an input, an initializer or the output of a node.
struct ListedValue {
  std::string name;
  ElementType type{ElementType::Undefined};
  Shape shape;
  bool is_bound{};  ///< The sizes depend on data: these are the largest that they can be.
};

struct Analysis {
  GraphFeatures features;
  std::int64_t nodes{};
  std::vector<CostGap> gaps;
  /// Nodes whose sizes depend on data: they are counted at the largest that these can be.
  std::int64_t nodes_with_bounds{};
  std::vector<DataInput> inputs;
  std::int64_t opset{};  ///< Of the standard domain.
  std::int64_t ir_version{};
  /// For a person: folded BatchNorm, batch rescaled through frozen Reshape constants, unknown
  /// symbols set to 1, ...
  std::vector<std::string> warnings;
  std::vector<ListedValue> values;  ///< In order of first mention; only with ListValues::Yes.
};

/// Sums over an analysis, at its batch size.
struct Totals {
  double macs{};
  double flops_forward{};
  double flops_training{};  ///< Forward and backward; no optimizer.
  Bytes activation_bytes;   ///< Saved from forward to backward, at 4 bytes per element.
  double kernels{};
};
[[nodiscard]] Totals totals_of(const GraphFeatures& features);

/// Cost: linear in nodes, edges and tensor ranks.
/// Errors: Corrupt for a graph that is none (cycles, a value defined twice, a missing producer),
/// InvalidArgument for options that contradict the model. A node that cannot be inferred is no
/// error but a CostGap.
[[nodiscard]] Result<Analysis> analyse(const Model& model, const AnalysisOptions& options = {});

}  // namespace horus::graph
