// SPDX-License-Identifier: Apache-2.0
#include "horus/sim/world/completion_queue.hpp"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "horus/base/rng.hpp"

namespace horus::sim {
namespace {

TimePoint at_us(std::int64_t us) { return TimePoint{Duration{us}}; }

TEST(CompletionQueue, GivesTheEarliestAndTiesInOrderOfArrival) {
  CompletionQueue queue{4};
  EXPECT_EQ(queue.next_time(), std::nullopt);
  queue.set(3, at_us(5));
  queue.set(1, at_us(5));
  queue.set(2, at_us(9));
  queue.set(2, at_us(1));  // Moved to the front.
  EXPECT_EQ(queue.next_time(), at_us(1));
  EXPECT_EQ(queue.pop(), 2U);
  EXPECT_EQ(queue.pop(), 1U);
  EXPECT_EQ(queue.pop(), 3U);
  EXPECT_EQ(queue.next_time(), std::nullopt);
}

TEST(CompletionQueue, AgreesWithASortedListUnderRandomChanges) {
  Rng rng{17};
  CompletionQueue queue{64};
  std::map<JobIndex, TimePoint> expected;
  const auto first = [&] {
    return *std::min_element(expected.begin(), expected.end(), [](const auto& a, const auto& b) {
      return std::pair{a.second, a.first} < std::pair{b.second, b.first};
    });
  };
  for (int i = 0; i < 20'000; ++i) {
    const auto job = static_cast<JobIndex>(rng.below(64));
    const auto action = rng.below(4);
    if (action < 2) {
      expected[job] = at_us(static_cast<std::int64_t>(rng.below(50)));
      queue.set(job, expected[job]);
    } else if (action == 2 && expected.contains(job)) {
      expected.erase(job);
      queue.erase(job);
    } else if (action == 3 && !expected.empty()) {
      const JobIndex earliest = first().first;
      ASSERT_EQ(queue.pop(), earliest);
      expected.erase(earliest);
    }
    ASSERT_EQ(queue.next_time().has_value(), !expected.empty());
    if (!expected.empty()) {
      ASSERT_EQ(*queue.next_time(), first().second);
    }
  }
}

}  // namespace
}  // namespace horus::sim
