// SPDX-License-Identifier: Apache-2.0
#pragma once
// From operators to kernels: what the framework launches for one training step.

#include <span>

#include "horus/domain/gpu.hpp"
#include "horus/domain/graph_features.hpp"
#include "horus/domain/prediction.hpp"
#include "horus/predict/kernel.hpp"
#include "horus/predict/time_constants.hpp"

namespace horus::predict {

/// What `optimizer` does to one parameter tensor.
[[nodiscard]] UpdateCost update_cost(Optimizer optimizer);

/// Whether every number of `op` is finite and not negative.
[[nodiscard]] bool has_usable_cost(const OpWork& op);

/// The kernels of one step: forward pass, loss and backward pass as often as `setup` says
/// (accumulation, several passes, forward again where checkpointing recomputes), then the update.
/// `ops` are the operators of `features`, or what fuse_attention made of them. Operators without
/// usable cost are counted, not lowered. Nothing that a fit may move enters here.
/// Cost: linear in operators, a handful of Kernel records each.
[[nodiscard]] Step lower(const GraphFeatures& features, std::span<const OpWork> ops,
                         const TrainingSetup& setup);

}  // namespace horus::predict
