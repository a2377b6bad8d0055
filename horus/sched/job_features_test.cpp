// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/job_features.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/sched/sample.hpp"

namespace horus::sched {
namespace {

using ::testing::ElementsAre;

TEST(FeaturesOf, AreTheSevenOfTheFirstGpuType) {
  JobSpec spec =
      sample::job({.id = 1, .gpus = 4, .mean_percent = 30, .max_percent = 45, .memory_mib = 1}, 2);
  spec.demand_by_type[1] = TaskDemand{};
  EXPECT_THAT(features_of(sample::waiting(spec)),
              ElementsAre(4.0, 300.0, 450.0, 1.0, 4.0, 1048576.0, 1048576.0));
}

TEST(FeatureScale, MapsEachFeatureToZeroAndOne) {
  const std::vector<FeaturePoint> points{{1, 100, 5, 1, 1, 8, 0}, {3, 300, 5, 1, 1, 4, 0}};
  const FeatureScale scale{points};
  EXPECT_THAT(scale.scaled(points[0]), ElementsAre(0, 0, 0, 0, 0, 1, 0));
  EXPECT_THAT(scale.scaled(points[1]), ElementsAre(1, 1, 0, 0, 0, 0, 0));
  EXPECT_THAT(scale.scaled({2, 500, 9, 1, 1, 6, 0}), ElementsAre(0.5, 2, 0, 0, 0, 0.5, 0));
}

}  // namespace
}  // namespace horus::sched
