// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/credit.hpp"

#include <gtest/gtest.h>

namespace horus::sched {
namespace {

constexpr TimePoint kNow{std::chrono::seconds{100}};
constexpr std::int64_t kSecond = 1'000'000;

TEST(QueueCredit, IsLengthTimesMedianWaitingTime) {
  EXPECT_DOUBLE_EQ(queue_credit(4, 2 * 90 * kSecond, kNow), 40.0);
  // Two middle jobs wait since 80 s and 95 s: a median of 12.5 s.
  EXPECT_DOUBLE_EQ(queue_credit(2, (80 + 95) * kSecond, kNow), 25.0);
}

TEST(QueueCredit, IsTheLengthWhileTheMedianIsBelowASecond) {
  EXPECT_DOUBLE_EQ(queue_credit(7, 2 * 100 * kSecond, kNow), 7.0);
  EXPECT_DOUBLE_EQ(queue_credit(7, 2 * 99 * kSecond + 1, kNow), 7.0);
  EXPECT_DOUBLE_EQ(queue_credit(7, 2 * 98 * kSecond, kNow), 14.0);
}

}  // namespace
}  // namespace horus::sched
