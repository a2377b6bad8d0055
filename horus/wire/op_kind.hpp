// SPDX-License-Identifier: Apache-2.0
#pragma once
// How kinds of operators are spelled.

#include <string_view>

#include "horus/domain/graph_features.hpp"

namespace horus::wire {

/// "convolution", "batch-norm", ...; "free" for what runs no kernel.
[[nodiscard]] std::string_view name_of(OpKind kind);

}  // namespace horus::wire
