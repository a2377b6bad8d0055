// SPDX-License-Identifier: Apache-2.0
// Puts the bodies of If, Loop and Scan into the flat graph, between nodes that slice, carry, stack
// and merge.

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/graph/flattener.hpp"
#include "horus/graph/inference.hpp"
#include "horus/graph/op_rule.hpp"

namespace horus::graph {
namespace {

constexpr std::int64_t kScanWithAxes = 9;  ///< Until version 8 a Scan has a batch and no axes.

Result<const Graph*> subgraph_of(const Node& node, const char* attribute, const Body& body) {
  const auto found = node.attributes.find(attribute);
  const auto* reference =
      found == node.attributes.end() ? nullptr : std::get_if<SubgraphRef>(&found->second);
  if (reference != nullptr && reference->index < body.graph->subgraphs.size()) {
    return &body.graph->subgraphs[reference->index];
  }
  return fail(Errc::Corrupt, fmt::format("it has no subgraph '{}'", attribute));
}

Result<Done> check_count(std::string_view what, std::size_t found, std::size_t expected) {
  if (found == expected) return Done{};
  return fail(Errc::Corrupt, fmt::format("{} {}, expected {}", found, what, expected));
}

std::vector<std::int64_t> integers_of(const Node& node, const char* attribute) {
  const auto found = node.attributes.find(attribute);
  if (found == node.attributes.end()) return {};
  const auto* list = std::get_if<std::vector<std::int64_t>>(&found->second);
  return list == nullptr ? std::vector<std::int64_t>{} : *list;
}

std::string at(const Names& names, std::size_t i) {
  return i < names.size() ? names[i] : std::string{};
}

std::int64_t at(const std::vector<std::int64_t>& numbers, std::size_t i) {
  return i < numbers.size() ? numbers[i] : 0;
}

}  // namespace

Flattener::Expansion Flattener::expansion_of(const Node& node) {
  struct Row {
    std::string_view op_type;
    Expansion expansion;
  };
  constexpr std::array kRows{Row{"If", &Flattener::expand_if}, Row{"Loop", &Flattener::expand_loop},
                             Row{"Scan", &Flattener::expand_scan},
                             Row{"SequenceMap", &Flattener::expand_map}};
  if (!node.domain.empty()) return nullptr;
  const auto* found = std::ranges::find(kRows, node.op_type, &Row::op_type);
  return found == kRows.end() ? nullptr : found->expansion;
}

Result<Done> Flattener::expand_if(const Node& node, const Node& flat, const Body& body) {
  HORUS_TRY(const Graph* then_graph, subgraph_of(node, "then_branch", body));
  HORUS_TRY(const Graph* else_graph, subgraph_of(node, "else_branch", body));
  HORUS_TRY_DONE(check_count("inputs", flat.inputs.size(), 1));
  HORUS_TRY_DONE(
      check_count("outputs of the then_branch", then_graph->outputs.size(), flat.outputs.size()));
  HORUS_TRY_DONE(
      check_count("outputs of the else_branch", else_graph->outputs.size(), flat.outputs.size()));
  const Site site{flat, body, body.region};
  const std::string choice = structure_node(structure_op::kChoice, {flat.inputs[0]}, site);
  const Site then_site = open_region(RegionKind::Then, site);
  const Site else_site = open_region(RegionKind::Else, site);
  auto& regions = flat_.structure.regions;
  regions[else_site.region].control = regions[then_site.region].control;
  regions[then_site.region].sibling = else_site.region;
  regions[else_site.region].sibling = then_site.region;
  HORUS_TRY(const Names thens, inline_graph(*then_graph, {}, "then_branch", then_site));
  HORUS_TRY(const Names elses, inline_graph(*else_graph, {}, "else_branch", else_site));
  for (std::size_t i = 0; i < flat.outputs.size(); ++i) {
    structure_node(structure_op::kMerge, {thens[i], elses[i], choice}, site, {}, flat.outputs[i]);
  }
  return Done{};
}

Result<Done> Flattener::expand_loop(const Node& node, const Node& flat, const Body& body) {
  HORUS_TRY(const Graph* inner, subgraph_of(node, "body", body));
  const std::size_t states = flat.inputs.size() < 2 ? 0 : flat.inputs.size() - 2;
  HORUS_TRY_DONE(check_count("inputs of the body", inner->inputs.size(), states + 2));
  HORUS_TRY_DONE(
      check_count("outputs of the body", inner->outputs.size(), flat.outputs.size() + 1));
  if (flat.outputs.size() < states) {
    return fail(Errc::Corrupt,
                fmt::format("{} outputs for {} loop-carried values", flat.outputs.size(), states));
  }
  const Site site{flat, body, body.region};
  const Names initial(flat.inputs.begin() +
                          static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, flat.inputs.size())),
                      flat.inputs.end());
  const Surroundings around = surroundings_of({initial, 2, 1}, *inner, site);
  const Attributes ending = ending_of(*inner, around);
  const std::string trips = loop_trips(*inner, around, ending, site);
  const Site inside = open_region(RegionKind::Repeated, site);
  // A body only runs where its condition holds, unless the loop has none and ignores the next ones.
  const bool has_condition = !at(flat.inputs, 1).empty();
  Names inputs{structure_node(structure_op::kLoopCounter, {trips}, inside),
               structure_node(structure_op::kLoopCondition, {trips}, inside,
                              has_condition ? Attributes{{kContinues, std::int64_t{1}}} : ending)};
  const std::vector<Carried> carried = enter_states({initial, 2, 1}, around, trips, inside);
  for (const Carried& state : carried) inputs.push_back(state.entry);
  HORUS_TRY(const Names outputs, inline_graph(*inner, inputs, "body", inside));
  for (std::size_t i = 0; i < flat.outputs.size(); ++i) {
    if (i < states) {
      leave_state(carried[i], outputs[i + 1], trips, flat.outputs[i], site);
    } else {
      structure_node(structure_op::kStack, {outputs[i + 1], trips}, site,
                     {{"axis", std::int64_t{0}}}, flat.outputs[i]);
    }
  }
  return Done{};
}

Result<Done> Flattener::expand_scan(const Node& node, const Node& flat, const Body& body) {
  HORUS_TRY(const Graph* inner, subgraph_of(node, "body", body));
  const bool has_batch = opset_of(model_, flat) < kScanWithAxes;
  const std::size_t first = has_batch ? 1 : 0;  // The lengths of sequences come before.
  const auto found = flat.attributes.find("num_scan_inputs");
  const auto* scans =
      found == flat.attributes.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
  const std::size_t given = flat.inputs.size() - std::min(first, flat.inputs.size());
  if (scans == nullptr || *scans < 1 || static_cast<std::size_t>(*scans) > given) {
    return fail(Errc::Corrupt, "attribute 'num_scan_inputs' does not fit its inputs");
  }
  const auto split = flat.inputs.end() - static_cast<std::ptrdiff_t>(*scans);
  ScanPlan plan;
  plan.states.assign(flat.inputs.begin() + static_cast<std::ptrdiff_t>(first), split);
  plan.scans.assign(split, flat.inputs.end());
  plan.results = flat.outputs;
  HORUS_TRY_DONE(check_count("inputs of the body", inner->inputs.size(), given));
  HORUS_TRY_DONE(check_count("outputs of the body", inner->outputs.size(), flat.outputs.size()));
  if (flat.outputs.size() < plan.states.size()) {
    return fail(Errc::Corrupt, fmt::format("{} outputs for {} loop-carried values",
                                           flat.outputs.size(), plan.states.size()));
  }
  const Site site{flat, body, body.region};
  if (has_batch) return scan_batch(*inner, plan, site);
  plan.axes_in = integers_of(flat, "scan_input_axes");
  plan.axes_out = integers_of(flat, "scan_output_axes");
  return scan(*inner, plan, site);
}

Result<Done> Flattener::scan(const Graph& inner, const ScanPlan& plan, const Site& site) {
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < plan.scans.size(); ++i) axes.push_back(at(plan.axes_in, i));
  const std::string trips =
      structure_node(structure_op::kScanTrips, plan.scans, site, {{"axes", axes}});
  const Site inside = open_region(RegionKind::Repeated, site);
  const Surroundings around = surroundings_of({plan.states, 0, 0}, inner, site);
  const std::vector<Carried> carried = enter_states({plan.states, 0, 0}, around, trips, inside);
  Names inputs;
  for (const Carried& state : carried) inputs.push_back(state.entry);
  for (std::size_t i = 0; i < plan.scans.size(); ++i) {
    inputs.push_back(
        structure_node(structure_op::kScanSlice, {plan.scans[i]}, inside, {{"axis", axes[i]}}));
  }
  HORUS_TRY(const Names outputs, inline_graph(inner, inputs, "body", inside));
  for (std::size_t i = 0; i < plan.results.size(); ++i) {
    if (i < carried.size()) {
      leave_state(carried[i], outputs[i], trips, plan.results[i], site);
    } else {
      structure_node(structure_op::kStack, {outputs[i], trips}, site,
                     {{"axis", at(plan.axes_out, i - carried.size())}}, plan.results[i]);
    }
  }
  return Done{};
}

/// Version 8: the body sees one sample, so a scan along axis 0 runs once per sample of a batch.
Result<Done> Flattener::scan_batch(const Graph& inner, const ScanPlan& plan, const Site& site) {
  const Attributes first_axis{{"axis", std::int64_t{0}}};
  const std::vector<std::int64_t> axes(plan.scans.size(), 0);
  const std::string samples =
      structure_node(structure_op::kScanTrips, plan.scans, site, {{"axes", axes}});
  const Site inside = open_region(RegionKind::Repeated, site);
  ScanPlan sample;
  for (const std::string& state : plan.states) {
    sample.states.push_back(structure_node(structure_op::kScanSlice, {state}, inside, first_axis));
  }
  for (const std::string& values : plan.scans) {
    sample.scans.push_back(structure_node(structure_op::kScanSlice, {values}, inside, first_axis));
  }
  const std::string prefix = prefix_of(site.flat);
  for (std::size_t i = 0; i < plan.results.size(); ++i) {
    sample.results.push_back(fresh(fmt::format("{}sample_{}", prefix, i)));
  }
  HORUS_TRY_DONE(scan(inner, sample, inside));
  for (std::size_t i = 0; i < plan.results.size(); ++i) {
    structure_node(structure_op::kStack, {sample.results[i], samples}, site, first_axis,
                   plan.results[i]);
  }
  return Done{};
}

/// Once per tensor of the first sequence; other inputs are sequences as long, or plain tensors.
Result<Done> Flattener::expand_map(const Node& node, const Node& flat, const Body& body) {
  HORUS_TRY(const Graph* inner, subgraph_of(node, "body", body));
  if (flat.inputs.empty()) return fail(Errc::Corrupt, "it has no sequence to map");
  HORUS_TRY_DONE(check_count("outputs of the body", inner->outputs.size(), flat.outputs.size()));
  const Site site{flat, body, body.region};
  const std::string trips = fresh(fmt::format("{}SequenceLength", prefix_of(flat)));
  emit(Node{.name = trips,
            .op_type = "SequenceLength",
            .domain = "",
            .inputs = {flat.inputs[0]},
            .outputs = {trips},
            .attributes = {}},
       site.region);
  const Site inside = open_region(RegionKind::Repeated, site);
  Names inputs;
  for (const std::string& input : flat.inputs) {
    inputs.push_back(structure_node(structure_op::kMapElement, {input}, inside));
  }
  HORUS_TRY(const Names outputs, inline_graph(*inner, inputs, "body", inside));
  for (std::size_t i = 0; i < flat.outputs.size(); ++i) {
    structure_node(structure_op::kMapCollect, {outputs[i], trips}, site, {}, flat.outputs[i]);
  }
  return Done{};
}

Result<Names> Flattener::inline_graph(const Graph& inner, const Names& inputs,
                                      std::string_view label, const Site& site) {
  HORUS_TRY_DONE(check_depth(site.body, name_of(site.flat)));
  HORUS_TRY_DONE(check_count(fmt::format("inputs of subgraph '{}'", label), inner.inputs.size(),
                             inputs.size()));
  NameScope scope;
  scope.outer = site.body.scope;
  Body body = site.body;
  body.graph = &inner;
  body.scope = &scope;
  body.prefix = fmt::format("{}{}/", prefix_of(site.flat), label);
  body.region = site.region;
  body.depth = site.body.depth + 1;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    HORUS_TRY_DONE(declare(inner.inputs[i].name, inputs[i], scope));
  }
  HORUS_TRY_DONE(declare_graph(inner, body.prefix, scope));
  HORUS_TRY_DONE(copy_declarations(inner, scope));
  HORUS_TRY_DONE(add_nodes(body));
  Names outputs;
  for (const ValueInfo& output : inner.outputs) {
    HORUS_TRY(std::string name, require(output.name, scope));
    if (name.empty()) {
      return fail(Errc::Corrupt, fmt::format("output '{}' of subgraph '{}' shows what is left out",
                                             printable(output.name), label));
    }
    outputs.push_back(std::move(name));
  }
  return outputs;
}

/// Gives constants and what nodes make names of their own, and copies the constants.
Result<Done> Flattener::declare_graph(const Graph& inner, const std::string& prefix,
                                      NameScope& scope) {
  for (const Tensor& tensor : inner.initializers) {
    // An input with a value of its own to fall back on: it is always given.
    if (scope.names.contains(tensor.name)) continue;
    if (const std::string* first = first_copy(&tensor)) {
      HORUS_TRY_DONE(declare(tensor.name, *first, scope));
      continue;
    }
    Tensor copy = tensor;
    copy.name = fresh(prefix + tensor.name);
    HORUS_TRY_DONE(declare(tensor.name, copy.name, scope));
    const std::size_t numbers = tensor.dims.size() +
                                (tensor.integers ? tensor.integers->size() : 0) +
                                (tensor.floats ? tensor.floats->size() : 0);
    HORUS_TRY_DONE(charge(1, numbers * sizeof(std::int64_t), tensor.name));
    remember_copy(&tensor, copy.name);
    flat_.model.graph.initializers.push_back(std::move(copy));
  }
  for (const Node& node : inner.nodes) {
    for (const std::string& output : node.outputs) {
      if (output.empty()) continue;
      HORUS_TRY_DONE(declare(output, fresh(prefix + output), scope));
    }
  }
  return Done{};
}

Result<Done> Flattener::copy_declarations(const Graph& inner, const NameScope& scope) {
  for (const auto* list : {&inner.value_infos, &inner.outputs}) {
    for (const ValueInfo& info : *list) {
      const auto found = scope.names.find(info.name);
      if (found == scope.names.end() || found->second.empty()) continue;
      const std::size_t axes = info.shape ? info.shape->size() : 0;
      HORUS_TRY_DONE(charge(0, found->second.size() + axes * sizeof(Dim), info.name));
      flat_.model.graph.value_infos.push_back(info);
      flat_.model.graph.value_infos.back().name = found->second;
    }
  }
  return Done{};
}

/// The node that was emitted last decides over the region.
Flattener::Site Flattener::open_region(RegionKind kind, const Site& site) {
  Region region;
  region.kind = kind;
  region.parent = site.region;
  region.control = last_node();
  region.name = std::string{name_of(site.flat)};
  flat_.structure.regions.push_back(std::move(region));
  return {site.flat, site.body, static_cast<std::uint32_t>(flat_.structure.regions.size() - 1)};
}

/// Returns the name of the one output: `result`, or a new one where that is empty.
std::string Flattener::structure_node(std::string_view op, Names inputs, const Site& site,
                                      Attributes attributes, std::string result) {
  if (result.empty()) result = fresh(fmt::format("{}{}", prefix_of(site.flat), op));
  attributes[kStandsFor] = site.flat.op_type;
  Node node{.name = fmt::format("{}{}", prefix_of(site.flat), op),
            .op_type = std::string{op},
            .domain = std::string{kStructureDomain},
            .inputs = std::move(inputs),
            .outputs = {result},
            .attributes = std::move(attributes)};
  emit(std::move(node), site.region);
  return result;
}

}  // namespace horus::graph
