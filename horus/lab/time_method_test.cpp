// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/time_method.hpp"

#include <gtest/gtest.h>

#include "horus/lab/generated_steps_test.hpp"

namespace horus::lab {
namespace {

using generated::Jobs;
using generated::Machine;
using Wanted = Training::Wanted;

std::vector<Machine> one_machine() {
  Machine machine{.gpu = "V100-16GB", .host = "host", .truth = {}};
  machine.truth.gpu_factor = 1.2;
  machine.truth.host_factor = 1.6;
  return {machine};
}

/// Rates that nothing waits for: the host's pipeline is then no unknown.
void state_rates(Jobs& jobs) {
  for (std::size_t i = 0; i < jobs.all().size(); ++i) jobs.row(i).setup.samples_per_second = 1e9;
}

TEST(TimeMethod, IntervalsHoldFourOfFiveJobsOfNewModels) {
  Jobs seen{one_machine(), 100, 0.3};
  Jobs unseen{one_machine(), 200, 0.3, 77};
  state_rates(seen);
  state_rates(unseen);
  const auto fitted = time_method()->fit({.pool = seen.all(), .target = {}});
  int steps = 0;
  int utilizations = 0;
  for (const Sample* sample : unseen.all()) {
    const Guess guess = fitted->guess(*sample);
    const auto holds = [](const Interval& interval, double value) {
      return interval.low <= value && value <= interval.high;
    };
    steps += holds(*guess.step_s, *sample->row->measured.step_s) ? 1 : 0;
    utilizations += holds(*guess.utilization, *sample->row->measured.utilization) ? 1 : 0;
  }
  // 160 of 200. Three standard deviations: 17 for the chance in these, 25 for that in 100 errors.
  EXPECT_NEAR(steps, 160, 30);
  EXPECT_NEAR(utilizations, 160, 30);
}

TEST(TimeMethod, ExpectsTheSameWhetherOrNotIntervalsAreWanted) {
  const Jobs jobs{one_machine(), 40, 0.1};
  const auto both = time_method()->fit({.pool = jobs.all(), .target = {}});
  const auto expected =
      time_method()->fit({.pool = jobs.all(), .target = {}, .wanted = Wanted::Expected});
  for (const Sample* sample : jobs.all()) {
    EXPECT_EQ(expected->guess(*sample).step_s->expected, both->guess(*sample).step_s->expected);
  }
}

TEST(TimeMethod, ANearbyFitSparesTimeAndChangesNothing) {
  const Jobs jobs{one_machine(), 60, 0.1};
  const auto near =
      time_method()->fit({.pool = jobs.first(50), .target = {}, .wanted = Wanted::Expected});
  const auto anew =
      time_method()->fit({.pool = jobs.all(), .target = {}, .wanted = Wanted::Expected});
  const auto found = time_method()->fit(
      {.pool = jobs.all(), .target = {}, .wanted = Wanted::Expected, .nearby = near.get()});
  for (const Sample* sample : jobs.all()) {
    const double expected = anew->guess(*sample).step_s->expected;
    EXPECT_NEAR(found->guess(*sample).step_s->expected, expected, 0.005 * expected);
  }
}

TEST(TimeMethod, AnUnknownPipelineMayLeaveTheGpuIdle) {
  Jobs jobs{one_machine(), 40, 0.1};
  state_rates(jobs);
  const auto fitted = time_method()->fit({.pool = jobs.all(), .target = {}});
  const Sample& sample = *jobs.all()[0];
  EXPECT_GT(fitted->guess(sample).utilization->low, 0);
  jobs.row(0).setup.samples_per_second.reset();
  EXPECT_EQ(fitted->guess(sample).utilization->low, 0);
  jobs.row(0).setup.input_place = InputPlace::Gpu;
  EXPECT_GT(fitted->guess(sample).utilization->low, 0) << "batches on the GPU need no pipeline";
}

TEST(TimeMethod, AsItIsUsesTheSitesOfTheModel) {
  const Jobs jobs{one_machine(), 10};
  predict::Model model;
  const double plain = time_method()->as_is(model)->guess(*jobs.all()[0]).step_s->expected;
  model.sites = {{.gpu = "V100-16GB", .host_factor = 1.6, .gpu_factor = 1.2, .jobs = 10}};
  const double known = time_method()->as_is(model)->guess(*jobs.all()[0]).step_s->expected;
  EXPECT_NE(known, plain);
  EXPECT_NEAR(known, *jobs.row(0).measured.step_s, 1e-9);
}

}  // namespace
}  // namespace horus::lab
