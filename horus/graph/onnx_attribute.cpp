// SPDX-License-Identifier: Apache-2.0
// AttributeProto to AttributeValue: by its declared type, or by what is set where old writers
// declared none.

#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "horus/base/text.hpp"
#include "horus/graph/onnx_fields.hpp"
#include "horus/graph/onnx_graph.hpp"
#include "horus/graph/onnx_split.hpp"
#include "horus/graph/onnx_tensor.hpp"

namespace horus::graph {
namespace {

using onnx::AttributeProto;

/// An attribute with its tensors and graphs kept apart.
struct Parts {
  AttributeProto proto;
  std::optional<Slice> tensor;
  std::optional<Slice> graph;
  std::optional<Slice> sparse_tensor;
  bool tensors{false};
  bool graphs{false};
  bool sparse_tensors{false};
};

/// Where a value goes that is more than a number or text.
struct Target {
  ReadScope scope;
  Graph* graph{};
};

Result<AttributeValue> read_subgraph(Slice message, Target target) {
  Graph subgraph;
  ReadScope inner = target.scope;
  ++inner.depth;
  HORUS_TRY_DONE(read_graph(message, inner, subgraph));
  target.graph->subgraphs.push_back(std::move(subgraph));
  return AttributeValue{SubgraphRef{target.graph->subgraphs.size() - 1}};
}

template <class List>
Result<AttributeValue> counted(List list, Target target) {
  HORUS_TRY_DONE(target.scope.budget->take_values(list.size()));
  return AttributeValue{std::move(list)};
}

AttributeValue of_tensor(Tensor tensor) { return AttributeValue{std::move(tensor)}; }

Result<AttributeValue> opaque(std::string_view kind) {
  return AttributeValue{OpaqueValue{std::string{kind}}};
}

/// One kind of attribute: how to tell that it is set, and its value. `value` may rely on is_set,
/// except where an unset scalar means its default (`has_default`: writers of proto3 leave out
/// zeros, and an empty list has no bytes).
struct KindRule {
  std::string_view field;
  AttributeProto::AttributeType type;
  bool has_default;
  bool (*is_set)(const Parts&);
  Result<AttributeValue> (*value)(const Parts&, Target);
};

constexpr auto kKindRules = std::to_array<KindRule>({
    {"f", AttributeProto::FLOAT, true, [](const Parts& p) { return p.proto.has_f(); },
     [](const Parts& p, Target) -> Result<AttributeValue> {
       return AttributeValue{static_cast<double>(p.proto.f())};
     }},
    {"i", AttributeProto::INT, true, [](const Parts& p) { return p.proto.has_i(); },
     [](const Parts& p, Target) -> Result<AttributeValue> {
       return AttributeValue{std::int64_t{p.proto.i()}};
     }},
    {"s", AttributeProto::STRING, true, [](const Parts& p) { return p.proto.has_s(); },
     [](const Parts& p, Target) -> Result<AttributeValue> { return AttributeValue{p.proto.s()}; }},
    {"t", AttributeProto::TENSOR, false, [](const Parts& p) { return p.tensor.has_value(); },
     [](const Parts& p, Target target) -> Result<AttributeValue> {
       return read_tensor(*p.tensor, *target.scope.budget).map(of_tensor);
     }},
    {"g", AttributeProto::GRAPH, false, [](const Parts& p) { return p.graph.has_value(); },
     [](const Parts& p, Target target) { return read_subgraph(*p.graph, target); }},
    {"floats", AttributeProto::FLOATS, true,
     [](const Parts& p) { return p.proto.floats_size() > 0; },
     [](const Parts& p, Target target) {
       return counted(std::vector<double>(p.proto.floats().begin(), p.proto.floats().end()),
                      target);
     }},
    {"ints", AttributeProto::INTS, true, [](const Parts& p) { return p.proto.ints_size() > 0; },
     [](const Parts& p, Target target) {
       return counted(std::vector<std::int64_t>(p.proto.ints().begin(), p.proto.ints().end()),
                      target);
     }},
    {"strings", AttributeProto::STRINGS, true,
     [](const Parts& p) { return p.proto.strings_size() > 0; },
     [](const Parts& p, Target target) {
       return counted(std::vector<std::string>(p.proto.strings().begin(), p.proto.strings().end()),
                      target);
     }},
    {"sparse_tensor", AttributeProto::SPARSE_TENSOR, false,
     [](const Parts& p) { return p.sparse_tensor.has_value(); },
     [](const Parts& p, Target target) -> Result<AttributeValue> {
       return read_sparse_tensor(*p.sparse_tensor, *target.scope.budget).map(of_tensor);
     }},
    {"tensors", AttributeProto::TENSORS, true, [](const Parts& p) { return p.tensors; },
     [](const Parts&, Target) { return opaque("tensors"); }},
    {"graphs", AttributeProto::GRAPHS, true, [](const Parts& p) { return p.graphs; },
     [](const Parts&, Target) { return opaque("graphs"); }},
    {"sparse_tensors", AttributeProto::SPARSE_TENSORS, true,
     [](const Parts& p) { return p.sparse_tensors; },
     [](const Parts&, Target) { return opaque("sparse_tensors"); }},
    {"tp", AttributeProto::TYPE_PROTO, true, [](const Parts& p) { return p.proto.has_tp(); },
     [](const Parts&, Target) { return opaque("tp"); }},
    {"type_protos", AttributeProto::TYPE_PROTOS, true,
     [](const Parts& p) { return p.proto.type_protos_size() > 0; },
     [](const Parts&, Target) { return opaque("type_protos"); }},
});

const KindRule* declared_kind(const Parts& parts) {
  for (const KindRule& rule : kKindRules) {
    if (rule.type == parts.proto.type()) return &rule;
  }
  return nullptr;
}

const KindRule* first_set_kind(const Parts& parts) {
  for (const KindRule& rule : kKindRules) {
    if (rule.is_set(parts)) return &rule;
  }
  return nullptr;
}

Result<Done> set_once(std::optional<Slice>& slot, const WireField& field) {
  if (slot) {
    return fail(Errc::Corrupt,
                fmt::format("a second value at byte {}: one is expected", field.offset));
  }
  slot = field.payload;
  return Done{};
}

Result<Done> keep_apart(const WireField& field, Parts& parts) {
  switch (field.number) {
    case attribute_field::kTensor:
      return set_once(parts.tensor, field);
    case attribute_field::kGraph:
      return set_once(parts.graph, field);
    case attribute_field::kSparseTensor:
      return set_once(parts.sparse_tensor, field);
    case attribute_field::kTensors:
      parts.tensors = true;
      break;
    case attribute_field::kGraphs:
      parts.graphs = true;
      break;
    case attribute_field::kSparseTensors:
      parts.sparse_tensors = true;
      break;
    default:
      break;
  }
  return Done{};
}

Result<AttributeValue> value_of(const Parts& parts, Target target) {
  const KindRule* declared = declared_kind(parts);
  if (!parts.proto.ref_attr_name().empty()) {
    const std::string_view kind = declared == nullptr ? "" : declared->field;
    return AttributeValue{AttributeRef{parts.proto.ref_attr_name(), std::string{kind}}};
  }
  const KindRule* found = first_set_kind(parts);
  if (declared == nullptr && found == nullptr) {
    return fail(Errc::Corrupt, "neither a type nor a value that Horus knows");
  }
  const KindRule& rule = declared != nullptr ? *declared : *found;
  if (rule.is_set(parts)) return rule.value(parts, target);
  if (found != nullptr) {
    return fail(Errc::Corrupt, fmt::format("declared as '{}', but holds a value in '{}'",
                                           rule.field, found->field));
  }
  if (!rule.has_default) {
    return fail(Errc::Corrupt, fmt::format("declared as '{}', but holds none", rule.field));
  }
  return rule.value(parts, target);
}

}  // namespace

Result<Done> read_attribute(Slice message, ReadScope scope,
                            std::map<std::string, AttributeValue>& attributes, Graph& graph) {
  Parts parts;
  HORUS_TRY_DONE(
      parse_apart(attribute_field::kSpec, attribute_field::kApart, message, parts.proto,
                  [&parts](const WireField& field) { return keep_apart(field, parts); }));
  const std::string& name = parts.proto.name();
  auto value = value_of(parts, Target{scope, &graph});
  if (!value) {
    return tl::make_unexpected(
        inside(fmt::format("attribute '{}'", printable(name)), std::move(value).error()));
  }
  if (!attributes.emplace(name, std::move(*value)).second) {
    return fail(Errc::Corrupt, fmt::format("attribute '{}' is set twice", printable(name)));
  }
  return Done{};
}

}  // namespace horus::graph
