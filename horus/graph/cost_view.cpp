// SPDX-License-Identifier: Apache-2.0
// Questions that cost rules ask about gradients.

#include "horus/graph/cost_view.hpp"

#include <algorithm>

namespace horus::graph {

bool CostView::has_bias(std::size_t i) const {
  if (!has_input(i)) return false;
  const auto& contents = input(i).contents;
  if (operand(i).part == Part::Trained || !contents) return true;
  const auto* numbers = std::get_if<std::vector<double>>(&*contents);
  return numbers == nullptr ||
         std::ranges::any_of(*numbers, [](double number) { return number != 0; });
}

std::size_t CostView::gradients() const {
  std::size_t found = 0;
  for (const Operand& operand : operands_) found += operand.needs_gradient ? 1U : 0U;
  return found;
}

std::size_t CostView::activation_gradients() const {
  std::size_t found = 0;
  for (const Operand& operand : operands_) {
    if (operand.part == Part::Activation && operand.needs_gradient) ++found;
  }
  return found;
}

bool CostView::runs_backward() const {
  return rule_->gradient != Gradient::Stops && gradients() > 0;
}

}  // namespace horus::graph
