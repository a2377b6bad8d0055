// SPDX-License-Identifier: Apache-2.0
#pragma once
// Parts of what was judged, each worth figures of its own.

#include <span>
#include <string>
#include <vector>

#include "horus/lab/error_figures.hpp"

namespace horus::lab {

/// Some rows and pairs of each draw.
struct Part {
  std::string name;  ///< "K80", "models met", "models new".
  std::vector<Scores> draws;
};

/// One part per Row::gpu, in order of name, where there are two or more; then, where a protocol met
/// models of the target (RowScore::model_met), the rows of those and of the others. Nothing where
/// a part would be the whole.
[[nodiscard]] std::vector<Part> parts_of(std::span<const Scores> draws);

}  // namespace horus::lab
