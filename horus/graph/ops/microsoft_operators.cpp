// SPDX-License-Identifier: Apache-2.0
// Fused operators of domain com.microsoft, as exporters write them, one row each.

#include "horus/graph/op_rule.hpp"

namespace horus::graph {

std::span<const OpRule> microsoft_rules() { return {}; }

}  // namespace horus::graph
