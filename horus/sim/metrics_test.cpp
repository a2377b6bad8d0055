// SPDX-License-Identifier: Apache-2.0
#include "horus/sim/metrics.hpp"

#include <gtest/gtest.h>

namespace horus::sim {
namespace {

JobOutcome outcome(double arrival_s, double start_s, double finish_s, double held_s,
                   double slowdown) {
  JobOutcome job;
  job.arrival = TimePoint{from_seconds(arrival_s)};
  job.first_start = TimePoint{from_seconds(start_s)};
  job.finish = TimePoint{from_seconds(finish_s)};
  job.held = from_seconds(held_s);
  job.slowdown = slowdown;
  return job;
}

TEST(Percentile, IsTheNearestRank) {
  std::vector<double> five{15, 20, 35, 40, 50};  // The textbook example of the nearest-rank method.
  EXPECT_EQ(percentile(five, 5), 15);
  EXPECT_EQ(percentile(five, 30), 20);
  EXPECT_EQ(percentile(five, 40), 20);
  EXPECT_EQ(percentile(five, 50), 35);
  EXPECT_EQ(percentile(five, 100), 50);
  std::vector<double> none;
  EXPECT_EQ(percentile(none, 99), 0.0);
}

TEST(Percentile, NinetyNineOfAHundredIsTheLastButOne) {
  std::vector<double> values;
  for (int i = 1; i <= 100; ++i) values.push_back(i);
  EXPECT_EQ(percentile(values, 99), 99);
}

TEST(Summarize, FollowsTheDefinitions) {
  SimResult result;
  result.gpus = 2;
  result.first_arrival = TimePoint{from_seconds(10)};
  result.last_completion = TimePoint{from_seconds(110)};
  result.busy_gpu_s = 50;
  result.lost_work_gpu_s = 7;
  result.events[static_cast<std::size_t>(EventKind::Death)] = 3;
  result.jobs = {outcome(10, 10, 60, 40, 1.25), outcome(20, 30, 110, 80, 1.5)};
  JobOutcome rejected;
  rejected.arrival = TimePoint{from_seconds(11)};
  result.jobs.push_back(rejected);
  result.rejections.push_back({JobId{9}, "too wide"});

  const PolicyResult figures = summarize("some", result);
  EXPECT_EQ(figures.policy, "some");
  EXPECT_EQ(figures.jobs_finished, 2U);
  EXPECT_EQ(figures.jobs_rejected, 1U);
  EXPECT_DOUBLE_EQ(figures.makespan_s, 100);
  EXPECT_DOUBLE_EQ(figures.jct_mean_s, 70);
  EXPECT_DOUBLE_EQ(figures.jct_p50_s, 50);
  EXPECT_DOUBLE_EQ(figures.jct_p99_s, 90);
  EXPECT_DOUBLE_EQ(figures.wait_mean_s, 10);  // 50 - 40 and 90 - 80.
  EXPECT_DOUBLE_EQ(figures.first_start_mean_s, 5);
  EXPECT_DOUBLE_EQ(figures.gpu_utilization, 0.25);
  EXPECT_DOUBLE_EQ(figures.slowdown_mean, 1.375);
  EXPECT_DOUBLE_EQ(figures.slowdown_p99, 1.5);
  EXPECT_DOUBLE_EQ(figures.beyond_tolerance, 0.5);  // 1.25 itself is within.
  EXPECT_EQ(figures.oom_deaths, 3U);
  EXPECT_DOUBLE_EQ(figures.lost_work_gpu_s, 7);
  EXPECT_DOUBLE_EQ(summarize("some", result, {.tolerance = 1.2}).beyond_tolerance, 1.0);
}

TEST(Summarize, OfNothingIsZero) {
  const PolicyResult figures = summarize("none", SimResult{});
  EXPECT_EQ(figures.jobs_finished, 0U);
  EXPECT_EQ(figures.jct_p99_s, 0.0);
  EXPECT_EQ(figures.gpu_utilization, 0.0);
}

}  // namespace
}  // namespace horus::sim
