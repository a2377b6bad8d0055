// SPDX-License-Identifier: Apache-2.0
// Learned corrections on jobs whose true errors are known.
#include "horus/lab/residual_fit.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "horus/base/rng.hpp"
#include "horus/predict/tree_inputs.hpp"

namespace horus::lab {
namespace {

using predict::ResidualTarget;

std::size_t input_called(std::string_view name) {
  const auto inputs = predict::tree_inputs();
  const auto found = std::ranges::find(inputs, name, &TreeInput::name);
  return static_cast<std::size_t>(found - inputs.begin());
}

/// The analytical model's error in ln seconds as a function of a job's share of depthwise
/// convolutions and of chance.
using Bias = double (*)(double depthwise, double noise);

double no_bias(double, double noise) { return noise; }
double depthwise_bias(double depthwise, double noise) { return 0.3 * depthwise + 0.1 * noise; }

/// `models` models with four batches each. Inputs of a model are alike; models differ.
std::vector<ResidualJob> jobs_with(Bias bias, std::size_t models, std::uint64_t seed = 5) {
  Rng rng{seed};
  std::vector<ResidualJob> jobs;
  for (std::size_t m = 0; m < models; ++m) {
    std::vector<double> inputs(predict::tree_inputs().size(), 0.0);
    for (double& input : inputs) input = rng.uniform();
    const double depthwise = inputs[input_called("depthwise")];
    for (int batch = 0; batch < 4; ++batch) {
      inputs[input_called("batch")] = batch;
      const double error = bias(depthwise, 0.2 * rng.normal());
      jobs.push_back({.inputs = inputs,
                      .group = fmt::format("model{}", m),
                      .place = fmt::format("model{} on T4", m),
                      .predicted = 0.1,
                      .measured = 0.1 * std::exp(error)});
    }
  }
  return jobs;
}

TEST(ResidualFit, FindsAnErrorThatAllModelsShare) {
  const auto jobs = jobs_with(depthwise_bias, 60);
  const auto table =
      learn_residual(ResidualTarget::StepTime, jobs, HeldOut::Groups, ResidualOptions{});
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->evidence.jobs, 240);
  EXPECT_EQ(table->evidence.groups, 60);
  EXPECT_GT(table->evidence.gain, table->evidence.gain_error);
  // The error has a mean square of 0.3^2 / 3 = 0.03 and noise of 0.02^2.
  EXPECT_NEAR(table->evidence.error_without, std::sqrt(0.03 + 0.0004), 0.02);
  EXPECT_LT(table->evidence.error_with, 0.6 * table->evidence.error_without);
}

TEST(ResidualFit, HelpsModelsThatWereNeverMeasured) {
  const auto table = learn_correction(ResidualTarget::StepTime, jobs_with(depthwise_bias, 60),
                                      HeldOut::Groups, {});
  ASSERT_TRUE(table.has_value());
  const auto residual = predict::Residual::make(*table);
  ASSERT_TRUE(residual);
  double without = 0;
  double with = 0;
  for (const ResidualJob& job : jobs_with(depthwise_bias, 40, 99)) {
    const double error = std::log(job.measured / job.predicted);
    without += error * error;
    with += std::pow(error - residual->correction(job.inputs), 2);
  }
  EXPECT_LT(with, 0.6 * without);
}

TEST(ResidualFit, LeavesChanceAlone) {
  // 20 worlds in which the analytical model is off by nothing but noise.
  int accepted = 0;
  for (std::uint64_t world = 0; world < 20; ++world) {
    const auto table = learn_residual(ResidualTarget::StepTime, jobs_with(no_bias, 25, world),
                                      HeldOut::Groups, {.trees = 30, .seed = world});
    if (table) ++accepted;
  }
  // Of corrections that are worth nothing, less than one in six gains a standard error.
  EXPECT_LE(accepted, 3);
}

TEST(ResidualFit, NeedsEnoughJobs) {
  const auto jobs = jobs_with(depthwise_bias, 19);  // 76 jobs
  EXPECT_FALSE(learn_residual(ResidualTarget::StepTime, jobs, HeldOut::Groups, {}));
  EXPECT_TRUE(learn_residual(ResidualTarget::StepTime, jobs, HeldOut::Groups, {.jobs_min = 76}));
}

TEST(ResidualFit, NeedsModelsToCompare) {
  const auto jobs = jobs_with(depthwise_bias, 1);
  EXPECT_FALSE(learn_correction(ResidualTarget::StepTime, jobs, HeldOut::Groups, {}));
  EXPECT_FALSE(learn_correction(ResidualTarget::StepTime, {}, HeldOut::Groups, {}));
}

/// Each model has an error of its own, which nothing tells from its inputs.
std::vector<ResidualJob> jobs_with_habits(std::size_t models) {
  auto jobs = jobs_with(no_bias, models);
  Rng rng{3};
  for (std::size_t i = 0; i < jobs.size(); i += 4) {
    const double habit = 0.3 * rng.normal();
    for (std::size_t j = i; j < i + 4; ++j) {
      jobs[j].measured = 0.1 * std::exp(habit + 0.02 * rng.normal());
    }
  }
  return jobs;
}

TEST(ResidualFit, RemembersModelsWithoutGuessingAtOthers) {
  const auto jobs = jobs_with_habits(12);
  const auto seen = learn_residual(ResidualTarget::StepTime, jobs, HeldOut::Jobs, {});
  ASSERT_TRUE(seen.has_value());
  const auto residual = predict::Residual::make(*seen);
  ASSERT_TRUE(residual);
  EXPECT_NE(residual->correction(jobs[0].inputs), 0);
  // Other models lie further from these than these from their own means.
  int silent = 0;
  const auto others = jobs_with(no_bias, 40, 1234);
  for (const ResidualJob& job : others) {
    if (residual->correction(job.inputs) == 0) ++silent;
  }
  EXPECT_GT(silent, static_cast<int>(others.size()) * 8 / 10);
}

TEST(ResidualFit, NeverCorrectsBeyondItsLimit) {
  auto jobs = jobs_with(depthwise_bias, 30);
  for (ResidualJob& job : jobs) job.measured *= 10;
  const auto table = learn_correction(ResidualTarget::StepTime, jobs, HeldOut::Groups, {});
  ASSERT_TRUE(table.has_value());
  const auto residual = predict::Residual::make(*table);
  ASSERT_TRUE(residual);
  for (const ResidualJob& job : jobs) {
    EXPECT_DOUBLE_EQ(residual->correction(job.inputs), predict::kStepTimeLimit);
  }
}

TEST(ResidualFit, GivesTheSameTableTwice) {
  const auto jobs = jobs_with(depthwise_bias, 30);
  const auto once = learn_residual(ResidualTarget::StepTime, jobs, HeldOut::Groups, {});
  const auto twice = learn_residual(ResidualTarget::StepTime, jobs, HeldOut::Groups, {});
  ASSERT_TRUE(once.has_value() && twice.has_value());
  EXPECT_EQ(*once, *twice);
}

TEST(ResidualFit, CorrectsUtilizationOnTheScaleOfItsErrors) {
  auto jobs = jobs_with(no_bias, 40);
  for (ResidualJob& job : jobs) {
    // Half of the odds where depthwise convolutions prevail.
    const double odds = job.inputs[input_called("depthwise")] > 0.5 ? 0.5 : 1.0;
    job.predicted = 0.5;
    job.measured = predict::from_logit(std::log(odds));
  }
  const auto table = learn_residual(ResidualTarget::Utilization, jobs, HeldOut::Groups, {});
  ASSERT_TRUE(table.has_value());
  const auto residual = predict::Residual::make(*table);
  ASSERT_TRUE(residual);
  for (const ResidualJob& job : jobs) {
    const double share =
        predict::corrected_utilization({0.5, 0.5, 0.5}, residual->correction(job.inputs)).expected;
    EXPECT_NEAR(share, job.measured, 0.05);
  }
}

TEST(Deal, KeepsGroupsTogetherAndFoldsEven) {
  const auto jobs = jobs_with(no_bias, 23);
  const auto folds = deal(jobs, HeldOut::Groups, 5, 1);
  std::vector<std::set<std::string>> groups(5);
  for (std::size_t i = 0; i < jobs.size(); ++i) groups[folds[i]].insert(jobs[i].group);
  std::size_t all = 0;
  for (const auto& in_fold : groups) {
    EXPECT_GE(in_fold.size(), 4U);
    EXPECT_LE(in_fold.size(), 5U);
    all += in_fold.size();
  }
  EXPECT_EQ(all, 23U);  // no group is in two folds
}

TEST(Deal, DealsJobsOneByOne) {
  const auto jobs = jobs_with(no_bias, 5);
  const auto folds = deal(jobs, HeldOut::Jobs, 4, 1);
  for (std::size_t fold = 0; fold < 4; ++fold) EXPECT_EQ(std::ranges::count(folds, fold), 5);
}

}  // namespace
}  // namespace horus::lab
