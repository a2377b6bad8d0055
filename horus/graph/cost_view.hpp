// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a cost rule sees of its node, and the sheet that it fills.

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "horus/base/check.hpp"
#include "horus/graph/node_view.hpp"
#include "horus/graph/op_rule.hpp"

namespace horus::graph {

/// What an input is in training: told by the graph, not by the operator.
enum class Part {
  Activation,  ///< Computed from data inputs, or a data input.
  Trained,     ///< A parameter, also when seen through a Transpose or Reshape.
  Fixed,       ///< Buffers and constants.
};

/// One input as training sees it.
struct Operand {
  Part part{Part::Fixed};
  bool needs_gradient{false};  ///< A gradient must reach it: parameters and what they influence.
};

class CostView : public NodeView {
 public:
  CostView(NodeView node, const OpRule& rule, std::vector<Operand> operands,
           std::vector<const Fact*> outputs)
      : NodeView{std::move(node)},
        rule_{&rule},
        operands_{std::move(operands)},
        outputs_{std::move(outputs)} {}

  [[nodiscard]] const OpRule& rule() const { return *rule_; }
  [[nodiscard]] Operand operand(std::size_t i) const {
    return i < operands_.size() ? operands_[i] : Operand{};
  }
  [[nodiscard]] bool is_activation(std::size_t i) const {
    return has_input(i) && operand(i).part == Part::Activation;
  }
  [[nodiscard]] bool is_static(std::size_t i) const { return has_input(i) && !is_activation(i); }
  /// Elements of input `i`, 0 where it is absent.
  [[nodiscard]] double size(std::size_t i) const { return has_input(i) ? count(shape(i)) : 0.0; }
  /// Facts of output `i`; nullptr where it is not known or not named.
  [[nodiscard]] const Fact* output(std::size_t i) const {
    return i < outputs_.size() ? outputs_[i] : nullptr;
  }
  /// The first output, which every costed node has.
  [[nodiscard]] const Fact& result() const {
    HORUS_CHECK(output(0) != nullptr, "only nodes with a first output are costed");
    return *outputs_[0];
  }
  [[nodiscard]] double result_size() const { return count(result().shape); }
  /// True where input `i` adds something: exporters write an absent bias as zeros that do not
  /// train.
  [[nodiscard]] bool has_bias(std::size_t i) const;
  /// Inputs that need a gradient.
  [[nodiscard]] std::size_t gradients() const;
  /// Activations among the inputs that need a gradient.
  [[nodiscard]] std::size_t activation_gradients() const;
  /// True when training runs a backward pass through this node.
  [[nodiscard]] bool runs_backward() const;

 private:
  const OpRule* rule_;
  std::vector<Operand> operands_;
  std::vector<const Fact*> outputs_;
};

/// The cost of one node. Tensors kept for backward are named, not counted: a tensor kept by several
/// nodes is stored once, which only the graph can see.
struct CostSheet {
  OpWork work;
  std::vector<std::size_t> kept_inputs;
  std::vector<std::size_t> kept_outputs;
  /// Kept beside named tensors: statistics, masks (bytes), gate activations.
  double kept_elements{};
  std::int64_t kept_bytes{};
};

}  // namespace horus::graph
