// SPDX-License-Identifier: Apache-2.0
#pragma once
// Contents as their element type holds them: shape arithmetic runs on 64 bits, files do not.

#include <cstdint>

#include "horus/graph/model.hpp"
#include "horus/graph/shape.hpp"

namespace horus::graph {

/// What remains of `contents` in elements of `type`: reals rounded to the nearest (100 times 0.29
/// is 29 in float32, less in float64), integers reduced modulo the width. Contents of another kind
/// than the type stay. Cost: linear in the elements.
void round_to(ElementType type, Contents& contents);

/// Whether `value` lies in the range of the integers of `type`; true for all other types.
[[nodiscard]] bool holds(ElementType type, std::int64_t value);

}  // namespace horus::graph
