// SPDX-License-Identifier: Apache-2.0
#pragma once
// Maximum a posteriori fits: positive numbers with log-normal priors, moved by residuals.

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace horus::lab {

/// One number to be fitted. It is positive, and its logarithm is normal around that of `prior`.
struct FitParameter {
  double prior{1};      ///< Above 0.
  double sigma{0.3};    ///< Spread of the logarithm; 0: the number stays at its prior.
  double least{1e-30};  ///< The fit sees no value outside of least..most.
  double most{1e30};
};

/// Residuals of `values` (in the order of the parameters), in units of the expected error of one
/// observation: (predicted - measured) / sigma. What is not finite counts as a gross error.
using ResidualFunction =
    std::function<void(std::span<const double> values, std::span<double> residuals)>;

/// Residuals after the parameter `moved`, and no other, was moved: writes anew those of `residuals`
/// that it can move and leaves the others. Those that come in are of the values of the last call of
/// the ResidualFunction.
using MovedFunction = std::function<void(std::span<const double> values, std::size_t moved,
                                         std::span<double> residuals)>;

struct FitOptions {
  /// Residuals well beyond this size count by their absolute value, not by their square (soft L1):
  /// one wrong row must not move everything.
  double outlier{3};
  int iterations_max{60};  ///< Each costs one evaluation per parameter and a few more.
  /// Where to look first, in the order of the parameters; empty: at the priors.
  std::vector<double> start{};
  /// A cheaper way to derivatives, where there is one; empty: the residuals are computed anew.
  MovedFunction moved{};
};

struct MapFit {
  std::vector<double> values;      ///< In the order of the parameters.
  std::vector<double> log_errors;  ///< Standard error of the logarithm; its sigma if nothing is
                                   ///< learned, 0 for numbers that stay.
  double cost{};                   ///< Half the robust sum of squares, priors included.
  bool converged{};
};

/// The values that minimize robust residuals plus ((ln v - ln prior) / sigma)^2, found by
/// Levenberg-Marquardt with numerical derivatives. Local: priors should be within a factor of ten.
///   Deterministic. Cost: iterations x parameters evaluations of `options.moved` or `residuals`
/// (called with `count` zeros to fill), and as many decompositions of count x parameters.
[[nodiscard]] MapFit map_fit(std::span<const FitParameter> parameters, std::size_t count,
                             const ResidualFunction& residuals, const FitOptions& options = {});

}  // namespace horus::lab
