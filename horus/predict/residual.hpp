// SPDX-License-Identifier: Apache-2.0
#pragma once
// Learned corrections of analytical predictions: sums of decision trees, clipped, and shrunk the
// less a job is like those that they were learned from.

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/domain/interval.hpp"
#include "horus/domain/predictor_file.hpp"

namespace horus::predict {

/// What a correction is added to.
enum class ResidualTarget {
  Utilization,  ///< The logit of the utilization.
  StepTime,     ///< The natural logarithm of the seconds per step.
};
[[nodiscard]] std::string_view name_of(ResidualTarget target);

/// No correction moves the logit of a utilization further: 50 % becomes 33 to 67 %.
inline constexpr double kUtilizationLimit = 0.7;
/// No correction of a step time is larger than 25 %.
inline constexpr double kStepTimeLimit = 0.2231435513142097;  // ln 1.25
[[nodiscard]] constexpr double limit_of(ResidualTarget target) {
  return target == ResidualTarget::Utilization ? kUtilizationLimit : kStepTimeLimit;
}

/// Whether all `numbers` are finite and fit the single precision that trees compare in.
[[nodiscard]] bool fit_single(std::span<const double> numbers);

/// The sum of `trees` for one job. Inputs are compared in single precision, as in training.
/// Requires trees that check_tree() accepts and `inputs` of their width.
/// Cost: some 10 ns per tree of depth 3.
[[nodiscard]] double sum_of_trees(std::span<const Tree> trees, std::span<const float> inputs);

/// Whether every path of `tree` ends in a leaf and every input exists. Error Corrupt, `where` the
/// node.
[[nodiscard]] Result<Done> check_tree(const Tree& tree, std::size_t inputs);

/// Distance of `inputs` to the nearest row of `known` (ResidualTable says how).
[[nodiscard]] double novelty(std::span<const double> inputs,
                             std::span<const std::vector<double>> known,
                             std::span<const double> scales);

/// Share of the correction that a job at this distance gets, 1 to 0.
[[nodiscard]] double share_at(double distance, double near, double far);

/// A correction that is ready to use. Immutable; safe to use from several threads.
class Residual {
 public:
  /// Errors: Unsupported for an unknown target or limit beyond limit_of(), Corrupt for lists of
  /// different widths and trees that lead nowhere.
  [[nodiscard]] static Result<Residual> make(ResidualTable table);

  [[nodiscard]] ResidualTarget target() const { return target_; }
  [[nodiscard]] const ResidualTable& table() const { return table_; }

  /// What is added to the logit or the logarithm: within +-limit, 0 for inputs that are not finite.
  /// `inputs` are in the order of table().inputs.
  /// Cost: 1 to 50 us, by number of trees and known rows.
  [[nodiscard]] double correction(std::span<const double> inputs) const;

 private:
  Residual(ResidualTarget target, ResidualTable table)
      : target_{target}, table_{std::move(table)} {}

  ResidualTarget target_;
  ResidualTable table_;
};

/// A utilization, 0 to 1, whose logit is moved by `correction`; the bounds move along.
[[nodiscard]] Interval corrected_utilization(const Interval& utilization, double correction);
/// What of the GPU is in use, after the utilization that it is a share of went from `before` to
/// `after`: the same share of it.
[[nodiscard]] Interval followed(const Interval& used, const Interval& before,
                                const Interval& after);
/// Seconds whose logarithm is moved by `correction`.
[[nodiscard]] Interval corrected_seconds(const Interval& seconds, double correction);

}  // namespace horus::predict
