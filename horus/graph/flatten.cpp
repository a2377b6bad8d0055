// SPDX-License-Identifier: Apache-2.0
// Walks the graph of the file, copies its nodes and puts bodies in the place of calls.

#include "horus/graph/flatten.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/graph/flattener.hpp"
#include "horus/graph/onnx_graph.hpp"
#include "horus/graph/op_rule.hpp"

namespace horus::graph {
namespace {

// What a name or a number costs beside its text, roughly.
constexpr std::size_t kNameBytes = 48;
constexpr std::size_t kNumberBytes = 8;
// Longer names of nodes are not repeated in front of all names of their bodies.
constexpr std::size_t kPrefixMax = 256;

std::size_t bytes_of(const std::vector<std::string>& names) {
  std::size_t sum = 0;
  for (const std::string& name : names) sum += name.size() + kNameBytes;
  return sum;
}

/// How much memory an attribute takes, one overload for each alternative of AttributeValue.
struct AttributeBytes {
  std::size_t operator()(const std::string& text) const { return text.size(); }
  std::size_t operator()(const std::vector<std::string>& texts) const { return bytes_of(texts); }
  template <class Number>
  std::size_t operator()(const std::vector<Number>& numbers) const {
    return numbers.size() * kNumberBytes;
  }
  std::size_t operator()(const Tensor& tensor) const {
    std::size_t numbers = tensor.dims.size();
    if (tensor.integers) numbers += tensor.integers->size();
    if (tensor.floats) numbers += tensor.floats->size();
    return tensor.name.size() + numbers * kNumberBytes;
  }
  template <class Small>
  std::size_t operator()(const Small&) const {
    return kNumberBytes;
  }
};

std::size_t bytes_of(const Node& node) {
  std::size_t sum = node.name.size() + node.op_type.size() + node.domain.size();
  sum += bytes_of(node.inputs) + bytes_of(node.outputs);
  for (const auto& [name, value] : node.attributes) {
    sum += name.size() + kNameBytes + std::visit(AttributeBytes{}, value);
  }
  return sum;
}

const AttributeValue* find(const std::map<std::string, AttributeValue>* values,
                           const std::string& name) {
  if (values == nullptr) return nullptr;
  const auto found = values->find(name);
  return found == values->end() ? nullptr : &found->second;
}

/// The stretch of a flat graph that one expansion has written, so that it can be taken back.
struct Mark {
  std::size_t nodes, initializers, value_infos, regions, carried;
};

Mark mark_of(const FlatModel& flat) {
  return {.nodes = flat.model.graph.nodes.size(),
          .initializers = flat.model.graph.initializers.size(),
          .value_infos = flat.model.graph.value_infos.size(),
          .regions = flat.structure.regions.size(),
          .carried = flat.structure.carried.size()};
}

void take_back_to(const Mark& mark, FlatModel& flat) {
  flat.model.graph.nodes.resize(mark.nodes);
  flat.model.graph.initializers.resize(mark.initializers);
  flat.model.graph.value_infos.resize(mark.value_infos);
  flat.structure.region_of.resize(mark.nodes);
  flat.structure.regions.resize(mark.regions);
  flat.structure.carried.resize(mark.carried);
}

/// A Constant that may be a parameter: an array of numbers that no call sets.
bool is_weight(const Node& node) {
  if (node.op_type != "Constant" || !node.domain.empty() || node.outputs.size() != 1) return false;
  const auto found = node.attributes.find("value");
  const auto* tensor =
      found == node.attributes.end() ? nullptr : std::get_if<Tensor>(&found->second);
  return tensor != nullptr && !tensor->dims.empty() && is_floating(tensor->type);
}

Node broken(const Node& flat, std::string reason) {
  Node node{.name = flat.name,
            .op_type = std::string{structure_op::kBroken},
            .domain = std::string{kStructureDomain},
            .inputs = flat.inputs,
            .outputs = flat.outputs,
            .attributes = {}};
  node.attributes[kReason] = std::move(reason);
  node.attributes[kStandsFor] = flat.op_type;
  return node;
}

}  // namespace

Flattener::Flattener(const Model& model, const TripCounts& trips, const FlattenLimits& limits)
    : model_{model}, trips_{trips}, limits_{limits} {
  for (const Function& function : model.functions) {
    functions_.emplace(operator_id(function.domain, function.name, function.overload), &function);
  }
  for (const Tensor& tensor : model.graph.initializers) main_names_.insert(tensor.name);
  for (const ValueInfo& input : model.graph.inputs) main_names_.insert(input.name);
  for (const Node& node : model.graph.nodes) {
    main_names_.insert(node.outputs.begin(), node.outputs.end());
  }
}

Result<FlatModel> Flattener::run() {
  flat_.model.ir_version = model_.ir_version;
  flat_.model.opsets = model_.opsets;
  flat_.model.producer = model_.producer;
  flat_.model.metadata = model_.metadata;
  flat_.model.graph.name = model_.graph.name;
  flat_.model.graph.initializers = model_.graph.initializers;
  flat_.model.graph.inputs = model_.graph.inputs;
  flat_.model.graph.outputs = model_.graph.outputs;
  flat_.model.graph.value_infos = model_.graph.value_infos;
  flat_.structure.regions.emplace_back();
  const NameScope main{.outer = nullptr, .is_main = true, .names = {}};
  Body body;
  body.graph = &model_.graph;
  body.scope = &main;
  HORUS_TRY_DONE(add_nodes(body));
  return std::move(flat_);
}

Result<Done> Flattener::add_nodes(const Body& body) {
  for (const Node& node : body.graph->nodes) HORUS_TRY_DONE(add_node(node, body));
  return Done{};
}

Result<Done> Flattener::add_node(const Node& node, const Body& body) {
  const Function* function = called_by(node);
  if (function != nullptr || expansion_of(node) != nullptr) return expand(node, function, body);
  HORUS_TRY(Node flat, renamed(node, body));
  if (!body.scope->is_main && is_weight(node)) {
    if (const std::string* first = first_copy(&node)) {
      flat.op_type = "Identity";
      flat.inputs = {*first};
      flat.attributes.clear();
    } else {
      remember_copy(&node, flat.outputs[0]);
    }
  }
  emit(std::move(flat), body.region);
  return Done{};
}

const std::string* Flattener::first_copy(const void* constant) const {
  const auto found = copies_.find(constant);
  return found == copies_.end() ? nullptr : &found->second;
}

void Flattener::remember_copy(const void* constant, const std::string& name) {
  copies_.emplace(constant, name);
  copied_.push_back(constant);
}

void Flattener::forget_copies(std::size_t kept) {
  while (copied_.size() > kept) {
    copies_.erase(copied_.back());
    copied_.pop_back();
  }
}

Result<Done> Flattener::expand(const Node& node, const Function* function, const Body& body) {
  HORUS_TRY(Node flat, renamed(node, body));
  // What stands for control flow comes to a few nodes per input and output.
  HORUS_TRY_DONE(charge(4 + flat.inputs.size() + flat.outputs.size(), 0, name_of(flat)));
  const Mark mark = mark_of(flat_);
  const std::size_t copies = copied_.size();
  const Result<Done> done = function != nullptr ? expand_call(flat, *function, body)
                                                : (this->*expansion_of(node))(node, flat, body);
  if (done || done.error().code != Errc::Corrupt) return done;
  take_back_to(mark, flat_);
  forget_copies(copies);
  emit(broken(flat, done.error().message), body.region);
  return Done{};
}

Result<Node> Flattener::renamed(const Node& node, const Body& body) {
  Node flat = node;
  bind_attributes(body, flat);
  if (body.scope->is_main) return flat;
  if (!node.name.empty()) flat.name = body.prefix + node.name;
  for (std::string& input : flat.inputs) {
    if (input.empty()) continue;
    HORUS_TRY(input, require(input, *body.scope));
  }
  for (std::string& output : flat.outputs) {
    if (!output.empty()) output = body.scope->names.find(output)->second;
  }
  const Function* function = body.function;
  if (function != nullptr && function->opsets.contains("")) {
    flat.opset = function->opsets.find("")->second;
  }
  HORUS_TRY_DONE(charge(1, bytes_of(flat), name_of(flat)));
  return flat;
}

/// Given by the call, or by default, or not at all: the operator then has its own default.
void Flattener::bind_attributes(const Body& body, Node& flat) {
  for (auto entry = flat.attributes.begin(); entry != flat.attributes.end();) {
    AttributeValue& value = entry->second;
    if (std::holds_alternative<SubgraphRef>(value)) value = OpaqueValue{"g"};
    const auto* reference = std::get_if<AttributeRef>(&value);
    if (reference == nullptr || body.function == nullptr) {
      ++entry;
      continue;
    }
    const AttributeValue* bound = find(body.given, reference->name);
    if (bound == nullptr) bound = find(&body.function->defaults, reference->name);
    if (bound == nullptr) {
      entry = flat.attributes.erase(entry);
      continue;
    }
    const AttributeValue copy = *bound;
    value = std::holds_alternative<SubgraphRef>(copy) ? AttributeValue{OpaqueValue{"g"}} : copy;
    ++entry;
  }
}

const Function* Flattener::called_by(const Node& node) {
  if (functions_.empty()) return nullptr;
  const auto found = functions_.find(operator_id(node.domain, node.op_type, node.overload));
  if (found == functions_.end()) return nullptr;
  const bool has_rule = find_rule(node) != nullptr;
  return has_rule && !is_known(*found->second, 0) ? nullptr : found->second;
}

bool Flattener::is_known(const Function& function, int depth) {
  // Entered as false first, so that a circle ends.
  const auto [entry, is_new] = known_.try_emplace(&function, false);
  if (!is_new) return entry->second;
  return known_[&function] = is_known(function.body, depth);
}

bool Flattener::is_known(const Graph& graph, int depth) {
  if (depth > limits_.depth) return false;
  const bool nodes = std::ranges::all_of(graph.nodes, [&](const Node& node) {
    if (find_rule(node) != nullptr || expansion_of(node) != nullptr) return true;
    const auto found = functions_.find(operator_id(node.domain, node.op_type, node.overload));
    return found != functions_.end() && is_known(*found->second, depth + 1);
  });
  return nodes && std::ranges::all_of(graph.subgraphs, [&](const Graph& subgraph) {
           return is_known(subgraph, depth + 1);
         });
}

Result<Done> Flattener::expand_call(const Node& flat, const Function& function, const Body& body) {
  HORUS_TRY_DONE(check_depth(body, name_of(flat)));
  NameScope scope;
  Body inner;
  inner.graph = &function.body;
  inner.scope = &scope;
  inner.prefix = prefix_of(flat);
  inner.given = &flat.attributes;
  inner.function = &function;
  inner.region = body.region;
  inner.depth = body.depth + 1;
  HORUS_TRY_DONE(declare_body(flat, function, inner.prefix, scope));
  HORUS_TRY_DONE(add_nodes(inner));
  for (std::size_t i = 0; i < flat.outputs.size(); ++i) {
    if (flat.outputs[i].empty()) continue;
    HORUS_TRY(std::string result, require(function.outputs[i], scope));
    if (result == flat.outputs[i]) continue;
    if (result.empty())
      return fail(Errc::Corrupt, "an output of its function shows what is left out");
    // An output that is an input, or that is listed twice.
    Node copy{.name = "",
              .op_type = "Identity",
              .domain = "",
              .inputs = {std::move(result)},
              .outputs = {flat.outputs[i]},
              .attributes = {}};
    emit(std::move(copy), body.region);
  }
  return Done{};
}

/// Parameters get the names of the call; what its nodes make as results, too; all else a name of
/// its own.
Result<Done> Flattener::declare_body(const Node& flat, const Function& function,
                                     std::string_view prefix, NameScope& scope) {
  if (flat.inputs.size() > function.inputs.size() ||
      flat.outputs.size() > function.outputs.size()) {
    return fail(Errc::Corrupt,
                fmt::format("the call has {} inputs and {} outputs, its function {} and {}",
                            flat.inputs.size(), flat.outputs.size(), function.inputs.size(),
                            function.outputs.size()));
  }
  for (std::size_t i = 0; i < function.inputs.size(); ++i) {
    HORUS_TRY_DONE(
        declare(function.inputs[i], i < flat.inputs.size() ? flat.inputs[i] : "", scope));
  }
  std::map<std::string_view, const std::string*> results;
  for (std::size_t i = 0; i < flat.outputs.size(); ++i) {
    if (!flat.outputs[i].empty()) results.emplace(function.outputs[i], &flat.outputs[i]);
  }
  for (const Node& node : function.body.nodes) {
    for (const std::string& output : node.outputs) {
      if (output.empty()) continue;
      const auto result = results.find(output);
      HORUS_TRY_DONE(declare(
          output, result != results.end() ? *result->second : fresh(std::string{prefix} + output),
          scope));
    }
  }
  return Done{};
}

Result<Done> Flattener::declare(std::string_view name, std::string flat_name, NameScope& scope) {
  HORUS_TRY_DONE(charge(0, flat_name.size() + 2 * kNameBytes, name));
  if (scope.names.try_emplace(name, std::move(flat_name)).second) return Done{};
  return fail(Errc::Corrupt,
              fmt::format("value '{}' is defined twice in its body", printable(name)));
}

std::optional<std::string> Flattener::resolve(std::string_view name, const NameScope& scope) const {
  for (const NameScope* at = &scope; at != nullptr; at = at->outer) {
    if (at->is_main) {
      return main_names_.contains(name) ? std::optional{std::string{name}} : std::nullopt;
    }
    const auto found = at->names.find(name);
    if (found != at->names.end()) return found->second;
  }
  return std::nullopt;
}

Result<std::string> Flattener::require(std::string_view name, const NameScope& scope) const {
  auto found = resolve(name, scope);
  if (found) return std::move(*found);
  return fail(Errc::Corrupt,
              fmt::format("value '{}' is used in its body, but neither the body nor what is around "
                          "it makes it",
                          printable(name)));
}

bool Flattener::is_taken(const std::string& name) const {
  return main_names_.contains(name) || made_names_.contains(name);
}

std::string Flattener::fresh(std::string wanted) {
  std::string name = wanted;
  while (is_taken(name)) name = fmt::format("{}#{}", wanted, next_suffix_++);
  made_names_.insert(name);
  return name;
}

std::string Flattener::prefix_of(const Node& flat) {
  const std::string_view name = name_of(flat);
  if (name.size() <= kPrefixMax) return fmt::format("{}/", name);
  return fmt::format("#{}/", next_suffix_++);
}

Result<Done> Flattener::charge(std::size_t nodes, std::size_t bytes, std::string_view where) {
  nodes_ += nodes;
  bytes_ += bytes;
  if (nodes_ > limits_.nodes) {
    return fail(Errc::Unsupported,
                fmt::format("functions and subgraphs expand to more than {} nodes, the most that "
                            "Horus follows",
                            limits_.nodes),
                printable(where));
  }
  if (bytes_ > limits_.bytes) {
    return fail(Errc::Unsupported,
                fmt::format("functions and subgraphs expand to more than {} bytes of names and "
                            "constants, the most that Horus follows",
                            limits_.bytes),
                printable(where));
  }
  return Done{};
}

Result<Done> Flattener::check_depth(const Body& body, std::string_view where) const {
  if (body.depth < limits_.depth) return Done{};
  return fail(Errc::Unsupported,
              fmt::format("functions and subgraphs nested more than {} deep, the most that Horus "
                          "follows",
                          limits_.depth),
              printable(where));
}

NodeIndex Flattener::emit(Node node, std::uint32_t region) {
  flat_.model.graph.nodes.push_back(std::move(node));
  flat_.structure.region_of.push_back(region);
  return last_node();
}

bool is_flat(const Model& model) {
  return model.functions.empty() && model.graph.subgraphs.empty();
}

Result<FlatModel> flatten(const Model& model, const TripCounts& trips,
                          const FlattenLimits& limits) {
  HORUS_TRY(FlatModel flat, Flattener(model, trips, limits).run());
  for (const auto& entry : trips) {
    const std::string& name = entry.first;
    if (entry.second < 0 || entry.second > kTripsMax) {
      return fail(Errc::InvalidArgument,
                  fmt::format("loop '{}' is given {} trips, expected 0 to 2^31", printable(name),
                              entry.second),
                  "dim");
    }
    const bool is_loop = std::ranges::any_of(flat.structure.regions, [&](const Region& region) {
      return region.kind == RegionKind::Repeated && region.name == name;
    });
    if (is_loop) continue;
    return fail(Errc::InvalidArgument,
                fmt::format("the model has no loop '{}' that a trip count could be given for",
                            printable(name)),
                "dim");
  }
  return flat;
}

}  // namespace horus::graph
