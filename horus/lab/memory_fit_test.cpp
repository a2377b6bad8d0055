// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/memory_fit.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "horus/base/rng.hpp"
#include "horus/lab/memory_method.hpp"

namespace horus::lab {
namespace {

constexpr double kMib = 1024.0 * 1024.0;

/// Jobs whose peaks follow known factors.
class Jobs {
 public:
  Jobs(std::size_t count, const predict::MemoryConstants& truth, double noise = 0) {
    Rng rng{7};
    rows_.resize(count);
    samples_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      Row& row = rows_[i];
      Sample& sample = samples_[i];
      row.gpu = i % 2 == 0 ? "A100-40GB" : "V100-16GB";
      row.framework = "pytorch";
      row.family = "family " + std::to_string(i % 10);
      const double size = std::exp(4 * rng.uniform()) * 200 * kMib;
      sample.row = &row;
      sample.parts = {.context = 1000 * kMib,
                      .parameters = 0.3 * size * rng.uniform(),
                      .activations = size,
                      .transient = 0.2 * size * rng.uniform(),
                      .workspace = 0.2 * size * rng.uniform()};
      predict::MemoryConstants at = truth;
      at.context_bytes = (i % 2 == 0 ? 1500 : 700) * kMib;
      const double off = std::exp(noise * (2 * rng.uniform() - 1));
      row.measured.memory_mib = predict::expected_bytes(sample.parts, at) * off / kMib;
    }
    for (const Sample& sample : samples_) all_.push_back(&sample);
  }

  [[nodiscard]] std::span<const Sample* const> all() const { return all_; }
  [[nodiscard]] Row& row(std::size_t i) { return rows_[i]; }

 private:
  std::vector<Row> rows_;
  std::vector<Sample> samples_;
  std::vector<const Sample*> all_;
};

predict::MemoryConstants truth() {
  predict::MemoryConstants constants;
  constants.activations = 1.3;
  constants.workspace = 0.6;
  return constants;
}

TEST(MemoryFit, FindsFactorsAndTheContextOfEverySite) {
  const Jobs jobs{400, truth()};
  const MemoryFit fit = fit_memory(jobs.all());
  EXPECT_NEAR(fit.constants.activations, 1.3, 0.02);
  ASSERT_EQ(fit.sites.size(), 2U);
  EXPECT_EQ(fit.sites[0].gpu, "A100-40GB");
  EXPECT_NEAR(as_double(fit.sites[0].context), 1500 * kMib, 30 * kMib);
  EXPECT_NEAR(as_double(fit.sites[1].context), 700 * kMib, 30 * kMib);
  EXPECT_EQ(fit.sites[0].jobs, 200U);
}

TEST(MemoryFit, FewJobsLeaveThePriorsNearlyAsTheyAre) {
  const Jobs jobs{2, truth()};
  const MemoryFit fit = fit_memory(jobs.all());
  EXPECT_NEAR(fit.constants.lasting, predict::MemoryConstants{}.lasting, 0.1);
  EXPECT_EQ(fit.constants.bound_factor, 0) << "two jobs say nothing of a bound";
}

TEST(MemoryFit, MovesContextsOnlyWhereAskedTo) {
  const Jobs jobs{40, truth()};
  const MemoryFit fit = fit_memory(jobs.all(), {}, MemoryMoves::SitesOnly);
  EXPECT_EQ(fit.constants.activations, predict::MemoryConstants{}.activations);
  EXPECT_EQ(fit.sites.size(), 2U);
}

TEST(MemoryFit, RunsOutOfMemoryTeachNothing) {
  Jobs jobs{40, truth()};
  const MemoryFit before = fit_memory(jobs.all());
  jobs.row(3).measured.out_of_memory = true;
  jobs.row(3).measured.memory_mib = 1;
  const MemoryFit after = fit_memory(jobs.all());
  EXPECT_NEAR(after.constants.activations, before.constants.activations, 0.02);
}

TEST(MemoryFit, RecordsOfTensorsAloneTeachNothing) {
  Jobs jobs{80, truth()};
  const MemoryFit before = fit_memory(jobs.all());
  for (std::size_t i = 0; i < 80; i += 8) {
    jobs.row(i).framework = "tensorflow-tensors";
    jobs.row(i).measured.memory_mib = 1;
  }
  const MemoryFit after = fit_memory(jobs.all());
  EXPECT_EQ(after.sites.size(), 2U) << "and are no place of their own";
  EXPECT_NEAR(after.constants.activations, before.constants.activations, 0.02);
}

TEST(MemoryFit, FailedRunsMoveLittle) {
  Jobs jobs{200, truth(), 0.05};
  for (std::size_t i = 0; i < 200; i += 20) *jobs.row(i).measured.memory_mib *= 0.3;
  const MemoryFit fit = fit_memory(jobs.all());
  EXPECT_NEAR(fit.constants.activations, 1.3, 0.06);
}

TEST(MemoryFit, BeginsAtAnotherFitAndEndsWhereItWouldHave) {
  const Jobs jobs{200, truth(), 0.1};
  const MemoryFit plain = fit_memory(jobs.all());
  MemoryFit nearby = plain;
  nearby.constants.activations = 0.8;
  nearby.sites.pop_back();
  const MemoryFit again = fit_memory(jobs.all(), {}, MemoryMoves::Everything, &nearby);
  EXPECT_NEAR(again.constants.activations, plain.constants.activations, 1e-3);
  EXPECT_NEAR(as_double(again.sites[1].context) / as_double(plain.sites[1].context), 1, 1e-2);
}

TEST(MemoryFit, BoundIsExceededAsOftenAsItSays) {
  const Jobs jobs{1000, truth(), 0.2};
  const MemoryFit fit = fit_memory(jobs.all());
  std::size_t above = 0;
  for (const Sample* sample : jobs.all()) {
    const auto at = fit.at(sample->row->gpu, sample->row->framework);
    const auto bound = predict::memory_interval(sample->parts, 0, at).bound;
    above += *sample->row->measured.memory_mib * kMib > as_double(bound) ? 1U : 0U;
  }
  EXPECT_NEAR(static_cast<double>(above) / 1000, 0.05, 0.015);
}

TEST(MemoryMethod, KeepsThePriorOnAGpuThatItHasNotSeen) {
  const Jobs jobs{40, truth()};
  const auto fitted = memory_method()->fit({.pool = jobs.all(), .target = jobs.all()});
  Row row{.gpu = "H200", .framework = "pytorch"};
  const Sample sample{.row = &row, .parts = {.context = 3000 * kMib}};
  const auto guess = fitted->guess(sample);
  ASSERT_TRUE(guess.memory);
  EXPECT_NEAR(as_double(guess.memory->expected), 3000 * kMib, kMib);
}

}  // namespace
}  // namespace horus::lab
