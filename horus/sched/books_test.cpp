// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/books.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/sched/audit.hpp"
#include "horus/sched/sample.hpp"

namespace horus::sched {
namespace {

using sample::mib;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Placement on(std::uint64_t job, std::vector<GpuIndex> gpus) {
  return Placement{.job = JobId{job}, .gpus = std::move(gpus)};
}

TEST(Books, AddAndSubtractWhatIsPromised) {
  const Cluster cluster = sample::cluster("1x2xV100-16GB");
  Books books{cluster, BooksOptions{}};
  const GpuAccount empty = books.gpus()[1];
  books.book(sample::job({.id = 1, .mean_percent = 70, .max_percent = 90}), on(1, {1}),
             Sharing::Shared);
  books.book(sample::job({.id = 2, .mean_percent = 60, .max_percent = 80}), on(2, {1}),
             Sharing::Shared);
  EXPECT_EQ(books.gpus()[1].memory, mib(8192));
  EXPECT_EQ(books.gpus()[1].utilization_mean, Permille{1300});
  EXPECT_EQ(books.gpus()[1].utilization_max, Permille{1700});
  EXPECT_THAT(books.residents(1), ElementsAre(JobId{1}, JobId{2}));
  EXPECT_EQ(books.empty_of(0), 1U);
  books.release(JobId{1});
  EXPECT_THAT(books.residents(1), ElementsAre(JobId{2}));
  books.release(JobId{2});
  EXPECT_EQ(books.gpus()[1], empty);
  EXPECT_EQ(books.empty_of(0), 2U);
}

TEST(Books, CountEachTaskOfAGangOnItsOwnType) {
  const Cluster cluster = sample::cluster("1x1xV100-16GB+1x1xA100-40GB");
  Books books{cluster, BooksOptions{}};
  JobSpec gang = sample::job({.id = 1, .gpus = 2}, 2);
  gang.demand_by_type[1].memory_bound = mib(20'000);
  books.book(gang, on(1, {0, 1}), Sharing::Exclusive);
  EXPECT_EQ(books.gpus()[0].memory, mib(4096));
  EXPECT_EQ(books.gpus()[1].memory, mib(20'000));
  EXPECT_EQ(audit(books), std::nullopt);
}

TEST(Books, OfferNoGpuThatIsExclusiveOrFull) {
  const Cluster cluster = sample::cluster("1x3xV100-16GB");
  Books books{cluster, BooksOptions{.max_residents = 2}};
  books.book(sample::job({.id = 1}), on(1, {0}), Sharing::Exclusive);
  books.book(sample::job({.id = 2}), on(2, {1}), Sharing::Shared);
  books.book(sample::job({.id = 3}), on(3, {1}), Sharing::Shared);
  books.book(sample::job({.id = 4}), on(4, {2}), Sharing::Shared);
  CheapestGpus best{3};
  books.offer_cheapest({.type = 0,
                        .task = sample::job({}).demand_by_type[0],
                        .booked_max = mib(16'000),
                        .max_residents = 3},
                       best);
  ASSERT_EQ(best.kept().size(), 1U);
  EXPECT_EQ(best.kept()[0].gpu, 2U);
  std::vector<GpuIndex> roomy;
  books.append_with_room({.type = 0, .residents = 1, .booked_max = mib(16'000)}, 9, roomy);
  EXPECT_THAT(roomy, ElementsAre(2U));
  books.append_empty(0, 9, roomy);
  EXPECT_THAT(roomy, ElementsAre(2U));
}

// The order of (cost, number) over all GPUs, computed from the accounts alone.
std::vector<PricedGpu> scan(const Books& books, const JobSpec& job, Bytes margin,
                            int max_residents) {
  std::vector<PricedGpu> priced;
  for (GpuIndex gpu = 0; gpu < books.gpus().size(); ++gpu) {
    const GpuAccount& account = books.gpus()[gpu];
    const TaskDemand& task = job.demand_by_type[account.type];
    const Bytes capacity = books.capacity(account.type);
    const bool open = account.sharing == Sharing::Shared && account.residents < max_residents;
    if (!open || capacity - account.memory - task.memory_bound < margin) continue;
    const GpuLoad load{.memory = account.memory,
                       .utilization = std::min(account.utilization_mean, kWholeGpu),
                       .residents = account.residents};
    priced.push_back({.cost = placement_cost(load, task, capacity), .gpu = gpu});
  }
  std::ranges::sort(priced);
  return priced;
}

// Fills books at random; `seed` decides.
void fill(Books& books, Rng& rng) {
  const auto gpus = books.gpus().size();
  for (std::uint64_t id = 1; id <= 3 * gpus; ++id) {
    const JobSpec job = sample::random_job(id, books.type_count(), 1, rng);
    const auto gpu = static_cast<GpuIndex>(rng.below(gpus));
    const auto open = scan(books, job, Bytes{}, books.options().max_residents);
    if (std::ranges::find(open, gpu, &PricedGpu::gpu) == open.end()) continue;
    const bool exclusive = books.gpus()[gpu].residents == 0 && rng.uniform() < 0.1;
    books.book(job, on(id, {gpu}), exclusive ? Sharing::Exclusive : Sharing::Shared);
    if (rng.uniform() < 0.3) books.release(books.bookings().begin()->first);
  }
}

TEST(Books, OfferTheSameGpusAsAScanOfTheWholeCluster) {
  const Cluster cluster = sample::cluster("4x8xV100-16GB+2x4xA100-40GB+2x8xV100-16GB");
  Rng rng{17};
  for (int round = 0; round < 30; ++round) {
    const int most = 1 + round % 4;
    Books books{cluster, BooksOptions{.max_residents = most}};
    fill(books, rng);
    ASSERT_EQ(audit(books), std::nullopt);
    for (std::uint64_t id = 1000; id < 1020; ++id) {
      const JobSpec job = sample::random_job(id, 2, 1, rng);
      const auto wanted = static_cast<std::size_t>(1 + rng.below(10));
      CheapestGpus best{wanted};
      for (std::size_t type = 0; type < 2; ++type) {
        const TaskDemand& task = job.demand_by_type[type];
        books.offer_cheapest({.type = type,
                              .task = task,
                              .booked_max = memory_limit(task, books.capacity(type)),
                              .max_residents = kMaxResidents},
                             best);
      }
      auto expected = scan(books, job, kMemoryMargin + Bytes{1}, std::min(most, kMaxResidents));
      expected.resize(std::min(expected.size(), wanted));
      ASSERT_EQ(best.take_sorted(), expected) << "seed 17, round " << round << ", job " << id;
    }
  }
}

TEST(BooksDeathTest, RefuseWhatNoPolicyMayPromise) {
  const Cluster cluster = sample::cluster("1x2xV100-16GB");
  Books books{cluster, BooksOptions{}};
  books.book(sample::job({.id = 1, .memory_mib = 12'000}), on(1, {0}), Sharing::Shared);
  const JobSpec job = sample::job({.id = 2});
  const JobSpec large = sample::job({.id = 2, .memory_mib = 5'000});
  const JobSpec gang = sample::job({.id = 2, .gpus = 2});
  EXPECT_DEATH(books.book(large, on(2, {0}), Sharing::Shared), "memory is never promised twice");
  EXPECT_DEATH(books.book(job, on(2, {0}), Sharing::Exclusive), "empty GPUs only");
  EXPECT_DEATH(books.book(gang, on(2, {1}), Sharing::Shared), "a gang starts whole");
  EXPECT_DEATH(books.book(gang, on(2, {1, 1}), Sharing::Shared), "distinct GPUs");
  EXPECT_DEATH(books.book(job, on(2, {2}), Sharing::Shared), "counted from 0");
  EXPECT_DEATH(books.release(JobId{2}), "only a running job");
}

}  // namespace
}  // namespace horus::sched
