// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/clustered_queues.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/sched/sample.hpp"

namespace horus::sched {
namespace {

using ::testing::ElementsAre;

TimePoint at_second(std::int64_t second) { return TimePoint{std::chrono::seconds{second}}; }

WaitingJob job_since(std::uint64_t id, int percent, std::int64_t since_s) {
  WaitingJob job =
      sample::waiting(sample::job({.id = id, .mean_percent = percent, .max_percent = percent}));
  job.waiting_since = at_second(since_s);
  return job;
}

std::vector<std::uint64_t> take(ClusteredQueues& queues, std::size_t count, TimePoint now) {
  std::vector<std::uint64_t> taken;
  while (taken.size() < count) {
    const auto job = queues.take_next(now);
    if (!job) break;
    taken.push_back(job->value);
  }
  for (const std::uint64_t id : taken) queues.put_back(JobId{id});
  return taken;
}

/// Light jobs 1 to 3 since 90 s, middling 11 and 12 since 50 s, heavy 21 since 0 s.
ClusteredQueues three_kinds() {
  ClusteredQueues queues{1};
  for (std::uint64_t id = 1; id <= 3; ++id) queues.add(job_since(id, 10, 90));
  for (std::uint64_t id = 11; id <= 12; ++id) queues.add(job_since(id, 50, 50));
  queues.add(job_since(21, 95, 0));
  queues.settle();
  return queues;
}

TEST(ClusteredQueues, NumberLikeJobsFromLightToHeavy) {
  const ClusteredQueues queues = three_kinds();
  EXPECT_EQ(queues.queue_of(JobId{1}), 0U);
  EXPECT_EQ(queues.queue_of(JobId{3}), 0U);
  EXPECT_EQ(queues.queue_of(JobId{11}), 1U);
  EXPECT_EQ(queues.queue_of(JobId{12}), 1U);
  EXPECT_EQ(queues.queue_of(JobId{21}), 2U);
}

TEST(ClusteredQueues, GiveFromTheQueueWithTheMostCreditAtEachTake) {
  // At 100 s the credits are 3 x 10 = 30, 2 x 50 = 100, 1 x 100 = 100: the lower queue wins the
  // tie; then 1 x 50 = 50 against 100; then 50 against 30; then the light ones: 30, 20, 10.
  ClusteredQueues queues = three_kinds();
  EXPECT_THAT(take(queues, 9, at_second(100)), ElementsAre(11, 21, 12, 1, 2, 3));
  // What was put back is taken again.
  EXPECT_THAT(take(queues, 2, at_second(100)), ElementsAre(11, 21));
}

TEST(ClusteredQueues, SendNewcomersToTheNearestCentroidUntilATenthHasChanged) {
  ClusteredQueues queues{1};
  std::uint64_t id = 0;
  for (int i = 0; i < 20; ++i) queues.add(job_since(++id, 10, 0));
  for (int i = 0; i < 20; ++i) queues.add(job_since(++id, 20, 0));
  for (int i = 0; i < 20; ++i) queues.add(job_since(++id, 30, 0));
  queues.settle();
  // 100 % is nearest to the heaviest queue as long as there is no queue of its own.
  for (int i = 0; i < 5; ++i) queues.add(job_since(++id, 100, 0));
  queues.settle();
  EXPECT_EQ(queues.queue_of(JobId{21}), 1U);
  EXPECT_EQ(queues.queue_of(JobId{61}), 2U);
  EXPECT_EQ(queues.queue_of(JobId{41}), 2U);
  // The sixth newcomer makes a tenth: now the heavy jobs get a queue to themselves.
  queues.add(job_since(++id, 100, 0));
  queues.settle();
  EXPECT_EQ(queues.queue_of(JobId{61}), 2U);
  EXPECT_EQ(queues.queue_of(JobId{66}), 2U);
  EXPECT_LT(queues.queue_of(JobId{41}), 2U);
}

TEST(ClusteredQueues, DoNotDependOnTheOrderOfAddition) {
  Rng rng{31};
  std::vector<WaitingJob> jobs;
  for (std::uint64_t id = 1; id <= 100; ++id) {
    jobs.push_back(sample::waiting(sample::random_job(id, 1, 8, rng)));
  }
  ClusteredQueues forward{4};
  ClusteredQueues backward{4};
  for (const WaitingJob& job : jobs) forward.add(job);
  for (auto job = jobs.rbegin(); job != jobs.rend(); ++job) backward.add(*job);
  forward.settle();
  backward.settle();
  EXPECT_EQ(take(forward, 100, at_second(500)), take(backward, 100, at_second(500)));
}

TEST(ClusteredQueues, ForgetRemovedJobs) {
  ClusteredQueues queues = three_kinds();
  queues.remove(JobId{11});
  queues.remove(JobId{21});
  queues.settle();
  EXPECT_THAT(take(queues, 9, at_second(100)), ElementsAre(12, 1, 2, 3));
}

}  // namespace
}  // namespace horus::sched
