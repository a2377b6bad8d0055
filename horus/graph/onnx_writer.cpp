// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <onnx/onnx_pb.h>

#include "horus/base/check.hpp"
#include "horus/graph/half_float.hpp"
#include "horus/graph/onnx.hpp"
#include "horus/graph/onnx_fields.hpp"
#include "horus/graph/onnx_tensor.hpp"

namespace horus::graph {
namespace {

using onnx::AttributeProto;

std::uint64_t bits_of(ElementType type, double value) {
  switch (type) {
    case ElementType::Float64:
      return std::bit_cast<std::uint64_t>(value);
    case ElementType::Float16:
      return float16_of(value);
    case ElementType::BFloat16:
      return bfloat16_of(value);
    default:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
}

void append_fixed(std::uint64_t bits, std::uint64_t width, std::string& out) {
  for (std::uint64_t i = 0; i < width; ++i)
    out.push_back(static_cast<char>((bits >> (8 * i)) & 0xFFU));
}

/// The contents as raw_data; empty where there are none.
std::string raw_data_of(const Tensor& tensor) {
  std::string raw;
  if (!tensor.integers && !tensor.floats) return raw;
  const ContentRule* rule = content_rule(tensor.type);
  HORUS_CHECK(rule != nullptr && rule->kind != ContentKind::Other,
              "only tensors of numbers have contents");
  HORUS_CHECK(tensor.integers.has_value() == (rule->kind == ContentKind::Integer),
              "contents must be of the tensor's type");
  const auto elements = element_count(tensor.dims);
  if (tensor.integers) {
    HORUS_CHECK(elements && *elements == tensor.integers->size(), "contents must fill the shape");
    for (const std::int64_t value : *tensor.integers) {
      append_fixed(static_cast<std::uint64_t>(value), rule->width, raw);
    }
  } else {
    HORUS_CHECK(elements && *elements == tensor.floats->size(), "contents must fill the shape");
    for (const double value : *tensor.floats) {
      append_fixed(bits_of(tensor.type, value), rule->width, raw);
    }
  }
  return raw;
}

void write_tensor(const Tensor& tensor, onnx::TensorProto& proto) {
  for (const std::int64_t size : tensor.dims) proto.add_dims(size);
  proto.set_data_type(static_cast<std::int32_t>(tensor.type));
  if (!tensor.name.empty()) proto.set_name(tensor.name);
  if (tensor.external) proto.set_data_location(onnx::TensorProto::EXTERNAL);
  std::string raw = raw_data_of(tensor);
  if (!raw.empty()) proto.set_raw_data(std::move(raw));
}

void write_value_info(const ValueInfo& info, onnx::ValueInfoProto& proto) {
  proto.set_name(info.name);
  if (info.type == ElementType::Undefined && !info.shape) return;
  auto& type = *proto.mutable_type()->mutable_tensor_type();
  type.set_elem_type(static_cast<std::int32_t>(info.type));
  if (!info.shape) return;
  auto& shape = *type.mutable_shape();
  for (const Dim& axis : *info.shape) {
    auto& written = *shape.add_dim();
    if (axis.size) {
      written.set_dim_value(*axis.size);
    } else if (!axis.symbol.empty()) {
      written.set_dim_param(axis.symbol);
    }
  }
}

void write_graph(const Graph& graph, onnx::GraphProto& proto);

/// Writes one attribute value; one overload for each alternative of AttributeValue.
struct AttributeWriter {
  const Graph& graph;
  AttributeProto& proto;

  void operator()(std::int64_t value) const {
    proto.set_type(AttributeProto::INT);
    proto.set_i(value);
  }
  void operator()(double value) const {
    proto.set_type(AttributeProto::FLOAT);
    proto.set_f(static_cast<float>(value));
  }
  void operator()(const std::string& value) const {
    proto.set_type(AttributeProto::STRING);
    proto.set_s(value);
  }
  void operator()(const std::vector<std::int64_t>& values) const {
    proto.set_type(AttributeProto::INTS);
    proto.mutable_ints()->Add(values.begin(), values.end());
  }
  void operator()(const std::vector<double>& values) const {
    proto.set_type(AttributeProto::FLOATS);
    for (const double value : values) proto.add_floats(static_cast<float>(value));
  }
  void operator()(const std::vector<std::string>& values) const {
    proto.set_type(AttributeProto::STRINGS);
    for (const std::string& value : values) proto.add_strings(value);
  }
  void operator()(const Tensor& tensor) const {
    proto.set_type(AttributeProto::TENSOR);
    write_tensor(tensor, *proto.mutable_t());
  }
  void operator()(SubgraphRef subgraph) const {
    HORUS_CHECK(subgraph.index < graph.subgraphs.size(), "attributes name subgraphs that exist");
    proto.set_type(AttributeProto::GRAPH);
    write_graph(graph.subgraphs[subgraph.index], *proto.mutable_g());
  }
  void operator()(const OpaqueValue& value) const;
  void operator()(const AttributeRef& reference) const;
};

struct Kind {
  std::string_view name;
  AttributeProto::AttributeType type;
};
constexpr auto kKinds = std::to_array<Kind>({
    {"f", AttributeProto::FLOAT},
    {"i", AttributeProto::INT},
    {"s", AttributeProto::STRING},
    {"t", AttributeProto::TENSOR},
    {"g", AttributeProto::GRAPH},
    {"floats", AttributeProto::FLOATS},
    {"ints", AttributeProto::INTS},
    {"strings", AttributeProto::STRINGS},
    {"sparse_tensor", AttributeProto::SPARSE_TENSOR},
    {"tensors", AttributeProto::TENSORS},
    {"graphs", AttributeProto::GRAPHS},
    {"sparse_tensors", AttributeProto::SPARSE_TENSORS},
    {"tp", AttributeProto::TYPE_PROTO},
    {"type_protos", AttributeProto::TYPE_PROTOS},
});

void set_kind(std::string_view name, AttributeProto& proto) {
  for (const Kind& row : kKinds) {
    if (row.name == name) proto.set_type(row.type);
  }
}

/// Only the kind is known, so only the kind is written: an empty list, or a type without value.
void AttributeWriter::operator()(const OpaqueValue& value) const { set_kind(value.kind, proto); }

void AttributeWriter::operator()(const AttributeRef& reference) const {
  set_kind(reference.kind, proto);
  proto.set_ref_attr_name(reference.name);
}

/// Writes a field that came after the packaged classes; they carry it as unknown.
template <class Message>
void set_unknown(std::uint32_t number, const std::string& text, Message& proto) {
  if (text.empty()) return;
  auto* fields = proto.GetReflection()->MutableUnknownFields(&proto);
  fields->AddLengthDelimited(static_cast<int>(number), text);
}

void write_attribute(const std::string& name, const AttributeValue& value, const Graph& graph,
                     AttributeProto& proto) {
  proto.set_name(name);
  std::visit(AttributeWriter{graph, proto}, value);
}

void write_node(const Node& node, const Graph& graph, onnx::NodeProto& proto) {
  for (const std::string& input : node.inputs) proto.add_input(input);
  for (const std::string& output : node.outputs) proto.add_output(output);
  if (!node.name.empty()) proto.set_name(node.name);
  proto.set_op_type(node.op_type);
  if (!node.domain.empty()) proto.set_domain(node.domain);
  for (const auto& [name, value] : node.attributes) {
    write_attribute(name, value, graph, *proto.add_attribute());
  }
  set_unknown(node_field::kOverload, node.overload, proto);
}

void write_graph(const Graph& graph, onnx::GraphProto& proto) {
  if (!graph.name.empty()) proto.set_name(graph.name);
  for (const Node& node : graph.nodes) write_node(node, graph, *proto.add_node());
  for (const Tensor& tensor : graph.initializers) write_tensor(tensor, *proto.add_initializer());
  for (const ValueInfo& info : graph.inputs) write_value_info(info, *proto.add_input());
  for (const ValueInfo& info : graph.outputs) write_value_info(info, *proto.add_output());
  for (const ValueInfo& info : graph.value_infos) write_value_info(info, *proto.add_value_info());
}

template <class Message>
void write_opsets(const std::map<std::string, std::int64_t>& opsets, Message& proto) {
  for (const auto& [domain, version] : opsets) {
    auto& opset = *proto.add_opset_import();
    opset.set_domain(domain);
    opset.set_version(version);
  }
}

void write_function(const Function& function, onnx::FunctionProto& proto) {
  if (!function.domain.empty()) proto.set_domain(function.domain);
  proto.set_name(function.name);
  for (const std::string& input : function.inputs) proto.add_input(input);
  for (const std::string& output : function.outputs) proto.add_output(output);
  for (const std::string& name : function.attributes) proto.add_attribute(name);
  for (const Node& node : function.body.nodes) write_node(node, function.body, *proto.add_node());
  write_opsets(function.opsets, proto);
  for (const auto& [name, value] : function.defaults) {
    AttributeProto attribute;
    write_attribute(name, value, function.body, attribute);
    set_unknown(function_field::kAttributeProto, attribute.SerializePartialAsString(), proto);
  }
  for (const ValueInfo& info : function.body.value_infos) {
    onnx::ValueInfoProto written;
    write_value_info(info, written);
    set_unknown(function_field::kValueInfo, written.SerializePartialAsString(), proto);
  }
  set_unknown(function_field::kOverload, function.overload, proto);
}

}  // namespace

std::string write_onnx(const Model& model) {
  onnx::ModelProto proto;
  proto.set_ir_version(model.ir_version);
  if (!model.producer.empty()) proto.set_producer_name(model.producer);
  write_opsets(model.opsets, proto);
  for (const auto& [key, value] : model.metadata) {
    auto& entry = *proto.add_metadata_props();
    entry.set_key(key);
    entry.set_value(value);
  }
  write_graph(model.graph, *proto.mutable_graph());
  for (const Function& function : model.functions) {
    write_function(function, *proto.add_functions());
  }
  return proto.SerializePartialAsString();
}

}  // namespace horus::graph
