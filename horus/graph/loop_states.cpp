// SPDX-License-Identifier: Apache-2.0
// What a loop has from around it, hands from trip to trip and leaves behind.

#include <string>
#include <utility>

#include "horus/graph/flattener.hpp"

namespace horus::graph {

/// What the body alone says of its next condition; nothing where that depends on other values.
Flattener::Attributes Flattener::ending_of(const Graph& inner, const Surroundings& around) {
  const std::string& next = inner.outputs[0].name;
  if (around.shown.source(next) == inner.inputs[1].name) return {{kContinues, std::int64_t{1}}};
  const auto constant = around.shown.constant(next);
  if (!constant) return {};
  return {{kContinues, std::int64_t{*constant ? 1 : 0}}};
}

std::string Flattener::loop_trips(const Graph& inner, const Surroundings& around,
                                  const Attributes& ending, const Site& site) {
  Attributes settings = ending;
  const auto given = trips_.find(name_of(site.flat));
  if (given != trips_.end()) settings[kGiven] = given->second;
  Names inputs = site.flat.inputs;
  inputs.resize(2);  // States are no business of the count, and a loop may have no other inputs.
  std::string next = ending.empty() ? value_around(inner.outputs[0].name, around) : "";
  if (!next.empty()) inputs.push_back(std::move(next));
  return structure_node(structure_op::kLoopTrips, std::move(inputs), site, std::move(settings));
}

Flattener::Surroundings Flattener::surroundings_of(const States& states, const Graph& inner,
                                                   const Site& site) {
  Surroundings around{
      .body = inner, .shown = PassThrough{inner}, .unchanged = {}, .scope = *site.body.scope};
  for (std::size_t i = 0; i < states.initial.size(); ++i) {
    const std::string& input = inner.inputs[states.first_input + i].name;
    const std::string& output = inner.outputs[states.first_output + i].name;
    if (around.shown.source(output) == input) around.unchanged.emplace(input, states.initial[i]);
  }
  return around;
}

/// The value of the flat graph that `name` of a body is in every trip; "" where trips make it.
std::string Flattener::value_around(std::string_view name, const Surroundings& around) const {
  name = around.shown.source(name);
  const auto state = around.unchanged.find(name);
  if (state != around.unchanged.end()) return state->second;
  if (!around.shown.is_from_outside(name)) return {};
  return resolve(name, around.scope).value_or("");
}

/// A value that no trip changes enters the body as it is.
std::vector<Flattener::Carried> Flattener::enter_states(const States& states,
                                                        const Surroundings& around,
                                                        const std::string& trips,
                                                        const Site& inside) {
  std::vector<Carried> carried;
  for (std::size_t i = 0; i < states.initial.size(); ++i) {
    const std::string& initial = states.initial[i];
    Carried state{.initial = initial, .entry = initial};
    if (!around.unchanged.contains(around.body.inputs[states.first_input + i].name)) {
      state.next = value_around(around.body.outputs[states.first_output + i].name, around);
      state.entry = structure_node(structure_op::kLoopState, {initial, trips}, inside);
      state.node = last_node();
    }
    carried.push_back(std::move(state));
  }
  return carried;
}

void Flattener::leave_state(const Carried& state, const std::string& next, const std::string& trips,
                            const std::string& result, const Site& site) {
  if (state.node == kNone) {
    if (result.empty()) return;
    Node copy{.name = "",
              .op_type = "Identity",
              .domain = "",
              .inputs = {state.initial},
              .outputs = {result},
              .attributes = {}};
    emit(std::move(copy), site.region);
    return;
  }
  const std::string& last = state.next.empty() ? next : state.next;
  structure_node(structure_op::kLoopResult, {last, state.initial, trips}, site, {}, result);
  flat_.structure.carried.push_back({.entry = state.node, .result = last_node()});
}

}  // namespace horus::graph
