// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/time_fit.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "horus/lab/generated_steps_test.hpp"
#include "horus/predict/constants.hpp"
#include "horus/predict/predictor_model.hpp"

namespace horus::lab {
namespace {

using generated::Jobs;
using generated::Machine;
using predict::KernelClass;
using predict::TimeConstants;

predict::ClassEfficiency& of_class(TimeConstants& constants, KernelClass kind) {
  return constants.efficiency[static_cast<std::size_t>(kind)];
}

/// A world whose kernels are not those of the priors.
TimeConstants truth() {
  TimeConstants constants;
  of_class(constants, KernelClass::Convolution).plain_flops = 0.60;
  of_class(constants, KernelClass::Pointwise).bandwidth = 0.85;
  return constants;
}

Machine machine(const char* gpu, const char* host, double gpu_factor, double host_factor) {
  Machine out{.gpu = gpu, .host = host, .truth = truth()};
  out.truth.gpu_factor = gpu_factor;
  out.truth.host_factor = host_factor;
  return out;
}

std::vector<NamedConstant> named(const TimeConstants& time) {
  predict::Constants constants;
  constants.time = time;
  return predict::named_constants(constants);
}

/// The mean error of the logarithm of step times.
double mean_error(const TimeFit& fit, std::span<const Sample* const> jobs) {
  double sum = 0;
  for (const Sample* sample : jobs) {
    const TimeConstants constants = fit.at(sample->row->gpu, sample->row->host);
    const double step_s = predict::step_seconds(parts_at(*sample, constants), constants);
    sum += std::abs(std::log(step_s / *sample->row->measured.step_s));
  }
  return sum / static_cast<double>(jobs.size());
}

TEST(TimeFit, FindsTheRatesAndTheFactorsBehindMeasuredSteps) {
  const Jobs jobs{{machine("V100-16GB", "old", 1.0, 2.0), machine("T4", "new", 1.2, 0.7)}, 80};
  TimeFit fit = fit_time(jobs.all());
  ASSERT_EQ(fit.sites.size(), 2U);
  EXPECT_EQ(fit.sites[0].gpu, "V100-16GB");
  EXPECT_EQ(fit.sites[0].jobs, 80U);
  // Rates of all and factors of machines are known by their products only.
  const double factor = fit.sites[0].gpu_factor;
  EXPECT_NEAR(of_class(fit.constants, KernelClass::Convolution).plain_flops / factor, 0.60, 0.03);
  EXPECT_NEAR(of_class(fit.constants, KernelClass::Pointwise).bandwidth / factor, 0.85, 0.04);
  EXPECT_NEAR(fit.sites[1].gpu_factor / factor, 1.2, 0.06);
  EXPECT_NEAR(fit.sites[0].host_factor / fit.sites[1].host_factor, 2.0 / 0.7, 0.15);
  EXPECT_LT(mean_error(fit, jobs.all()), 0.02);
}

TEST(TimeFit, HoldsForJobsThatItHasNotSeen) {
  const std::vector<Machine> machines{machine("V100-16GB", "old", 1.1, 1.5)};
  const Jobs seen{machines, 80, 0.05};
  const Jobs unseen{machines, 40, 0, 99};
  EXPECT_LT(mean_error(fit_time(seen.all()), unseen.all()), 0.03);
  EXPECT_GT(mean_error({.constants = {}, .sites = {}}, unseen.all()), 0.10);
}

TEST(TimeFit, MovesSitesOnlyWhereAskedTo) {
  const Jobs jobs{{machine("T4", "host", 1.3, 1.8)}, 5};
  const TimeFit fit = fit_time(jobs.all(), truth(), Moves::SitesOnly);
  EXPECT_EQ(named(fit.constants), named(truth()));
  ASSERT_EQ(fit.sites.size(), 1U);
  EXPECT_NEAR(fit.sites[0].gpu_factor, 1.3, 0.10);
  EXPECT_NEAR(fit.sites[0].host_factor, 1.8, 0.25);
}

TEST(TimeFit, EndsAtTheSameOptimumWhereverItBegins) {
  const Jobs jobs{{machine("V100-16GB", "old", 1.0, 2.0), machine("T4", "new", 1.2, 0.7)}, 40, 0.1};
  const TimeFit near = fit_time(jobs.first(60));
  const TimeFit from_priors = fit_time(jobs.all());
  const TimeFit from_near = fit_time(jobs.all(), {}, Moves::Everything, &near);
  const auto expected = named(from_priors.constants);
  const auto found = named(from_near.constants);
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(found[i].value, expected[i].value, 0.01 * expected[i].value) << expected[i].name;
  }
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(from_near.sites[i].gpu_factor, from_priors.sites[i].gpu_factor, 0.01);
    EXPECT_NEAR(from_near.sites[i].host_factor, from_priors.sites[i].host_factor, 0.02);
  }
}

TEST(TimeFit, FindsAPipelineThatNobodyStated) {
  Machine slow = machine("V100-16GB", "host", 1.0, 1.0);
  slow.truth.loader_sample_s = 1e-3;
  slow.truth.loader_element_s = 5e-9;
  const Jobs jobs{{slow}, 60};
  const TimeFit fit = fit_time(jobs.all(), truth());
  EXPECT_NEAR(fit.sites[0].loader_sample_s, 1e-3, 1e-4);
  EXPECT_NEAR(fit.sites[0].loader_element_s, 5e-9, 1e-9);
}

TEST(TimeFit, LooksForNoPipelineWhereARateIsStated) {
  Jobs jobs{{machine("V100-16GB", "host", 1.0, 1.0)}, 10};
  for (std::size_t i = 0; i < 10; ++i) jobs.row(i).setup.samples_per_second = 1e9;
  const TimeFit fit = fit_time(jobs.all(), truth());
  EXPECT_EQ(fit.sites[0].loader_sample_s, 0);
  EXPECT_EQ(fit.sites[0].loader_element_s, 0);
}

TEST(TimeFit, LendsToNewMachinesWhatItKnowsOfTheirParts) {
  TimeFit fit;
  fit.sites = {{.gpu = "T4", .host = "a", .gpu_factor = 1.2, .host_factor = 0.5},
               {.gpu = "V100-16GB", .host = "b", .gpu_factor = 0.9, .host_factor = 2.0}};
  const TimeConstants both = fit.at("T4", "b");
  EXPECT_EQ(both.gpu_factor, 1.2);
  EXPECT_EQ(both.host_factor, 2.0);
  const TimeConstants neither = fit.at("H200", "c");
  EXPECT_EQ(neither.gpu_factor, 1);
  EXPECT_EQ(neither.host_factor, 1);
  EXPECT_EQ(neither.host_step_s, fit.constants.host_step_s);
}

TEST(TimeFit, OneWrongRowDoesNotMoveTheRest) {
  Jobs jobs{{machine("V100-16GB", "host", 1.0, 1.0)}, 60};
  const TimeFit clean = fit_time(jobs.all());
  *jobs.row(7).measured.step_s *= 1000;  // milliseconds taken for seconds
  const TimeFit fit = fit_time(jobs.all());
  EXPECT_NEAR(fit.sites[0].gpu_factor, clean.sites[0].gpu_factor, 0.05);
}

TEST(TimeFit, FindsWhatIsMeasuredBesideTheSteps) {
  Machine machine_with_pauses = machine("V100-16GB", "host", 1.0, 1.0);
  machine_with_pauses.truth.outside_steps = 0.10;
  const Jobs jobs{{machine_with_pauses}, 80};
  const TimeFit fit = fit_time(jobs.all(), truth());
  EXPECT_NEAR(fit.sites[0].outside_steps, 0.10, 0.03);
  EXPECT_EQ(fit.sites[0].epoch_s, 0) << "no row tells how long an epoch is";
  EXPECT_EQ(fit.at("V100-16GB", "host").outside_steps, fit.sites[0].outside_steps);
}

}  // namespace
}  // namespace horus::lab
