// SPDX-License-Identifier: Apache-2.0
#pragma once
// The invented world: a discrete-event loop around the same engine that runs live clusters.

#include <memory>

#include "horus/base/result.hpp"
#include "horus/sched/policy.hpp"
#include "horus/sim/world/observer.hpp"
#include "horus/sim/world/outcome.hpp"
#include "horus/sim/world/scenario.hpp"

namespace horus::sim {

/// Runs the scenario to its end under `policy`. `observer` may be null.
///
/// Events of one time are one step of the engine, in the order completions, deaths, arrivals, each
/// by order of arrival of the job. A running job advances at 1 / (step ratio x slowdown) of its
/// slowest task. Out of memory: SimOptions::oom_delay after a start that makes the true memory of a
/// GPU exceed its size, processes there die, one after the other, until the rest fits.
///
/// Errors: InvalidArgument for jobs out of order, repeated ids, beliefs or options that do not
/// match; Unsupported when simulated time runs out of range; Unavailable when the policy leaves
/// jobs waiting on an idle cluster.
[[nodiscard]] Result<SimResult> run(const Scenario& scenario, std::unique_ptr<sched::Policy> policy,
                                    Observer* observer = nullptr);

}  // namespace horus::sim
