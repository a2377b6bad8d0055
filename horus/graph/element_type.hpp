// SPDX-License-Identifier: Apache-2.0
#pragma once
// The names of element types, as ONNX documents spell them.

#include <string_view>

#include "horus/graph/model.hpp"

namespace horus::graph {

/// "float32", "int64", ...; "undefined" for anything else.
[[nodiscard]] std::string_view name_of(ElementType type);

}  // namespace horus::graph
