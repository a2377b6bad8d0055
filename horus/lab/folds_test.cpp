// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/folds.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace horus::lab {
namespace {

std::vector<std::string> keys_of(Rng& rng, std::size_t count, std::size_t groups) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < count; ++i) keys.push_back(fmt::format("g{}", rng.below(groups)));
  return keys;
}

/// How often each sample is tested.
std::vector<int> tests_of(const std::vector<Fold>& folds, std::size_t count) {
  std::vector<int> times(count);
  for (const Fold& fold : folds) {
    for (const std::size_t i : fold.test) ++times[i];
  }
  return times;
}

TEST(LeaveGroupsOut, NeverTrainsOnAGroupThatItTests) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Rng rng{seed};
    const auto keys = keys_of(rng, 60, 2 + rng.below(30));
    const std::size_t judged = 20 + rng.below(40);
    const FoldLimit limit{.folds_max = 2 + rng.below(20), .seed = seed};
    const auto folds = leave_groups_out(keys, judged, limit);
    ASSERT_LE(folds.size(), limit.folds_max) << "seed " << seed;
    for (const Fold& fold : folds) {
      std::set<std::string> tested;
      for (const std::size_t i : fold.test) tested.insert(keys[i]);
      for (const std::size_t i : fold.train) {
        ASSERT_FALSE(tested.contains(keys[i])) << "seed " << seed << ", sample " << i;
      }
    }
    const auto times = tests_of(folds, keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(times[i], i < judged ? 1 : 0) << "seed " << seed << ", sample " << i;
    }
  }
}

TEST(LeaveGroupsOut, HoldsOutOneGroupAtATimeWhereTheLimitAllowsIt) {
  const std::vector<std::string> keys{"b", "a", "b", "c", "a", "z"};
  const auto folds = leave_groups_out(keys, 5);
  ASSERT_EQ(folds.size(), 3U);
  EXPECT_EQ(folds[0].test, (std::vector<std::size_t>{1, 4}));  // a
  EXPECT_EQ(folds[0].train, (std::vector<std::size_t>{0, 2, 3, 5}));
  EXPECT_EQ(folds[1].test, (std::vector<std::size_t>{0, 2}));  // b
  EXPECT_EQ(folds[2].test, (std::vector<std::size_t>{3}));     // c
}

TEST(LeaveGroupsOut, HoldsOutWhatIsOnlyBesideTheJudgedTooWhenItsGroupIs) {
  const std::vector<std::string> keys{"a", "b", "a"};
  const auto folds = leave_groups_out(keys, 2);
  ASSERT_EQ(folds.size(), 2U);
  EXPECT_EQ(folds[0].test, (std::vector<std::size_t>{0}));
  EXPECT_EQ(folds[0].train, (std::vector<std::size_t>{1}));
  EXPECT_EQ(folds[1].train, (std::vector<std::size_t>{0, 2}));
}

TEST(LeaveGroupsOut, HasNothingToTrainOnWithOneGroup) {
  const std::vector<std::string> keys{"a", "a"};
  const auto folds = leave_groups_out(keys, 2);
  ASSERT_EQ(folds.size(), 1U);
  EXPECT_TRUE(folds[0].train.empty());
}

TEST(RandomFolds, TestEveryJudgedSampleOnceInFoldsOfEqualSize) {
  const auto folds = random_folds(57, 43, 10, 7);
  ASSERT_EQ(folds.size(), 10U);
  for (const Fold& fold : folds) {
    EXPECT_GE(fold.test.size(), 4U);
    EXPECT_LE(fold.test.size(), 5U);
    EXPECT_EQ(fold.train.size() + fold.test.size(), 57U);
    EXPECT_TRUE(std::ranges::is_sorted(fold.test));
  }
  const auto times = tests_of(folds, 57);
  EXPECT_EQ(std::ranges::count(times, 1), 43);
}

TEST(RandomFolds, DependOnTheSeedAlone) {
  const auto first = random_folds(40, 40, 4, 1);
  EXPECT_EQ(random_folds(40, 40, 4, 1)[0].test, first[0].test);
  EXPECT_NE(random_folds(40, 40, 4, 2)[0].test, first[0].test);
}

TEST(DrawSome, TakesDistinctItemsAndAllWhereThereAreTooFew) {
  const std::vector<std::size_t> from{2, 3, 5, 7, 11, 13};
  std::set<std::size_t> seen;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto drawn = draw_some(from, 3, Rng{seed});
    ASSERT_EQ(drawn.size(), 3U);
    ASSERT_TRUE(std::ranges::is_sorted(drawn, std::less_equal<>{}) && drawn[0] < drawn[1]);
    seen.insert(drawn.begin(), drawn.end());
  }
  EXPECT_EQ(seen.size(), from.size());
  EXPECT_EQ(draw_some(from, 9, Rng{1}), from);
}

TEST(GroupKey, IgnoresHowANameIsSpelled) {
  EXPECT_EQ(group_key("ResNet-50"), group_key("resnet50"));
  EXPECT_EQ(group_key("vgg16_bn"), "vgg16bn");
  EXPECT_NE(group_key("resnet50"), group_key("resnet152"));
}

}  // namespace
}  // namespace horus::lab
