// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/packed.hpp"

#include <algorithm>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/sched/sample.hpp"

namespace horus::sched {
namespace {

using sample::mib;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<GpuIndex> pack_job(const Books& books, const JobSpec& job) {
  return pack(books, pack_ask(books, sample::waiting(job)));
}

void book_on(Books& books, const sample::JobSketch& sketch, GpuIndex gpu) {
  books.book(sample::job(sketch, books.type_count()),
             Placement{.job = JobId{sketch.id}, .gpus = {gpu}}, Sharing::Shared);
}

TEST(PackAsk, RoundsMemoryUpButNotBeyondTheGpu) {
  const Cluster cluster = sample::cluster("1x1xV100-16GB");
  const Books books{cluster, BooksOptions{}};
  JobSpec job = sample::job({.id = 1});
  job.demand_by_type[0].memory_bound = mib(64) + Bytes{1};
  EXPECT_EQ(pack_ask(books, sample::waiting(job)).memory_by_type[0], mib(128));
  job.demand_by_type[0].memory_bound = books.capacity(0) - Bytes{1};
  EXPECT_EQ(pack_ask(books, sample::waiting(job)).memory_by_type[0], books.capacity(0));
}

TEST(Pack, PrefersFewResidentsThenLowNumbersAndIsBlindToUtilization) {
  const Cluster cluster = sample::cluster("1x3xV100-16GB");
  Books books{cluster, BooksOptions{}};
  book_on(books, {.id = 1, .mean_percent = 100, .max_percent = 100}, 0);
  book_on(books, {.id = 2, .mean_percent = 1, .max_percent = 1}, 1);
  EXPECT_THAT(pack_job(books, sample::job({.id = 9})), ElementsAre(2U));
  book_on(books, {.id = 3, .mean_percent = 1, .max_percent = 1}, 2);
  EXPECT_THAT(pack_job(books, sample::job({.id = 9})), ElementsAre(0U));
  book_on(books, {.id = 4}, 0);
  EXPECT_THAT(pack_job(books, sample::job({.id = 9})), ElementsAre(1U));
}

TEST(Pack, FillsTheMemoryToTheLastByte) {
  const Cluster cluster = sample::cluster("1x1xV100-16GB");
  Books books{cluster, BooksOptions{}};
  const auto all = books.capacity(0).count() >> 20;
  book_on(books, {.id = 1, .memory_mib = all - 64}, 0);
  EXPECT_THAT(pack_job(books, sample::job({.id = 2, .memory_mib = 65})), IsEmpty());
  EXPECT_THAT(pack_job(books, sample::job({.id = 2, .memory_mib = 64})), ElementsAre(0U));
}

TEST(Pack, KeepsASharedGangOnTheTypeWithTheFewestResidents) {
  const Cluster cluster = sample::cluster("1x2xV100-16GB+1x2xA100-40GB");
  Books books{cluster, BooksOptions{.gangs_exclusive = false}};
  const JobSpec gang = sample::job({.id = 9, .gpus = 2}, 2);
  EXPECT_THAT(pack_job(books, gang), ElementsAre(0U, 1U));
  book_on(books, {.id = 1}, 1);
  EXPECT_THAT(pack_job(books, gang), ElementsAre(2U, 3U));
  book_on(books, {.id = 2}, 2);
  EXPECT_THAT(pack_job(books, gang), ElementsAre(0U, 1U));
}

TEST(Pack, AgreesWithAScanForSingleGpuJobs) {
  const Cluster cluster = sample::cluster("2x8xV100-16GB+2x4xA100-40GB");
  Rng rng{29};
  for (int round = 0; round < 20; ++round) {
    Books books{cluster, BooksOptions{}};
    for (std::uint64_t id = 1; id < 120; ++id) {
      const JobSpec job = sample::random_job(id, 2, 1, rng);
      std::vector<std::tuple<int, GpuIndex>> open;
      for (GpuIndex gpu = 0; gpu < books.gpus().size(); ++gpu) {
        const GpuAccount& account = books.gpus()[gpu];
        const std::int64_t bound = job.demand_by_type[account.type].memory_bound.count();
        const Bytes rounded{(bound + (64 << 20) - 1) / (64 << 20) * (64 << 20)};
        const bool fits = account.memory + rounded <= books.capacity(account.type);
        if (fits && account.residents < 3) open.emplace_back(account.residents, gpu);
      }
      const auto found = pack_job(books, job);
      ASSERT_EQ(found.empty(), open.empty()) << "seed 29";
      if (open.empty()) continue;
      ASSERT_EQ(found.front(), std::get<1>(*std::ranges::min_element(open))) << "seed 29";
      books.book(job, Placement{.job = JobId{id}, .gpus = found}, Sharing::Shared);
      if (rng.uniform() < 0.4) books.release(books.bookings().begin()->first);
    }
  }
}

}  // namespace
}  // namespace horus::sched
