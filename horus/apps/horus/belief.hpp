// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the scheduler is told about the configurations of a mix: each is built from the zoo,
// analysed, and predicted on every GPU type of the cluster. The truth columns are not looked at.

#include <string>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/domain/cluster.hpp"
#include "horus/domain/job.hpp"
#include "horus/domain/prediction.hpp"
#include "horus/predict/predictor_model.hpp"
#include "horus/sim/mix.hpp"

namespace horus::apps {

/// The demand that a prediction amounts to in the books.
[[nodiscard]] TaskDemand demand_of(const Prediction& prediction);

/// Shape: one row per entry of `mix`, in it one demand per type of `cluster`, as `model` believes.
/// Errors: Corrupt for an unknown model or a batch it does not take, with `source` (the mix's name)
/// and the entry's name.
[[nodiscard]] Result<std::vector<std::vector<TaskDemand>>> beliefs_of(const sim::Mix& mix,
                                                                      const std::string& source,
                                                                      const Cluster& cluster,
                                                                      const predict::Model& model);

}  // namespace horus::apps
