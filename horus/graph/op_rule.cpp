// SPDX-License-Identifier: Apache-2.0
// Finds the rule of an operator among the tables of all domains.

#include "horus/graph/op_rule.hpp"

#include <algorithm>

namespace horus::graph {

std::span<const OpRule> rules_of(std::string_view domain) {
  if (domain.empty()) return standard_rules();
  if (domain == "com.microsoft") return microsoft_rules();
  if (domain == "ai.onnx.ml") return learning_rules();
  if (domain == "ai.onnx.preview" || domain == "ai.onnx.preview.training") return preview_rules();
  if (domain == kStructureDomain) return structure_rules();
  return {};
}

const OpRule* find_rule(const Node& node) {
  const auto rules = rules_of(node.domain);
  const auto found =
      std::ranges::lower_bound(rules, std::string_view{node.op_type}, {}, &OpRule::name);
  return found != rules.end() && found->name == node.op_type ? &*found : nullptr;
}

}  // namespace horus::graph
