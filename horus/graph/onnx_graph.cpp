// SPDX-License-Identifier: Apache-2.0
#include "horus/graph/onnx_graph.hpp"

#include <utility>

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "horus/base/text.hpp"
#include "horus/graph/onnx_fields.hpp"
#include "horus/graph/onnx_split.hpp"
#include "horus/graph/onnx_tensor.hpp"

namespace horus::graph {
namespace {

std::vector<std::string> strings_of(
    const google::protobuf::RepeatedPtrField<std::string>& strings) {
  return {strings.begin(), strings.end()};
}

std::string place_of(const Node& node, std::size_t position) {
  const std::string name = node.name.empty() ? "" : fmt::format(" '{}'", printable(node.name));
  return fmt::format("node {}{} ({})", position, name, printable(node.op_type));
}

constexpr std::int64_t kOpenAxis = -1;

std::vector<Dim> dims_of(const onnx::TensorShapeProto& shape) {
  std::vector<Dim> dims;
  dims.reserve(static_cast<std::size_t>(shape.dim_size()));
  for (const auto& axis : shape.dim()) {
    if (axis.has_dim_value() && axis.dim_value() != kOpenAxis) {
      dims.push_back(dim(axis.dim_value()));
    } else {
      dims.push_back(dim(axis.dim_param()));
    }
  }
  return dims;
}

Result<Done> check_dims(const std::vector<Dim>& dims, ReadBudget& budget) {
  if (dims.size() > budget.limits().rank) {
    return fail(Errc::Unsupported,
                fmt::format("{} axes, Horus reads up to {}", dims.size(), budget.limits().rank));
  }
  HORUS_TRY_DONE(budget.take_values(dims.size()));
  std::vector<std::int64_t> sizes;
  sizes.reserve(dims.size());
  for (const Dim& axis : dims) sizes.push_back(axis.size.value_or(1));
  return element_count(sizes).map([](std::uint64_t) { return Done{}; });
}

/// Dense and sparse tensor types: element type and shape.
template <class TensorType>
void set_type(const TensorType& type, ValueInfo& info) {
  info.type = static_cast<ElementType>(type.elem_type());
  if (type.has_shape()) info.shape = dims_of(type.shape());
}

Result<Done> add_value_info(Slice message, ReadScope scope, std::vector<ValueInfo>& infos) {
  HORUS_TRY(ValueInfo info, read_value_info(message, *scope.budget));
  infos.push_back(std::move(info));
  return Done{};
}

Result<Done> read_graph_field(const WireField& field, ReadScope scope, Graph& graph) {
  switch (field.number) {
    case graph_field::kNode:
      return read_node(field.payload, scope, graph);
    case graph_field::kName:
      graph.name = text_of(field.payload);
      return Done{};
    case graph_field::kInput:
      return add_value_info(field.payload, scope, graph.inputs);
    case graph_field::kOutput:
      return add_value_info(field.payload, scope, graph.outputs);
    case graph_field::kValueInfo:
      return add_value_info(field.payload, scope, graph.value_infos);
    case graph_field::kInitializer: {
      HORUS_TRY(Tensor tensor, read_tensor(field.payload, *scope.budget));
      graph.initializers.push_back(std::move(tensor));
      return Done{};
    }
    case graph_field::kSparseInitializer: {
      HORUS_TRY(Tensor tensor, read_sparse_tensor(field.payload, *scope.budget));
      graph.initializers.push_back(std::move(tensor));
      return Done{};
    }
    default:
      return Done{};
  }
}

/// What a node holds, before its attributes are read.
struct NodeParts {
  std::vector<Slice> attributes;
  std::string overload;
};

Result<NodeParts> read_node_head(Slice message, ReadBudget& budget, Node& node) {
  NodeParts parts;
  onnx::NodeProto proto;
  const auto keep_apart = [&parts](const WireField& field) -> Result<Done> {
    if (field.number == node_field::kAttribute) parts.attributes.push_back(field.payload);
    if (field.number == node_field::kOverload) parts.overload = text_of(field.payload);
    return Done{};
  };
  HORUS_TRY_DONE(parse_apart(node_field::kSpec, node_field::kApart, message, proto, keep_apart));
  node.name = proto.name();
  node.op_type = proto.op_type();
  node.domain = standard_domain(proto.domain());
  node.inputs = strings_of(proto.input());
  node.outputs = strings_of(proto.output());
  HORUS_TRY_DONE(
      budget.take_values(node.inputs.size() + node.outputs.size() + parts.attributes.size()));
  return parts;
}

}  // namespace

std::string standard_domain(std::string domain) {
  return domain == "ai.onnx" ? std::string{} : std::move(domain);
}

std::string operator_id(const std::string& domain, const std::string& name,
                        const std::string& overload) {
  return overload.empty() ? fmt::format("{}:{}", domain, name)
                          : fmt::format("{}:{}:{}", domain, name, overload);
}

Result<ValueInfo> read_value_info(Slice message, ReadBudget& budget) {
  HORUS_TRY_DONE(budget.take_tensor());
  onnx::ValueInfoProto proto;
  HORUS_TRY_DONE(parse_whole("ValueInfoProto", chars_of(message.bytes), message.offset, proto));
  ValueInfo info{.name = proto.name()};
  if (proto.type().has_tensor_type()) set_type(proto.type().tensor_type(), info);
  if (proto.type().has_sparse_tensor_type()) set_type(proto.type().sparse_tensor_type(), info);
  if (!info.shape) return info;
  auto checked = check_dims(*info.shape, budget);
  if (!checked) {
    return tl::make_unexpected(
        inside(fmt::format("value '{}'", printable(info.name)), std::move(checked).error()));
  }
  return info;
}

Result<Done> read_node(Slice message, ReadScope scope, Graph& graph) {
  HORUS_TRY_DONE(scope.budget->take_node());
  const std::size_t position = graph.nodes.size();
  Node node;
  auto parts = read_node_head(message, *scope.budget, node);
  Result<Done> done = parts.map([](const NodeParts&) { return Done{}; });
  for (std::size_t i = 0; done && i < parts->attributes.size(); ++i) {
    done = read_attribute(parts->attributes[i], scope, node.attributes, graph);
  }
  if (!done) return tl::make_unexpected(inside(place_of(node, position), std::move(done).error()));
  node.overload = std::move(parts->overload);
  if (scope.calls != nullptr) {
    scope.calls->push_back(operator_id(node.domain, node.op_type, node.overload));
  }
  graph.nodes.push_back(std::move(node));
  return Done{};
}

Result<Done> read_opset(Slice message, std::map<std::string, std::int64_t>& opsets) {
  onnx::OperatorSetIdProto opset;
  HORUS_TRY_DONE(parse_whole("OperatorSetIdProto", chars_of(message.bytes), message.offset, opset));
  opsets[standard_domain(opset.domain())] = opset.version();
  return Done{};
}

Result<Done> read_graph(Slice message, ReadScope scope, Graph& graph) {
  if (scope.depth > scope.budget->limits().depth) {
    return fail(Errc::Unsupported,
                fmt::format("subgraphs nested more than {} deep at byte {}, the most that Horus "
                            "reads",
                            scope.budget->limits().depth, message.offset));
  }
  for (WireReader reader{graph_field::kSpec, message}; !reader.at_end();) {
    HORUS_TRY(const WireField field, reader.next());
    HORUS_TRY_DONE(read_graph_field(field, scope, graph));
  }
  return Done{};
}

}  // namespace horus::graph
