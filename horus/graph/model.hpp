// SPDX-License-Identifier: Apache-2.0
#pragma once
// A computation graph in memory: what Horus keeps of an ONNX model. Weights are never kept.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace horus::graph {

/// Element types with the numbers of ONNX's TensorProto.DataType. A file may hold newer types: they
/// keep their number without a name here.
enum class ElementType : std::int32_t {
  Undefined = 0,
  Float32 = 1,
  Uint8 = 2,
  Int8 = 3,
  Uint16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Float64 = 11,
  Uint32 = 12,
  Uint64 = 13,
  Complex64 = 14,
  Complex128 = 15,
  BFloat16 = 16,
};

/// One axis of a declared shape: a size, a symbol ("N"), or unknown (both empty).
struct Dim {
  std::optional<std::int64_t> size;
  std::string symbol;
  friend bool operator==(const Dim&, const Dim&) = default;
};

/// Fixed axis and named axis, for builders.
[[nodiscard]] inline Dim dim(std::int64_t size) { return Dim{.size = size, .symbol = {}}; }
[[nodiscard]] inline Dim dim(std::string symbol) {
  return Dim{.size = std::nullopt, .symbol = std::move(symbol)};
}

/// A named value with its declared type. No shape: the rank is unknown.
struct ValueInfo {
  std::string name;
  ElementType type{ElementType::Undefined};
  std::optional<std::vector<Dim>> shape;
  friend bool operator==(const ValueInfo&, const ValueInfo&) = default;
};

/// A constant tensor: shape and type always, contents only where shape arithmetic may need them
/// (integers up to 64 KiB, floats up to 1 KiB, as stored in the file). External data is never
/// opened. No contents does not mean zeros: it means that they are unknown.
struct Tensor {
  std::string name;
  ElementType type{ElementType::Undefined};
  std::vector<std::int64_t> dims;
  bool external{false};
  std::optional<std::vector<std::int64_t>> integers;  ///< Contents of integer and boolean tensors.
  std::optional<std::vector<double>> floats;          ///< Contents of floating-point tensors.
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

struct Graph;

/// An attribute of a node. Subgraphs (of If, Loop, Scan) sit in Graph::subgraphs of the node's
/// graph and are named here by position, so that models stay plain values.
struct SubgraphRef {
  std::size_t index{};
  friend bool operator==(const SubgraphRef&, const SubgraphRef&) = default;
};
/// An attribute that is there but whose value is not kept, because no operator's shape or cost
/// depends on its kind. `kind` is the name in AttributeProto, e.g. "tp", "tensors", "graphs".
struct OpaqueValue {
  std::string kind;
  friend bool operator==(const OpaqueValue&, const OpaqueValue&) = default;
};
/// Inside a model-local function: the value that the call gives to the function's attribute `name`,
/// or else its default, or else nothing.
struct AttributeRef {
  std::string name;
  std::string kind;  ///< The name in AttributeProto of what is expected, or "" where unsaid.
  friend bool operator==(const AttributeRef&, const AttributeRef&) = default;
};
using AttributeValue =
    std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>,
                 std::vector<std::string>, Tensor, SubgraphRef, OpaqueValue, AttributeRef>;

struct Node {
  std::string name;  ///< May be empty.
  std::string op_type;
  std::string domain;  ///< "" is the standard operator set ("ai.onnx" is stored as "").
  std::vector<std::string> inputs;  ///< "" is an optional input left out.
  std::vector<std::string> outputs;
  std::map<std::string, AttributeValue> attributes;
  std::string overload{};  ///< Of the model-local function that it calls; mostly empty.
  /// Version of the standard operator set where it is not the model's; 0 where it is. Files do not
  /// hold it: only flattening (flatten.hpp) sets it, on nodes that come from functions.
  std::int64_t opset{0};
  friend bool operator==(const Node&, const Node&) = default;
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<Tensor> initializers;
  std::vector<ValueInfo> inputs;
  std::vector<ValueInfo> outputs;
  std::vector<ValueInfo> value_infos;
  std::vector<Graph> subgraphs;
  friend bool operator==(const Graph&, const Graph&) = default;
};

/// A model-local function: an operator defined by a graph over its parameters.
struct Function {
  std::string domain;  ///< As Node::domain.
  std::string name;
  std::string overload;
  std::vector<std::string> inputs;      ///< Names in the body; a call may leave out the last ones.
  std::vector<std::string> outputs;     ///< Names in the body.
  std::vector<std::string> attributes;  ///< Names of attributes without a default.
  std::map<std::string, AttributeValue> defaults;  ///< Attributes with a default.
  std::map<std::string, std::int64_t> opsets;      ///< As Model::opsets, for the body alone.
  Graph body;  ///< Nodes, their subgraphs and value_infos; all else is empty.
  friend bool operator==(const Function&, const Function&) = default;
};

struct Model {
  std::int64_t ir_version{8};
  std::map<std::string, std::int64_t> opsets;  ///< Domain ("" is the standard set) to version.
  std::string producer;
  Graph graph;
  std::map<std::string, std::string> metadata;  ///< metadata_props.
  std::vector<Function> functions;  ///< In the order of the file; no two of one identity.
  friend bool operator==(const Model&, const Model&) = default;
};

/// Metadata key under which a graph-only exporter lists the graph inputs that are parameters,
/// comma separated. Horus's own zoo writes it.
inline constexpr const char* kParametersKey = "horus.params";
/// The same for untrained state that is fed as graph inputs (BatchNorm running statistics).
inline constexpr const char* kBuffersKey = "horus.buffers";

}  // namespace horus::graph
