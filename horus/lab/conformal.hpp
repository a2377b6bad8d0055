// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bounds from the errors of jobs that took no part in a fit.

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace horus::lab {

/// Residuals of every sample, each from a fit that saw no sample of its group. Groups are dealt in
/// order of name to at most `folds_max` folds. `residuals(training, held_out)` is given indices and
/// returns one residual per held-out index, same order.
/// Shape: one residual per group label, same order. With fewer than two groups: those of the fit to
/// all, which know too much.
using HeldOutResiduals = std::function<std::vector<double>(std::span<const std::size_t> training,
                                                           std::span<const std::size_t> held_out)>;
[[nodiscard]] std::vector<double> grouped_residuals(std::span<const std::string_view> groups,
                                                    std::size_t folds_max,
                                                    const HeldOutResiduals& residuals);

/// The value that the next residual exceeds with a probability of at most 1 - `level`, if it is
/// like the others: the ceil((n + 1) x level)-th smallest (Vovk et al., "Algorithmic Learning in a
/// Random World", 2005), the largest where there are too few. `residuals` is not empty; 0 < level
/// < 1.
[[nodiscard]] double conformal_quantile(std::vector<double> residuals, double level);

}  // namespace horus::lab
