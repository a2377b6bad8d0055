// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/time_spread.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "horus/lab/generated_steps_test.hpp"

namespace horus::lab {
namespace {

using generated::Jobs;
using generated::Machine;

std::vector<Machine> one_machine() {
  Machine machine{.gpu = "V100-16GB", .host = "host", .truth = {}};
  machine.truth.host_factor = 1.6;
  return {machine};
}

Interval step_of(const Sample& sample, const predict::TimeConstants& constants, double factor) {
  return predict::step_interval(parts_at(sample, constants),
                                {factor * constants.sigma_gpu, factor * constants.sigma_host,
                                 factor * constants.sigma_loader},
                                constants);
}

TEST(TimeSpread, VisitsEverySampleOnceWithAFitThatHadNotSeenItsModel) {
  const Jobs jobs{one_machine(), 40, 0.1};
  const TimeFit fit = fit_time(jobs.all());
  std::vector<const Sample*> visited;
  bool differs = false;
  visit_unseen(
      jobs.all(), fit, {}, Unseen::Models, [&](const Sample& sample, const auto& constants) {
        visited.push_back(&sample);
        differs = differs ||
                  constants.host_factor != fit.at(sample.row->gpu, sample.row->host).host_factor;
      });
  std::ranges::sort(visited);
  std::vector<const Sample*> all(jobs.all().begin(), jobs.all().end());
  std::ranges::sort(all);
  EXPECT_EQ(visited, all);
  EXPECT_TRUE(differs);
}

TEST(TimeSpread, AMachineIsHeldOutWithAllItsJobs) {
  std::vector<Machine> machines{{.gpu = "V100-16GB", .host = "slow", .truth = {}},
                                {.gpu = "V100-16GB", .host = "quick", .truth = {}}};
  machines[0].truth.host_factor = 2;
  const Jobs jobs{machines, 20};
  std::size_t visited = 0;
  visit_unseen(jobs.all(), fit_time(jobs.all()), {}, Unseen::Machines,
               [&](const Sample&, const predict::TimeConstants& constants) {
                 ++visited;
                 EXPECT_EQ(constants.host_factor, 1);  // Nothing is known of that host.
               });
  EXPECT_EQ(visited, jobs.all().size());
}

TEST(TimeSpread, NothingIsVisitedWhereThereIsOneMachineOnly) {
  const Jobs jobs{one_machine(), 20};
  visit_unseen(jobs.all(), fit_time(jobs.all()), {}, Unseen::Machines,
               [](const Sample&, const predict::TimeConstants&) { ADD_FAILURE(); });
}

TEST(TimeSpread, IntervalsHoldFourOfFiveStepsOfNewModels) {
  const Jobs seen{one_machine(), 100, 0.3};
  const Jobs unseen{one_machine(), 200, 0.3, 77};
  const TimeFit fit = fit_time(seen.all());
  const auto factor = spread_factor(seen.all(), fit, {});
  ASSERT_TRUE(factor);
  const predict::TimeConstants constants = fit.at("V100-16GB", "host");
  int inside = 0;
  for (const Sample* sample : unseen.all()) {
    const Interval step = step_of(*sample, constants, *factor);
    const double measured = *sample->row->measured.step_s;
    inside += step.low <= measured && measured <= step.high ? 1 : 0;
  }
  EXPECT_GT(inside, 130);
  EXPECT_LT(inside, 195);
}

TEST(TimeSpread, QuieterMeasurementsMakeNarrowerIntervals) {
  const auto factor_at = [](double noise) {
    const Jobs jobs{one_machine(), 100, noise};
    return *spread_factor(jobs.all(), fit_time(jobs.all()), {});
  };
  EXPECT_LT(factor_at(0.05), 0.6 * factor_at(0.3));
}

TEST(TimeSpread, NothingIsSaidOfFewJobs) {
  const Jobs jobs{one_machine(), 8};
  EXPECT_FALSE(spread_factor(jobs.all(), fit_time(jobs.all()), {}));
}

}  // namespace
}  // namespace horus::lab
