// SPDX-License-Identifier: Apache-2.0
#pragma once
// What control flow leaves open, told to a person: trips and branches that depend on data, shapes
// that differ between trips or branches.

#include <cstdint>
#include <string>
#include <vector>

#include "horus/graph/flatten.hpp"
#include "horus/graph/graph_index.hpp"
#include "horus/graph/inference.hpp"
#include "horus/graph/model.hpp"
#include "horus/graph/runs.hpp"

namespace horus::graph {

/// One warning per kind, with the first place. `differing`: then-branches of every If whose sides
/// differ in work and whose condition is unknown. Cost: linear in nodes.
[[nodiscard]] std::vector<std::string> structure_warnings(
    const Model& model, const Structure& structure, const GraphIndex& index,
    const Inference& inference, const Runs& runs, const std::vector<std::uint32_t>& differing);

}  // namespace horus::graph
