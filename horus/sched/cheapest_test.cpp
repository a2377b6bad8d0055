// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/cheapest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace horus::sched {
namespace {

using ::testing::ElementsAre;

TEST(CheapestGpus, KeepsTheCheapestWithTiesToLowerNumbers) {
  CheapestGpus best{2};
  EXPECT_TRUE(best.offer({.cost = 3.0, .gpu = 1}));
  EXPECT_TRUE(best.offer({.cost = 2.0, .gpu = 9}));
  EXPECT_TRUE(best.offer({.cost = 2.0, .gpu = 4}));
  EXPECT_FALSE(best.offer({.cost = 2.0, .gpu = 10}));
  EXPECT_THAT(best.take_sorted(), ElementsAre(PricedGpu{2.0, 4}, PricedGpu{2.0, 9}));
}

TEST(CheapestGpus, HasNoLimitUntilComplete) {
  CheapestGpus best{2};
  best.offer({.cost = 1e9, .gpu = 0});
  EXPECT_GT(best.limit(), 1e300);
  EXPECT_FALSE(best.complete());
  best.offer({.cost = 5.0, .gpu = 1});
  EXPECT_TRUE(best.complete());
  EXPECT_EQ(best.limit(), 1e9);
}

}  // namespace
}  // namespace horus::sched
