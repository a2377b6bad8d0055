// SPDX-License-Identifier: Apache-2.0
// One pass in topological order: claims weights where they are used and passes gradients on.

#include "horus/graph/training.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "horus/graph/attention_mask.hpp"
#include "horus/graph/op_rule.hpp"
#include "horus/graph/shape.hpp"

namespace horus::graph {
namespace {

/// How readily a value without data behind it is taken for a parameter.
enum class Claim {
  None,        ///< Computed from data, or unknown.
  WeightOnly,  ///< A constant of the code: only where an operator holds its weights.
  Anywhere,    ///< An initializer: also in plain arithmetic.
};

class Pass {
 public:
  /// `carries_gradient`: per node, true for what enters a loop with a gradient from its last trip;
  /// empty where nothing does.
  Pass(const Model& model, const GraphIndex& index, const std::vector<InputRole>& roles,
       const Inference& inference, const std::vector<bool>& carries_gradient)
      : model_{model},
        index_{index},
        inference_{inference},
        carries_gradient_{carries_gradient},
        masks_{model, index, inference} {
    const std::size_t values = index.names.size();
    found_.part.assign(values, Part::Activation);
    found_.needs_gradient.assign(values, false);
    found_.source.assign(values, kNone);
    claim_.assign(values, Claim::None);
    is_trained_.assign(values, false);
    is_buffer_.assign(values, false);
    seed(roles);
    constants_are_weights_ = finds_weights_in_constants();
  }

  Training run() {
    for (const NodeIndex n : index_.order) visit(n);
    for (ValueIndex value = 0; value < found_.source.size(); ++value) {
      const ValueIndex source = found_.source[value];
      if (source == kNone) continue;
      found_.part[value] = is_trained_[source] ? Part::Trained : Part::Fixed;
      found_.needs_gradient[value] = is_trained_[source];
    }
    return std::move(found_);
  }

 private:
  void seed(const std::vector<InputRole>& roles) {
    for (ValueIndex value = 0; value < index_.names.size(); ++value) {
      if (index_.initializer[value] != nullptr) start(value, Claim::Anywhere);
    }
    for (std::size_t i = 0; i < roles.size(); ++i) {
      const ValueIndex value = index_.graph_inputs[i];
      if (roles[i] == InputRole::Data) continue;
      start(value, Claim::Anywhere);
      if (roles[i] == InputRole::Parameter) train(value);
      if (roles[i] == InputRole::Buffer) hold(value);
    }
  }

  /// Some exporters (of Paddle, and of branches of If) write all weights as Constant nodes: then
  /// constants are what initializers are elsewhere. Told by a file without any weight outside of
  /// nodes and with a constant where an operator holds its weights.
  [[nodiscard]] bool finds_weights_in_constants() const {
    const auto is_array = [this](ValueIndex value) {
      const auto& fact = inference_.facts[value];
      return fact && is_floating(fact->type) && elements(fact->shape) > 1;
    };
    for (ValueIndex value = 0; value < index_.names.size(); ++value) {
      if (claim_[value] == Claim::Anywhere && is_array(value)) return false;
    }
    const auto holds_constant = [&](NodeIndex n) {
      const OpRule* rule = find_rule(model_.graph.nodes[n]);
      for (std::size_t i = 0; rule != nullptr && i < index_.inputs[n].size(); ++i) {
        const ValueIndex value = index_.inputs[n][i];
        const char slot = slot_of(*rule, i);
        if (value == kNone || (slot != 'w' && slot != 'm') || !is_array(value)) continue;
        const NodeIndex maker = index_.producer[value];
        if (maker != kNone && model_.graph.nodes[maker].op_type == "Constant") return true;
      }
      return false;
    };
    return std::ranges::any_of(index_.order, holds_constant);
  }

  void start(ValueIndex value, Claim claim) {
    found_.source[value] = value;
    found_.part[value] = Part::Fixed;
    claim_[value] = claim;
  }

  void train(ValueIndex source) {
    if (is_trained_[source] || is_buffer_[source]) return;
    is_trained_[source] = true;
    found_.trained.push_back(source);
  }

  void hold(ValueIndex source) {
    if (is_trained_[source] || is_buffer_[source]) return;
    is_buffer_[source] = true;
    found_.buffers.push_back(source);
  }

  void visit(NodeIndex n) {
    const Node& node = model_.graph.nodes[n];
    const OpRule* rule = find_rule(node);
    if (rule == nullptr) return set_outputs(n, Gradient::Flows);
    if (changes_by_trip(node)) return set_trip_value(n);
    if (starts_constant(n)) return;
    if (passes_on(n)) return;
    for (std::size_t i = 0; i < index_.inputs[n].size(); ++i) claim(n, *rule, i);
    set_outputs(n, rule->gradient);
  }

  static bool changes_by_trip(const Node& node) {
    constexpr std::array kNames{structure_op::kLoopCondition, structure_op::kLoopCounter,
                                structure_op::kLoopState};
    return node.domain == kStructureDomain &&
           std::ranges::find(kNames, node.op_type) != kNames.end();
  }

  /// Computed in each trip anew, even where the first value is a constant.
  void set_trip_value(NodeIndex n) {
    set_outputs(n, Gradient::Flows);
    const ValueIndex value = index_.outputs[n][0];
    const auto& fact = inference_.facts[value];
    if (!fact || !fact->contents) found_.part[value] = Part::Activation;
    if (!carries_gradient_.empty() && carries_gradient_[n]) found_.needs_gradient[value] = true;
  }

  /// Constant, and ConstantOfShape of a known shape. A filling of 0 or 1 is a mask or an initial
  /// state of the code; weights replaced by a filling carry another number.
  bool starts_constant(NodeIndex n) {
    const Node& node = model_.graph.nodes[n];
    const bool is_filling = node.op_type == "ConstantOfShape" && all_static(n);
    if (node.op_type != "Constant" && !is_filling) return false;
    Claim claim = constants_are_weights_ && !is_filling ? Claim::Anywhere : Claim::WeightOnly;
    if (is_filling) {
      const auto found = node.attributes.find("value");
      const Tensor* value =
          found == node.attributes.end() ? nullptr : std::get_if<Tensor>(&found->second);
      const bool has_number = value != nullptr && value->floats && !value->floats->empty();
      const double number = has_number ? value->floats->front() : 0.0;
      if (number != 0.0 && number != 1.0) claim = Claim::Anywhere;
    }
    for (const ValueIndex value : index_.outputs[n]) {
      if (value != kNone) start(value, claim);
    }
    return true;
  }

  /// A weight seen under another shape, type or order is still that weight.
  bool passes_on(NodeIndex n) {
    const std::string_view op = model_.graph.nodes[n].op_type;
    const bool cuts_triangle = op == "Trilu";
    if (!cuts_triangle && !passes_weight_on(op)) return false;
    if (index_.inputs[n].empty() || index_.outputs[n].empty()) return false;
    const ValueIndex value = index_.inputs[n][0];
    const ValueIndex output = index_.outputs[n][0];
    if (value == kNone || output == kNone || found_.source[value] == kNone) return false;
    found_.source[output] = found_.source[value];
    found_.part[output] = Part::Fixed;
    // A triangle is a mask, unless an operator holds its weights there.
    if (cuts_triangle) claim_[found_.source[value]] = Claim::WeightOnly;
    return true;
  }

  [[nodiscard]] bool all_static(NodeIndex n) const {
    return std::ranges::all_of(index_.inputs[n], [&](ValueIndex value) {
      return value == kNone || found_.part[value] != Part::Activation;
    });
  }

  void claim(NodeIndex n, const OpRule& rule, std::size_t i) {
    const ValueIndex value = index_.inputs[n][i];
    if (value == kNone || found_.source[value] == kNone) return;
    const ValueIndex source = found_.source[value];
    if (!inference_.facts[source] || !inference_.facts[value]) return;
    const Fact& fact = *inference_.facts[source];
    // A quantized weight is an integer tensor; what reaches the operator is floating.
    const bool floats_here = is_floating(inference_.facts[value]->type);
    const bool is_array = is_floating(fact.type) && elements(fact.shape) > 1;
    switch (slot_of(rule, i)) {
      case 'b':
        if (is_floating(fact.type)) hold(source);
        break;
      case 'w':
      case 'm':
        if (floats_here) train(source);
        break;
      case 't':
        if (is_array && claim_[source] == Claim::Anywhere) train(source);
        break;
      case 'x':
        if (!is_array || claim_[source] != Claim::Anywhere || draws_mask(n, source)) break;
        if (rule.gradient == Gradient::Stops || masks_.is_mask(n, value, source)) break;
        if (learns_here(n)) train(source);
        break;
      default:
        break;
    }
  }

  /// Code draws masks: it stretches fillings and writes constants into parts of constants.
  [[nodiscard]] bool draws_mask(NodeIndex n, ValueIndex source) const {
    const std::string_view op = model_.graph.nodes[n].op_type;
    if (op == "ScatterND") return all_static(n);
    const NodeIndex maker = index_.producer[source];
    return op == "Expand" && maker != kNone &&
           model_.graph.nodes[maker].op_type == "ConstantOfShape";
  }

  /// Arithmetic on raw data (subtracting the mean of the pixels) is preparation, not a layer.
  [[nodiscard]] bool learns_here(NodeIndex n) const {
    bool meets_data = false;
    for (const ValueIndex value : index_.inputs[n]) {
      if (value == kNone || found_.source[value] != kNone) continue;
      if (found_.needs_gradient[value]) return true;
      meets_data = meets_data || found_.part[value] == Part::Activation;
    }
    return !meets_data;
  }

  void set_outputs(NodeIndex n, Gradient gradient) {
    bool flows = false;
    bool is_from_weights = false;
    for (const ValueIndex value : index_.inputs[n]) {
      if (value == kNone) continue;
      const ValueIndex source = found_.source[value];
      is_from_weights = is_from_weights || (source != kNone && is_trained_[source]);
      flows = flows || is_from_weights || (source == kNone && found_.needs_gradient[value]);
    }
    const bool is_static = all_static(n) && !flows;
    for (const ValueIndex value : index_.outputs[n]) {
      if (value == kNone) continue;
      const auto& fact = inference_.facts[value];
      const bool is_smooth = !fact || is_floating(fact->type);
      // What is known before the first step does not depend on data, whatever lent its type.
      const bool is_known = fact && fact->contents;
      found_.needs_gradient[value] = (is_known ? is_from_weights : flows) &&
                                     gradient != Gradient::Stops &&
                                     (is_smooth || gradient == Gradient::FlowsThroughIntegers);
      found_.part[value] = is_static || is_known ? Part::Fixed : Part::Activation;
    }
  }

  const Model& model_;
  const GraphIndex& index_;
  const Inference& inference_;
  const std::vector<bool>& carries_gradient_;
  AttentionMasks masks_;
  Training found_;
  std::vector<Claim> claim_;
  std::vector<bool> is_trained_;
  std::vector<bool> is_buffer_;
  bool constants_are_weights_{false};
};

}  // namespace

Training find_training(const Model& model, const GraphIndex& index,
                       const std::vector<InputRole>& roles, const Inference& inference,
                       const Structure& structure) {
  std::vector<bool> carries_gradient;
  if (!structure.carried.empty()) carries_gradient.assign(model.graph.nodes.size(), false);
  // Each round carries gradients one loop further in; what nests deeper than this is no network.
  constexpr int kRounds = 4;
  for (int round = 1;; ++round) {
    Training training = Pass{model, index, roles, inference, carries_gradient}.run();
    bool has_changed = false;
    for (const CarriedState& state : structure.carried) {
      const bool returns = training.needs_gradient[index.inputs[state.result][0]];
      if (!returns || carries_gradient[state.entry]) continue;
      carries_gradient[state.entry] = has_changed = true;
    }
    if (!has_changed || round == kRounds) return training;
  }
}

}  // namespace horus::graph
