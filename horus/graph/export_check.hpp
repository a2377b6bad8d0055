// SPDX-License-Identifier: Apache-2.0
#pragma once
// Signs that a model was exported for inference, so that its training cost cannot be read from it.

#include <optional>
#include <string>

#include "horus/graph/costing.hpp"

namespace horus::graph {

/// A warning when batch normalization seems to be folded into the convolutions, as exporters do in
/// evaluation mode: at least eight convolutions, all with a bias, no normalization at all, in a
/// network with residual sums or grouped convolutions (those without, such as VGG, are often built
/// so). Folded normalizations are up to half of a network's saved activations.
[[nodiscard]] std::optional<std::string> folded_normalization(const std::vector<NodeWork>& works);

}  // namespace horus::graph
