// SPDX-License-Identifier: Apache-2.0
#pragma once
// What jobs that share a GPU cost each other, from pairs that were measured and what is predicted
// of each job alone.

#include <memory>

#include "horus/lab/method.hpp"

namespace horus::lab {

/// Whether a fit remembers configurations from the pairs in which it met them: their measured
/// slowdowns divided by what the law says, on average. Most of that is an error of the run alone by
/// which all slowdowns of a configuration are divided. A configuration never met has no history.
enum class PairHistory { Forgets, Remembers };

/// Fits one law per type of GPU and mode, and the spread around it. Pairs on other GPUs, and all
/// pairs where nothing could be fitted, are predicted by the prior (predict_shared).
[[nodiscard]] std::unique_ptr<SharingMethod> sharing_method(
    PairHistory history = PairHistory::Remembers);

}  // namespace horus::lab
