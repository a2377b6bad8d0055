// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/skip_queue.hpp"

#include <gtest/gtest.h>

#include "horus/sched/sample.hpp"

namespace horus::sched {
namespace {

int ask_gpus(const WaitingJob& job) { return job.spec.gpus; }

std::uint64_t earliest(const SkipQueue<int>& queue, int gpus_free) {
  const WaitingJob* job = queue.earliest([&](int gpus) { return gpus <= gpus_free; });
  return job == nullptr ? 0 : job->spec.id.value;
}

TEST(SkipQueue, GivesTheEarliestJobThatFits) {
  SkipQueue<int> queue;
  queue.add(sample::waiting(sample::job({.id = 3, .gpus = 1})));
  queue.add(sample::waiting(sample::job({.id = 1, .gpus = 8})));
  queue.add(sample::waiting(sample::job({.id = 2, .gpus = 2})));
  queue.settle(ask_gpus);
  EXPECT_EQ(earliest(queue, 8), 1U);
  EXPECT_EQ(earliest(queue, 4), 2U);
  EXPECT_EQ(earliest(queue, 1), 3U);
  EXPECT_EQ(earliest(queue, 0), 0U);
}

TEST(SkipQueue, LooksOncePerDistinctAsk) {
  SkipQueue<int> queue;
  for (std::uint64_t id = 1; id <= 1000; ++id) {
    queue.add(sample::waiting(sample::job({.id = id, .gpus = 1 + static_cast<int>(id % 4)})));
  }
  queue.settle(ask_gpus);
  int looks = 0;
  EXPECT_EQ(queue.earliest([&](int) { return ++looks, false; }), nullptr);
  EXPECT_EQ(looks, 4);
}

TEST(SkipQueue, ForgetsRemovedJobsSettledOrNot) {
  SkipQueue<int> queue;
  queue.add(sample::waiting(sample::job({.id = 1})));
  queue.add(sample::waiting(sample::job({.id = 2})));
  queue.remove(JobId{1});
  queue.settle(ask_gpus);
  EXPECT_EQ(earliest(queue, 8), 2U);
  queue.remove(JobId{2});
  EXPECT_EQ(earliest(queue, 8), 0U);
  queue.add(sample::waiting(sample::job({.id = 1})));
  queue.settle(ask_gpus);
  EXPECT_EQ(earliest(queue, 8), 1U);
}

}  // namespace
}  // namespace horus::sched
