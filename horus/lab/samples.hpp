// SPDX-License-Identifier: Apache-2.0
#pragma once
// From rows to samples: graphs are built, lowered and let go.

#include <functional>
#include <span>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/lab/method.hpp"

namespace horus::lab {

/// Told after each row: how many are done, of how many.
using Progress = std::function<void(std::size_t done, std::size_t all)>;

/// One sample per row of `rows`, same order; `rows` must outlive them. Errors: a graph that cannot
/// be built, with the id of its row.
/// Cost: builds and analyses every graph, about 2 ms each; memory some 50 KB per sample.
[[nodiscard]] Result<std::vector<Sample>> samples_of(std::span<const Row> rows,
                                                     const Progress& progress = {});

}  // namespace horus::lab
