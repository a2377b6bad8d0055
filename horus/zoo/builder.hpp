// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes a graph value by value, the way an exporter does: every value knows its shape, weights are
// graph inputs, and names say where in the network a node stands.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "horus/graph/model.hpp"

namespace horus::zoo {

using graph::ElementType;

/// Sizes of a value's axes. The batch axis is always kBatch here, whether it is fixed or symbolic
/// in the finished graph, so that no network can depend on it.
using Shape = std::vector<std::int64_t>;
inline constexpr std::int64_t kBatch = -1;

/// A value of the graph under construction.
struct Value {
  std::string name;
  Shape shape;
  ElementType type{ElementType::Float32};
};

using Attributes = std::map<std::string, graph::AttributeValue>;

struct NodeSpec {
  std::string name;     ///< Unique in the graph; also the name of the first output.
  std::string op_type;  ///< Of the standard operator set, version 17.
  std::vector<std::string> inputs;
  Attributes attributes{};
};

/// Builds one model. Names must be unique: a repeated one is an error of the programmer.
class Builder {
 public:
  /// `batch` absent: the batch axis is the symbol "N".
  Builder(std::string graph_name, std::optional<std::int64_t> batch);

  /// A data input; axis 0 is normally kBatch.
  Value input(std::string name, Shape shape, ElementType type = ElementType::Float32);
  /// A trainable tensor.
  Value parameter(std::string name, Shape shape);
  /// Untrained state: running statistics, position tables, fixed masks and indices.
  Value buffer(std::string name, Shape shape, ElementType type = ElementType::Float32);

  /// A buffer with one axis and the same number everywhere, one for each distinct content: stands
  /// where an operator wants a weight that the network does not train.
  Value filled(double value, std::int64_t count);

  /// Constants are Constant nodes, one for each distinct content.
  Value integers(const std::vector<std::int64_t>& values);  ///< One axis, int64.
  Value integer(std::int64_t value);                        ///< Rank 0, int64.
  Value number(double value);                               ///< Rank 0, float.
  Value truth();                                            ///< Rank 0, boolean true.
  /// A float constant of any shape, for what is too large for number(). Not shared.
  Value numbers(std::string name, Shape shape, std::vector<double> values);

  /// Adds a node with one output, which has the node's name.
  Value add(NodeSpec node, Shape shape, ElementType type = ElementType::Float32);
  /// Adds a node with one output for each of `shapes`, named NAME, NAME:1, NAME:2, ...
  std::vector<Value> add_many(NodeSpec node, const std::vector<Shape>& shapes);

  void output(const Value& value);

  /// From here on networks are applied again: names of nodes end in "@PASS", and a weight that
  /// exists is used once more instead of being a repetition. "" ends the repetitions.
  void begin_pass(std::string_view pass);

  /// The finished model: data inputs first, then parameters and buffers in order of creation.
  [[nodiscard]] graph::Model finish() &&;

 private:
  Value weight(Value value, std::string& list);
  Value constant(const std::string& content, graph::Tensor tensor);
  void claim(const std::string& name);
  [[nodiscard]] graph::ValueInfo declare(const Value& value) const;

  std::optional<std::int64_t> batch_;
  graph::Graph graph_;
  std::vector<graph::ValueInfo> weights_;
  std::string parameter_names_;  ///< Comma separated, as the metadata wants them.
  std::string buffer_names_;
  std::map<std::string, Value> constants_;  ///< By type and content.
  std::map<std::string, Value> by_name_;    ///< The weights.
  std::string suffix_;                      ///< Of the names of nodes in this pass.
  std::set<std::string> names_;
};

}  // namespace horus::zoo
