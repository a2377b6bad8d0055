// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names of timm before its version 0.8. They named the weights with the network: who trained it and
// on what. Measurements of that time are listed under these names.

#include <optional>
#include <string>
#include <string_view>

namespace horus::zoo {

/// The name of the network alone: "swsl_resnet50" and "tf_efficientnet_b0_ns" are "resnet50" and
/// "tf_efficientnet_b0". Absent where no rule fits. Only names of weights whose network has the
/// same graph, the same 1000 classes and the same size of image as the name that is left says.
[[nodiscard]] std::optional<std::string> spelling_of_today(std::string_view name);

}  // namespace horus::zoo
