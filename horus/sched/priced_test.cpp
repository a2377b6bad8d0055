// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/priced.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/sched/cost.hpp"
#include "horus/sched/sample.hpp"

namespace horus::sched {
namespace {

using sample::mib;
using ::testing::ElementsAre;

void book_on(Books& books, const sample::JobSketch& sketch, GpuIndex gpu) {
  books.book(sample::job(sketch, books.type_count()),
             Placement{.job = JobId{sketch.id}, .gpus = {gpu}}, Sharing::Shared);
}

std::vector<GpuIndex> gpus_of(const std::optional<Decision>& decision) {
  return decision ? decision->placement.gpus : std::vector<GpuIndex>{};
}

TEST(PlaceByCost, SpreadsFirstAndThenJoinsWhoeverFillsTheGpu) {
  const Cluster cluster = sample::cluster("1x3xV100-16GB");
  Books books{cluster, BooksOptions{}};
  const WaitingJob job = sample::waiting(sample::job({.id = 9, .max_percent = 50}));
  book_on(books, {.id = 1, .mean_percent = 90}, 0);
  book_on(books, {.id = 2, .mean_percent = 50}, 1);
  EXPECT_THAT(gpus_of(place_by_cost(books, job)), ElementsAre(2U));
  book_on(books, {.id = 3, .mean_percent = 10}, 2);
  // 50 % + 50 % fills GPU 1 exactly; 140 % on GPU 0 and 60 % on GPU 2 cost 0.64 and 0.4 more.
  EXPECT_THAT(gpus_of(place_by_cost(books, job)), ElementsAre(1U));
}

TEST(PlaceByCost, BreaksTiesByTheLowerNumber) {
  const Cluster cluster = sample::cluster("1x3xV100-16GB");
  Books books{cluster, BooksOptions{}};
  for (const GpuIndex gpu : {2U, 1U, 0U}) book_on(books, {.id = gpu}, gpu);
  const WaitingJob job = sample::waiting(sample::job({.id = 9}));
  EXPECT_THAT(gpus_of(place_by_cost(books, job)), ElementsAre(0U));
}

TEST(PlaceByCost, KeepsTheMarginFreeOnSharedGpus) {
  const Cluster cluster = sample::cluster("1x1xV100-16GB");
  Books books{cluster, BooksOptions{}};
  const auto all = books.capacity(0).count() >> 20;
  book_on(books, {.id = 1, .memory_mib = all - 4096 - 500}, 0);
  const WaitingJob job = sample::waiting(sample::job({.id = 9, .memory_mib = 4096}));
  EXPECT_FALSE(place_by_cost(books, job));
  books.release(JobId{1});
  book_on(books, {.id = 1, .memory_mib = all - 4096 - 501}, 0);
  EXPECT_TRUE(place_by_cost(books, job));
}

TEST(PlaceByCost, AllowsThreeResidentsEvenWhereTheBooksAllowMore) {
  const Cluster cluster = sample::cluster("1x1xV100-16GB");
  Books books{cluster, BooksOptions{.max_residents = 5}};
  const WaitingJob job = sample::waiting(sample::job({.id = 9, .memory_mib = 100}));
  for (std::uint64_t id = 1; id <= 2; ++id) book_on(books, {.id = id, .memory_mib = 100}, 0);
  EXPECT_TRUE(place_by_cost(books, job));
  book_on(books, {.id = 3, .memory_mib = 100}, 0);
  EXPECT_FALSE(place_by_cost(books, job));
}

TEST(PlaceByCost, GivesALoneJobOnlyEmptyGpusAndAllOfTheirMemory) {
  const Cluster cluster = sample::cluster("1x2xV100-16GB");
  Books books{cluster, BooksOptions{}};
  book_on(books, {.id = 1, .mean_percent = 1, .memory_mib = 100}, 0);
  const auto all = books.capacity(0).count() >> 20;
  WaitingJob job = sample::waiting(sample::job({.id = 9, .memory_mib = all}));
  job.alone = true;
  const auto decision = place_by_cost(books, job);
  EXPECT_THAT(gpus_of(decision), ElementsAre(1U));
  EXPECT_TRUE(decision && decision->exclusive);
  book_on(books, {.id = 2, .mean_percent = 1, .memory_mib = 100}, 1);
  EXPECT_FALSE(place_by_cost(books, job));
}

TEST(PlaceByCost, RunsAJobAloneThatNoGpuHoldsWithTheMargin) {
  const Cluster cluster = sample::cluster("1x1xV100-16GB");
  const Books books{cluster, BooksOptions{}};
  const auto all = books.capacity(0).count() >> 20;
  const auto decision =
      place_by_cost(books, sample::waiting(sample::job({.id = 9, .memory_mib = all - 500})));
  EXPECT_TRUE(decision && decision->exclusive);
  const auto shared =
      place_by_cost(books, sample::waiting(sample::job({.id = 9, .memory_mib = all - 501})));
  EXPECT_TRUE(shared && !shared->exclusive);
}

TEST(PlaceByCost, GivesASharedGangTheCheapestGpusOfTheCheapestType) {
  const Cluster cluster = sample::cluster("1x4xV100-16GB+1x2xA100-40GB");
  Books books{cluster, BooksOptions{.gangs_exclusive = false}};
  const WaitingJob gang = sample::waiting(sample::job({.id = 9, .gpus = 2}, 2));
  // Equal but for memory, of which the same amount is a smaller share of the larger GPU.
  EXPECT_THAT(gpus_of(place_by_cost(books, gang)), ElementsAre(4U, 5U));
  book_on(books, {.id = 1}, 4);
  book_on(books, {.id = 2}, 0);
  EXPECT_THAT(gpus_of(place_by_cost(books, gang)), ElementsAre(1U, 2U));
}

}  // namespace
}  // namespace horus::sched
