// SPDX-License-Identifier: Apache-2.0
#pragma once
// Waiting jobs as points for clustering.

#include <span>

#include "horus/sched/k_means.hpp"
#include "horus/sched/policy.hpp"

namespace horus::sched {

/// The seven features of horus+, raw: tasks, mean utilization, maximal utilization, GPUs per task,
/// GPUs, mean memory, maximal memory; utilization and memory on the cluster's first GPU type.
/// Horus runs one GPU per task and believes in one memory bound, so some features coincide.
[[nodiscard]] FeaturePoint features_of(const WaitingJob& job);

/// Maps each feature to [0, 1] over the points it was made from; a feature that does not vary maps
/// to 0. Later points may fall outside.
class FeatureScale {
 public:
  FeatureScale() = default;
  /// Requires points.
  explicit FeatureScale(std::span<const FeaturePoint> points);
  [[nodiscard]] FeaturePoint scaled(const FeaturePoint& raw) const;

 private:
  FeaturePoint low_{};
  FeaturePoint width_{};
};

}  // namespace horus::sched
