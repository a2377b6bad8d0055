// SPDX-License-Identifier: Apache-2.0
// Decides from metadata, names and uses what each graph input is.

#include "horus/graph/input_role.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "horus/base/text.hpp"
#include "horus/graph/op_rule.hpp"
#include "horus/graph/shape.hpp"

namespace horus::graph {
namespace {

std::set<std::string_view> listed(const Model& model, const char* key) {
  std::set<std::string_view> names;
  const auto found = model.metadata.find(key);
  if (found == model.metadata.end()) return names;
  for (const std::string_view part : split(found->second, ',')) {
    if (!trim(part).empty()) names.insert(trim(part));
  }
  return names;
}

bool is_fixed(const ValueInfo* info) {
  return info != nullptr && info->shape &&
         std::ranges::all_of(*info->shape, [](const Dim& dim) { return dim.size.has_value(); });
}

std::optional<InputRole> role_by_name(std::string_view name, const ValueInfo* info) {
  struct Ending {
    std::string_view text;
    InputRole role;
  };
  constexpr std::array kEndings{
      Ending{"weight", InputRole::Parameter}, Ending{"bias", InputRole::Parameter},
      Ending{"running_mean", InputRole::Buffer}, Ending{"running_var", InputRole::Buffer}};
  if (!is_fixed(info) || !is_floating(info->type)) return std::nullopt;
  for (const Ending& ending : kEndings) {
    if (!name.ends_with(ending.text)) continue;
    const std::size_t before = name.size() - ending.text.size();
    const bool is_word =
        before == 0 || std::string_view{"._/:"}.find(name[before - 1]) != std::string_view::npos;
    if (is_word) return ending.role;
  }
  return std::nullopt;
}

/// Follows one input to all its uses, through operators that pass weights on.
class Uses {
 public:
  Uses(const Model& model, const GraphIndex& index) : model_{model}, index_{index} {}

  std::optional<InputRole> role_of(ValueIndex value) const {
    std::vector<ValueIndex> open{value};
    std::optional<InputRole> role;
    while (!open.empty()) {
      const ValueIndex current = open.back();
      open.pop_back();
      for (const NodeIndex n : index_.consumers[current]) {
        const Node& node = model_.graph.nodes[n];
        if (passes_weight_on(node.op_type) && index_.inputs[n][0] == current) {
          if (!index_.outputs[n].empty() && index_.outputs[n][0] != kNone) {
            open.push_back(index_.outputs[n][0]);
          }
          continue;
        }
        const auto use = role_in(n, current, value);
        if (!use || (role && *role != *use)) return std::nullopt;
        role = use;
      }
    }
    return role;
  }

 private:
  std::optional<InputRole> role_in(NodeIndex n, ValueIndex value, ValueIndex source) const {
    const OpRule* rule = find_rule(model_.graph.nodes[n]);
    if (rule == nullptr) return std::nullopt;
    for (std::size_t i = 0; i < index_.inputs[n].size(); ++i) {
      if (index_.inputs[n][i] != value) continue;
      const char slot = slot_of(*rule, i);
      if (slot == 'w') return InputRole::Parameter;
      if (slot == 'b') return InputRole::Buffer;
      if (slot == 't' && is_embedding(n, source)) return InputRole::Parameter;
    }
    return std::nullopt;
  }

  /// A matrix of fixed size whose rows are picked by indices that are computed or fed.
  bool is_embedding(NodeIndex n, ValueIndex source) const {
    const ValueInfo* info = index_.declared[source];
    if (!is_fixed(info) || info->shape->size() != 2 || !is_floating(info->type)) return false;
    if (index_.inputs[n].size() < 2 || index_.inputs[n][1] == kNone) return false;
    const ValueIndex indices = index_.inputs[n][1];
    if (index_.initializer[indices] != nullptr) return false;
    const NodeIndex maker = index_.producer[indices];
    return maker == kNone || model_.graph.nodes[maker].op_type != "Constant";
  }

  const Model& model_;
  const GraphIndex& index_;
};

}  // namespace

bool passes_weight_on(std::string_view op_type) {
  constexpr std::array<std::string_view, 8> kNames{"Cast",      "DequantizeLinear", "Flatten",
                                                   "Identity",  "Reshape",          "Squeeze",
                                                   "Transpose", "Unsqueeze"};
  return std::ranges::find(kNames, op_type) != kNames.end();
}

std::vector<InputRole> classify_inputs(const Model& model, const GraphIndex& index) {
  const auto parameters = listed(model, kParametersKey);
  const auto buffers = listed(model, kBuffersKey);
  const Uses uses{model, index};
  std::vector<InputRole> roles;
  std::optional<std::size_t> first_by_use;
  for (const ValueIndex value : index.graph_inputs) {
    const std::string_view name = index.names[value];
    auto role = role_by_name(name, index.declared[value]);
    if (buffers.contains(name)) role = InputRole::Buffer;
    if (parameters.contains(name)) role = InputRole::Parameter;
    if (!role) {
      role = uses.role_of(value);
      if (role && !first_by_use) first_by_use = roles.size();
    }
    roles.push_back(role.value_or(InputRole::Data));
  }
  const bool has_data = std::ranges::find(roles, InputRole::Data) != roles.end();
  if (!has_data && first_by_use) roles[*first_by_use] = InputRole::Data;
  return roles;
}

}  // namespace horus::graph
