// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/cost.hpp"

#include <gtest/gtest.h>

#include "horus/sched/sample.hpp"

namespace horus::sched {
namespace {

using sample::mib;

constexpr Bytes kCapacity = mib(32'768);
constexpr TaskDemand kTask{
    .utilization_mean = Permille{500}, .utilization_max = Permille{600}, .memory_bound = mib(4096)};

TEST(PlacementCost, OfAnEmptyGpuIsItsIdlenessAndTheTasksMemory) {
  // 1.3 x 4096/32768 + (1 - 0.6)
  EXPECT_DOUBLE_EQ(placement_cost(GpuLoad{}, kTask, kCapacity), 0.5625);
}

TEST(PlacementCost, OfAnOverloadedGpuCountsOverloadMemoryAndResidents) {
  // 1.3 x 12288/32768 + 1.6 x (0.7 + 0.6 - 1) + 1
  const GpuLoad load{.memory = mib(8192), .utilization = Permille{700}, .residents = 1};
  EXPECT_DOUBLE_EQ(placement_cost(load, kTask, kCapacity), 1.9675);
}

TEST(PlacementCost, IsLeastWhereTheGpuBecomesExactlyFull) {
  EXPECT_DOUBLE_EQ(utilization_cost(Permille{400}, Permille{600}), 0.0);
  EXPECT_DOUBLE_EQ(utilization_cost(Permille{300}, Permille{600}), 0.1);
  EXPECT_DOUBLE_EQ(utilization_cost(Permille{500}, Permille{600}), 0.16);
}

TEST(PlacementCost, NeverPrefersAnOccupiedGpuToAnEmptyOneOfEqualCapacity) {
  for (std::int32_t used = 0; used <= 1000; used += 10) {
    for (std::int32_t task = 0; task <= 1000; task += 10) {
      const TaskDemand demand{.utilization_mean = Permille{task},
                              .utilization_max = Permille{task},
                              .memory_bound = mib(1000)};
      const GpuLoad load{.memory = Bytes{1}, .utilization = Permille{used}, .residents = 1};
      ASSERT_LT(placement_cost(GpuLoad{}, demand, kCapacity),
                placement_cost(load, demand, kCapacity));
    }
  }
}

TEST(MemoryLimit, LeavesMoreThanTheMarginFree) {
  const Bytes booked = memory_limit(kTask, kCapacity);
  EXPECT_GT(kCapacity - booked - kTask.memory_bound, mib(500));
  EXPECT_EQ(kCapacity - (booked + Bytes{1}) - kTask.memory_bound, mib(500));
}

}  // namespace
}  // namespace horus::sched
