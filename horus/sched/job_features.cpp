// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/job_features.hpp"

#include <algorithm>

#include "horus/base/check.hpp"

namespace horus::sched {

FeaturePoint features_of(const WaitingJob& job) {
  const TaskDemand& demand = job.spec.demand_by_type.front();
  const auto gpus = static_cast<double>(job.spec.gpus);
  const double gpus_per_task = 1.0;
  const double memory = as_double(demand.memory_bound);
  return {gpus,
          static_cast<double>(demand.utilization_mean.count()),
          static_cast<double>(demand.utilization_max.count()),
          gpus_per_task,
          gpus,
          memory,
          memory};
}

FeatureScale::FeatureScale(std::span<const FeaturePoint> points) {
  HORUS_CHECK(!points.empty(), "a scale is made from points");
  low_ = points.front();
  FeaturePoint high = points.front();
  for (const FeaturePoint& point : points) {
    for (std::size_t f = 0; f < point.size(); ++f) {
      low_[f] = std::min(low_[f], point[f]);
      high[f] = std::max(high[f], point[f]);
    }
  }
  for (std::size_t f = 0; f < high.size(); ++f) width_[f] = high[f] - low_[f];
}

FeaturePoint FeatureScale::scaled(const FeaturePoint& raw) const {
  FeaturePoint point{};
  for (std::size_t f = 0; f < raw.size(); ++f) {
    if (width_[f] > 0.0) point[f] = (raw[f] - low_[f]) / width_[f];
  }
  return point;
}

}  // namespace horus::sched
