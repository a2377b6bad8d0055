// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/index_set.hpp"

#include <set>

#include <gtest/gtest.h>

#include "horus/base/rng.hpp"

namespace horus::sched {
namespace {

TEST(IndexSet, FindsTheLowestMemberFromAPositionAcrossAllLayers) {
  constexpr std::uint32_t kFar = 64 * 64 * 64 + 5;
  IndexSet set{kFar + 100};
  for (const std::uint32_t member : {63U, 64U, 4095U, 4096U, kFar}) set.insert(member);
  EXPECT_EQ(set.first_from(0), 63);
  EXPECT_EQ(set.first_from(63), 63);
  EXPECT_EQ(set.first_from(64), 64);
  EXPECT_EQ(set.first_from(65), 4095);
  EXPECT_EQ(set.first_from(4096), 4096);
  EXPECT_EQ(set.first_from(4097), kFar);
  EXPECT_EQ(set.first_from(kFar + 1), std::nullopt);
  EXPECT_EQ(set.first_from(kFar + 1'000'000), std::nullopt);
}

TEST(IndexSet, HoldsTheLargestUniverse) {
  IndexSet set{IndexSet::kMaxUniverse};
  EXPECT_EQ(set.first_from(0), std::nullopt);
  set.insert(IndexSet::kMaxUniverse - 1);
  EXPECT_EQ(set.first_from(0), IndexSet::kMaxUniverse - 1);
}

TEST(IndexSet, OfNothingIsEmpty) {
  const IndexSet set{0};
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(set.first_from(0), std::nullopt);
}

TEST(IndexSet, AgreesWithAnOrderedSetUnderRandomChanges) {
  constexpr std::uint32_t kUniverse = 9000;
  IndexSet set{kUniverse};
  std::set<std::uint32_t> expected;
  Rng rng{7};
  for (int i = 0; i < 20'000; ++i) {
    const auto index = static_cast<std::uint32_t>(rng.below(kUniverse));
    if (expected.erase(index) == 1) {
      set.erase(index);
    } else if (expected.size() < 300) {
      expected.insert(index);
      set.insert(index);
    }
    const auto from = static_cast<std::uint32_t>(rng.below(kUniverse));
    const auto next = expected.lower_bound(from);
    const auto found = set.first_from(from);
    ASSERT_EQ(found.has_value(), next != expected.end()) << "seed 7, step " << i;
    if (found) {
      ASSERT_EQ(*found, *next) << "seed 7, step " << i;
    }
    ASSERT_EQ(set.size(), expected.size());
  }
}

}  // namespace
}  // namespace horus::sched
