// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/exclusive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/sched/sample.hpp"

namespace horus::sched {
namespace {

using ::testing::ElementsAre;

std::optional<Decision> place(const Books& books, const JobSpec& job) {
  const auto gpus = static_cast<std::size_t>(job.gpus);
  return place_exclusive(books, job, choose_types(books, fitting_types(books, job, Bytes{}), gpus));
}

TEST(PlaceExclusive, TakesTheFirstTypeThatHasEnoughEmptyGpusNow) {
  const Cluster cluster = sample::cluster("1x2xV100-16GB+1x2xA100-40GB");
  Books books{cluster, BooksOptions{}};
  const JobSpec single = sample::job({.id = 1}, 2);
  books.book(single, Placement{.job = JobId{1}, .gpus = {0}}, Sharing::Exclusive);
  const auto next = place(books, sample::job({.id = 2}, 2));
  ASSERT_TRUE(next);
  EXPECT_THAT(next->placement.gpus, ElementsAre(1U));
  EXPECT_TRUE(next->exclusive);
  const auto gang = place(books, sample::job({.id = 3, .gpus = 2}, 2));
  ASSERT_TRUE(gang);
  EXPECT_THAT(gang->placement.gpus, ElementsAre(2U, 3U));
}

TEST(PlaceExclusive, WaitsRatherThanSplitsAGangThatOneTypeCanHold) {
  const Cluster cluster = sample::cluster("1x2xV100-16GB+1x1xA100-40GB");
  Books books{cluster, BooksOptions{}};
  books.book(sample::job({.id = 1}, 2), Placement{.job = JobId{1}, .gpus = {0}},
             Sharing::Exclusive);
  EXPECT_FALSE(place(books, sample::job({.id = 2, .gpus = 2}, 2)));
}

TEST(PlaceExclusive, SplitsAGangThatNoTypeCanHold) {
  const Cluster cluster = sample::cluster("1x2xV100-16GB+1x2xA100-40GB");
  Books books{cluster, BooksOptions{}};
  books.book(sample::job({.id = 1}, 2), Placement{.job = JobId{1}, .gpus = {0}},
             Sharing::Exclusive);
  const auto gang = place(books, sample::job({.id = 2, .gpus = 3}, 2));
  ASSERT_TRUE(gang);
  EXPECT_THAT(gang->placement.gpus, ElementsAre(1U, 2U, 3U));
}

TEST(PlaceExclusive, UsesNoTypeThatCannotHoldTheMemory) {
  const Cluster cluster = sample::cluster("1x2xV100-16GB+1x2xA100-40GB");
  const Books books{cluster, BooksOptions{}};
  const auto next = place(books, sample::job({.id = 1, .memory_mib = 20'000}, 2));
  ASSERT_TRUE(next);
  EXPECT_THAT(next->placement.gpus, ElementsAre(2U));
}

}  // namespace
}  // namespace horus::sched
