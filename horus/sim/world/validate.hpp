// SPDX-License-Identifier: Apache-2.0
#pragma once
// What must hold before a world can run.

#include "horus/base/result.hpp"
#include "horus/sim/world/scenario.hpp"

namespace horus::sim {

/// Error InvalidArgument that names the job or option, or nothing wrong.
[[nodiscard]] Result<Done> validate(const Scenario& scenario);

}  // namespace horus::sim
