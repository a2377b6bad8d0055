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
#include "horus/graph/flatten.hpp"
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

/// PyTorch's exporters list the data first and the weights behind it, some of them under names that
/// say nothing ("onnx::MatMul_795"): what follows a weight is one if it could be.
bool is_weight_shaped(const ValueInfo* info) { return is_fixed(info) && is_floating(info->type); }

struct Ending {
  std::string_view text;
  InputRole role;
};
// How PyTorch and Keras name parameters and state.
constexpr std::array kEndings{
    Ending{"weight", InputRole::Parameter},        Ending{"bias", InputRole::Parameter},
    Ending{"kernel", InputRole::Parameter},        Ending{"gamma", InputRole::Parameter},
    Ending{"beta", InputRole::Parameter},          Ending{"running_mean", InputRole::Buffer},
    Ending{"running_var", InputRole::Buffer},      Ending{"moving_mean", InputRole::Buffer},
    Ending{"moving_variance", InputRole::Buffer},  Ending{"cls_token", InputRole::Parameter},
    Ending{"class_token", InputRole::Parameter},   Ending{"pos_embed", InputRole::Parameter},
    Ending{"pos_embedding", InputRole::Parameter}, Ending{"layer_scale", InputRole::Parameter},
    Ending{"bias_table", InputRole::Parameter},
};

/// Recurrent layers of PyTorch: "lstm.weight_ih_l0", "lstm.bias_hh_l1_reverse".
bool is_recurrent_parameter(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? name : name.substr(dot + 1);
  return (last.starts_with("weight_") || last.starts_with("bias_")) &&
         last.find("_l") != std::string_view::npos;
}

std::optional<InputRole> role_by_name(std::string_view name, const ValueInfo* info) {
  if (!is_fixed(info)) return std::nullopt;
  if (name.ends_with("num_batches_tracked")) return InputRole::Buffer;
  if (!is_floating(info->type)) return std::nullopt;
  if (is_recurrent_parameter(name)) return InputRole::Parameter;
  for (const Ending& ending : kEndings) {
    if (!name.ends_with(ending.text)) continue;
    const std::size_t before = name.size() - ending.text.size();
    const bool is_word =
        before == 0 || std::string_view{"._/:"}.find(name[before - 1]) != std::string_view::npos;
    if (is_word) return ending.role;
  }
  return std::nullopt;
}

/// A path into a module, as state dictionaries have them: "blocks.3.gamma_1". Inputs of traced
/// functions end with a number instead: "input.1".
std::optional<InputRole> role_by_path(std::string_view name, const ValueInfo* info) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == name.size() || !is_fixed(info)) return {};
  const bool is_number =
      name.substr(dot + 1).find_first_not_of("0123456789") == std::string_view::npos;
  if (is_number) return std::nullopt;
  return is_floating(info->type) ? InputRole::Parameter : InputRole::Buffer;
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

  /// True where an array of the file stands in the place of weights.
  [[nodiscard]] bool has_own_weights() const {
    for (ValueIndex value = 0; value < index_.names.size(); ++value) {
      const Tensor* tensor = index_.initializer[value];
      if (tensor == nullptr || !is_floating(tensor->type) || !is_array(*tensor)) continue;
      if (role_of(value) == InputRole::Parameter) return true;
    }
    return false;
  }

 private:
  static bool is_array(const Tensor& tensor) {
    return std::ranges::any_of(tensor.dims, [](std::int64_t size) { return size > 1; });
  }

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
  constexpr std::array<std::string_view, 9> kNames{
      "Cast",    "DequantizeLinear", "Flatten",  "Identity", "Reshape", structure_op::kScanSlice,
      "Squeeze", "Transpose",        "Unsqueeze"};
  return std::ranges::find(kNames, op_type) != kNames.end();
}

std::vector<InputRole> classify_inputs(const Model& model, const GraphIndex& index) {
  const auto parameters = listed(model, kParametersKey);
  const auto buffers = listed(model, kBuffersKey);
  const auto by_name = [&](ValueIndex value) -> std::optional<InputRole> {
    const std::string_view name = index.names[value];
    if (parameters.contains(name)) return InputRole::Parameter;
    if (buffers.contains(name)) return InputRole::Buffer;
    return role_by_name(name, index.declared[value]);
  };
  // Where some inputs are parameters by their names, paths name the others.
  const bool has_parameters = std::ranges::any_of(
      index.graph_inputs, [&](ValueIndex value) { return by_name(value) == InputRole::Parameter; });
  const Uses uses{model, index};
  // A file that brings weights along, and names none among its inputs, is fed data only.
  const bool judges_by_use = has_parameters || !uses.has_own_weights();
  std::vector<InputRole> roles;
  std::optional<std::size_t> first_by_use;
  bool has_data = false;
  bool has_weights = false;  // Behind data, and by their names.
  for (const ValueIndex value : index.graph_inputs) {
    auto role = by_name(value);
    has_weights = has_weights || (role && has_data);
    if (!role && has_parameters) role = role_by_path(index.names[value], index.declared[value]);
    if (!role && judges_by_use) {
      role = uses.role_of(value);
      if (role && !first_by_use) first_by_use = roles.size();
    }
    const bool follows_weights = has_weights && parameters.empty();
    if (!role && follows_weights && is_weight_shaped(index.declared[value])) {
      role = InputRole::Parameter;
    }
    has_data = has_data || !role;
    roles.push_back(role.value_or(InputRole::Data));
  }
  if (!has_data && first_by_use) roles[*first_by_use] = InputRole::Data;
  return roles;
}

}  // namespace horus::graph
