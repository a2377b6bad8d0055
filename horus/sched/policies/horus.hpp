// SPDX-License-Identifier: Apache-2.0
#pragma once
// horus: prediction-based sharing. Takes the five least-utilising waiting jobs and starts the first
// of them that fits, on the GPUs that cost least (cost.hpp). An empty GPU never costs more than an
// occupied one of equal capacity, so it spreads first and packs when nothing is idle.
// Three properties are kept as published: heavy jobs can starve; five light gangs that do not fit
// hide every job behind them; and the cost knows utilization but not speed, so that among several
// GPU types a slow GPU, which a job fills more, looks cheaper than a fast one.
// Source: Yeung et al., "Horus", TPDS 2022; deterministic: means and 90th percentiles instead of
// samples.

#include <memory>

#include "horus/sched/policy_row.hpp"

namespace horus::sched {

[[nodiscard]] std::unique_ptr<Policy> make_horus(const PolicyOptions& options);

inline constexpr PolicyRow kHorus{.name = "horus",
                                  .rule = "the paper: lightest jobs first, on the cheapest GPUs",
                                  .make = make_horus};

}  // namespace horus::sched
