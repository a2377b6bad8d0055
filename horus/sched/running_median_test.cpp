// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/running_median.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "horus/base/rng.hpp"

namespace horus::sched {
namespace {

TimePoint at(std::int64_t us) { return TimePoint{Duration{us}}; }

TEST(RunningMedian, IsTheMiddleOrTheMeanOfTheTwoMiddles) {
  RunningMedian median;
  median.insert(at(10));
  EXPECT_EQ(median.twice_median_us(), 20);
  median.insert(at(5));
  EXPECT_EQ(median.twice_median_us(), 15);
  median.insert(at(100));
  EXPECT_EQ(median.twice_median_us(), 20);
  median.erase(at(5));
  EXPECT_EQ(median.twice_median_us(), 110);
}

TEST(RunningMedian, AgreesWithSortingUnderRandomChanges) {
  RunningMedian median;
  std::vector<std::int64_t> sorted;
  Rng rng{23};
  for (int i = 0; i < 5'000; ++i) {
    if (!sorted.empty() && rng.uniform() < 0.48) {
      const auto place = static_cast<std::ptrdiff_t>(rng.below(sorted.size()));
      median.erase(at(sorted[static_cast<std::size_t>(place)]));
      sorted.erase(sorted.begin() + place);
    } else {
      const auto time = static_cast<std::int64_t>(rng.below(40));  // many equal ones
      median.insert(at(time));
      sorted.insert(std::ranges::lower_bound(sorted, time), time);
    }
    ASSERT_EQ(median.size(), sorted.size());
    if (sorted.empty()) continue;
    const std::size_t n = sorted.size();
    ASSERT_EQ(median.twice_median_us(), sorted[(n - 1) / 2] + sorted[n / 2]) << "seed 23, " << i;
  }
}

}  // namespace
}  // namespace horus::sched
