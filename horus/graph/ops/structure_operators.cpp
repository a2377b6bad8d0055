// SPDX-License-Identifier: Apache-2.0
// What stands for control flow once a graph is flat, one row each.

#include "horus/graph/op_rule.hpp"

namespace horus::graph {

std::span<const OpRule> structure_rules() { return {}; }

}  // namespace horus::graph
