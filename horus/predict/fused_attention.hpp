// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fused attention: one kernel in the place of scores, scale, mask, softmax, dropout and context.

#include <span>
#include <vector>

#include "horus/domain/graph_features.hpp"

namespace horus::predict {

/// `ops` with every attention block replaced by one operator that never writes the scores to
/// memory and keeps only its inputs and one number per row beside its output (Dao et al., 2022).
/// Blocks are told by OpWork::attention: a Scores operator joins the next Context operator.
[[nodiscard]] std::vector<OpWork> fuse_attention(std::span<const OpWork> ops);

}  // namespace horus::predict
