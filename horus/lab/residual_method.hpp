// SPDX-License-Identifier: Apache-2.0
#pragma once
// A method and what was learned of its errors.

#include <memory>
#include <vector>

#include "horus/lab/method.hpp"
#include "horus/lab/residual_fit.hpp"

namespace horus::lab {

/// `base` with learned corrections of utilization and step time, where they pass the gate. First
/// for models never measured; where that fails, for further jobs of measured models only.
[[nodiscard]] std::unique_ptr<Method> with_residual(std::unique_ptr<Method> base,
                                                    const ResidualOptions& options = {});

/// The corrections that with_residual() would use: at most one per target. Errors of `base` are
/// those of fits that had not seen the job, its labels; so this costs up to 2 x folds fits of
/// `base`, which begin at `training.nearby`, or at one more fit where that is null.
[[nodiscard]] std::vector<ResidualTable> learn_residuals(const Method& base,
                                                         const Training& training,
                                                         const ResidualOptions& options = {});

/// Guesses for the samples of `pool` by fits of `base` that did not see their models, same order.
/// Cost: `folds` fits, and one in which they begin.
[[nodiscard]] std::vector<Guess> guesses_unseen(const Method& base,
                                                std::span<const Sample* const> pool,
                                                std::size_t folds, std::uint64_t seed);

}  // namespace horus::lab
