// SPDX-License-Identifier: Apache-2.0
#include "horus/sim/generate.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/sim/philly_shape.hpp"

namespace horus::sim {
namespace {

Trace made(const GenerateOptions& options) {
  auto trace = generate("philly-like", options);
  EXPECT_TRUE(trace) << trace.error().text();
  return trace ? std::move(*trace) : Trace{};
}

TEST(Generate, ReachesTheLoadByMovingArrivalsOnly) {
  const Trace light = made({.jobs = 5000, .load = 0.5, .seed = 7, .gpus = 64});
  const Trace heavy = made({.jobs = 5000, .load = 1.2, .seed = 7, .gpus = 64});
  EXPECT_NEAR(offered_load(light.jobs, 64).value() / 0.5, 1.0, 1e-6);
  EXPECT_NEAR(offered_load(heavy.jobs, 64).value() / 1.2, 1.0, 1e-6);
  for (std::size_t i = 0; i < light.jobs.size(); ++i) {
    EXPECT_EQ(light.jobs[i].duration, heavy.jobs[i].duration);
    EXPECT_EQ(light.jobs[i].gpus, heavy.jobs[i].gpus);
  }
}

TEST(Generate, ClosedPutsAllJobsAtZero) {
  const Trace trace = made({.jobs = 100, .load = -1, .arrivals = Arrivals::Closed});
  for (const TraceJob& job : trace.jobs) EXPECT_EQ(job.arrival, TimePoint{});
  EXPECT_EQ(offered_load(trace.jobs, 64), std::nullopt);
}

TEST(Generate, ArrivalsAscendAndIdsCountFromOne) {
  const Trace trace = made({.jobs = 2000});
  EXPECT_EQ(trace.jobs.front().id, JobId{1});
  EXPECT_EQ(trace.jobs.front().arrival, TimePoint{});
  EXPECT_EQ(trace.jobs.back().id, JobId{2000});
  EXPECT_TRUE(std::is_sorted(trace.jobs.begin(), trace.jobs.end(),
                             [](const auto& a, const auto& b) { return a.arrival < b.arrival; }));
}

TEST(Generate, DurationsHaveTheStatedQuantiles) {
  const Trace trace = made({.jobs = 40'000, .seed = 3, .gpus = 384});
  for (const WidthClass& width : philly_widths()) {
    std::vector<double> seconds;
    for (const TraceJob& job : trace.jobs) {
      if (job.gpus == width.gpus) seconds.push_back(to_seconds(job.duration));
    }
    if (seconds.size() < 800) continue;  // Too few to compare.
    std::sort(seconds.begin(), seconds.end());
    for (const Quantile& q : width.duration_s) {
      if (q.probability < 0.1 || q.probability > 0.9) continue;
      // The share of jobs below the stated quantile: standard error 0.018 for 800 jobs.
      const auto below = std::lower_bound(seconds.begin(), seconds.end(), q.value);
      const double share =
          static_cast<double>(below - seconds.begin()) / static_cast<double>(seconds.size());
      EXPECT_NEAR(share, q.probability, 0.06) << width.gpus << " GPUs";
    }
  }
}

TEST(Generate, WidthsHaveThePublishedSharesAndFitTheCluster) {
  const Trace trace = made({.jobs = 40'000, .seed = 5, .gpus = 8});
  const auto share_of = [&](int gpus) {
    const auto count = std::count_if(trace.jobs.begin(), trace.jobs.end(),
                                     [&](const TraceJob& job) { return job.gpus == gpus; });
    return static_cast<double>(count) / 40'000.0;
  };
  EXPECT_NEAR(share_of(1), 0.934, 0.006);
  EXPECT_NEAR(share_of(2), 0.022, 0.004);
  EXPECT_NEAR(share_of(4), 0.023, 0.004);
  EXPECT_NEAR(share_of(8), 0.020, 0.004);
  EXPECT_DOUBLE_EQ(share_of(1) + share_of(2) + share_of(4) + share_of(8), 1.0);
}

TEST(Generate, ArrivalsAreBursty) {
  const Trace trace = made({.jobs = 20'000});
  double sum = 0.0;
  double squares = 0.0;
  for (std::size_t i = 1; i < trace.jobs.size(); ++i) {
    const double gap = to_seconds(trace.jobs[i].arrival - trace.jobs[i - 1].arrival);
    sum += gap;
    squares += gap * gap;
  }
  const double n = static_cast<double>(trace.jobs.size() - 1);
  const double variance = squares / n - (sum / n) * (sum / n);
  EXPECT_GT(variance, 9.0 * (sum / n) * (sum / n));  // Poisson arrivals would have 1.
}

TEST(Generate, SameSeedSameJobsOtherSeedOthers) {
  const GenerateOptions options{.jobs = 500, .seed = 11};
  EXPECT_EQ(made(options).jobs, made(options).jobs);
  EXPECT_NE(made(options).jobs, made({.jobs = 500, .seed = 12}).jobs);
}

TEST(Generate, FirstRowsArePinned) {
  // Any change here changes every published experiment of the same seed: say so in the changelog.
  const Trace trace = made({.jobs = 5000, .load = 1.2, .seed = 1, .gpus = 64});
  std::string rows;
  for (std::size_t i = 0; i < 5; ++i) {
    const TraceJob& job = trace.jobs[i];
    rows += std::to_string(job.arrival.time_since_epoch().count()) + " " +
            std::to_string(job.duration.count()) + " " + std::to_string(job.gpus) + "\n";
  }
  EXPECT_EQ(rows,
            "0 158904277 1\n"
            "3306315609 144959380 1\n"
            "3784009484 2694919273 1\n"
            "4682654368 6002762860 1\n"
            "4683377681 1297883425 1\n");
}

TEST(Generate, RejectsWhatMakesNoSense) {
  const auto error = [](const GenerateOptions& options) {
    const auto trace = generate("philly-like", options);
    return trace ? std::string{"none"} : trace.error().text();
  };
  EXPECT_THAT(error({.jobs = 0}), testing::HasSubstr("found 0 jobs"));
  EXPECT_THAT(error({.load = 0.0}), testing::HasSubstr("found a load of 0"));
  EXPECT_THAT(error({.load = -1.0}), testing::HasSubstr("found a load of -1"));
  EXPECT_THAT(error({.load = 1e-9}), testing::HasSubstr("would spread the arrivals"));
  EXPECT_THAT(error({.gpus = 0}), testing::HasSubstr("found 0 GPUs"));
  EXPECT_THAT(generate("phily-like", {}).error().text(),
              testing::HasSubstr("Did you mean 'philly-like'?"));
}

TEST(RescaleArrivals, ReachesTheLoadAndKeepsProportionsAndDurations) {
  std::vector<TraceJob> jobs(3);
  for (std::size_t i = 0; i < 3; ++i) {
    jobs[i].duration = from_seconds(100.0);
    jobs[i].arrival = TimePoint{from_seconds(7.0 + static_cast<double>(i * i))};
  }
  ASSERT_TRUE(rescale_arrivals(jobs, 0.5, 2));
  EXPECT_EQ(to_seconds(jobs[0].arrival.time_since_epoch()), 0.0);
  EXPECT_EQ(to_seconds(jobs[1].arrival.time_since_epoch()), 75.0);
  EXPECT_EQ(to_seconds(jobs[2].arrival.time_since_epoch()), 300.0);
  EXPECT_DOUBLE_EQ(offered_load(jobs, 2).value(), 0.5);
}

TEST(RescaleArrivals, CannotSpreadWhatArrivesAtOnce) {
  std::vector<TraceJob> jobs(2);
  EXPECT_EQ(rescale_arrivals(jobs, 1.0, 2).error().code, Errc::InvalidArgument);
  EXPECT_FALSE(rescale_arrivals({}, 1.0, 2));
  jobs[1].arrival = TimePoint{from_seconds(1.0)};
  EXPECT_FALSE(rescale_arrivals(jobs, 0.0, 2));
}

}  // namespace
}  // namespace horus::sim
