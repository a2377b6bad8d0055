// SPDX-License-Identifier: Apache-2.0
#pragma once
// The analytical model of step time and utilization as a method that can be judged.

#include <memory>

#include "horus/lab/method.hpp"

namespace horus::lab {

/// Fills utilization, step_s, sm_active and bandwidth_utilization of guesses. Fitted are the
/// constants and what each site differs in. Intervals hold 80 %: their ends are quantiles of the
/// errors on models that a fit had not seen; with few jobs, the spreads of the model.
/// Of machines of which nothing was measured, the errors are those on machines held out.
///   Where neither a loader rate is stated nor the site's loader is known, utilization reaches down
/// to 0: an input pipeline may be the bottleneck of any job.
[[nodiscard]] std::unique_ptr<Method> time_method();

}  // namespace horus::lab
