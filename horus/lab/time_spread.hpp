// SPDX-License-Identifier: Apache-2.0
#pragma once
// How wrong fits of time are on models that they had not seen.

#include <functional>
#include <optional>
#include <span>

#include "horus/lab/time_fit.hpp"

namespace horus::lab {

/// Told of each sample with the constants, at its site, of a fit without its model.
using UnseenVisitor = std::function<void(const Sample&, const predict::TimeConstants&)>;

/// What is held out together.
enum class Unseen {
  Models,
  Machines,  ///< GPU and host: nothing of them was measured.
};

/// Holds out the models or machines of `samples` in four parts, each one where there are fewer, and
/// fits each rest, beginning at `fit`, which is the fit of them all. Visits nothing where there is
/// only one. Cost: four fits.
void visit_unseen(std::span<const Sample* const> samples, const TimeFit& fit,
                  const predict::TimeConstants& start, Unseen unseen, const UnseenVisitor& visit);

/// The factor on the model's spreads (TimeConstants::sigma_gpu, sigma_host, sigma_loader) under
/// which 80 % of the measured step times and utilizations of unseen models lie within their
/// intervals; 0.05 to 20. Nothing with fewer than twenty of them. Cost: as visit_unseen.
[[nodiscard]] std::optional<double> spread_factor(std::span<const Sample* const> samples,
                                                  const TimeFit& fit,
                                                  const predict::TimeConstants& start);

}  // namespace horus::lab
