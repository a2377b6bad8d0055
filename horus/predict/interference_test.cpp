// SPDX-License-Identifier: Apache-2.0
// Laws that any sensible prediction of slowdowns obeys, and what each law says.
#include "horus/predict/interference.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/predict/sample_features.hpp"

namespace horus::predict {
namespace {

using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;

/// A job whose kernels fill the GPU while they run.
Demand filling(double busy, double bandwidth = 0) { return {busy, busy, bandwidth}; }

/// Every law that a user can meet, on GPUs of both kinds.
std::vector<LawInUse> all_laws() {
  SharingConstants measured;
  measured.calibrated = {{.gpu = "T4", .law = {0.8, 1.2, 0.9}, .pairs = 300}};
  std::vector<LawInUse> laws;
  for (const char* gpu : {"K80", "V100-16GB", "T4"}) {
    for (const SharingMode mode : {SharingMode::TimeSlice, SharingMode::Mps}) {
      for (const Interference law :
           {Interference::Default, Interference::Paper, Interference::Conservation}) {
        laws.push_back(law_for(sample::gpu(gpu), mode, law, measured));
      }
    }
  }
  return laws;
}

std::vector<double> by(const char* gpu, const std::vector<Demand>& jobs,
                       SharingMode mode = SharingMode::TimeSlice,
                       Interference interference = Interference::Default) {
  return slowdowns_of(jobs, law_for(sample::gpu(gpu), mode, interference));
}

TEST(EveryLaw, LeavesAJobAloneUnslowed) {
  for (const LawInUse& law : all_laws()) {
    EXPECT_THAT(slowdowns_of(std::array{filling(1, 1)}, law), ElementsAre(1));
  }
}

TEST(EveryLaw, NeverPromisesAGain) {
  for (const LawInUse& law : all_laws()) {
    for (double a = 0; a <= 1; a += 0.25) {
      for (double b = 0; b <= 1; b += 0.25) {
        EXPECT_THAT(slowdowns_of(std::array{filling(a, b), filling(b, a)}, law),
                    Each(testing::Ge(1)));
      }
    }
  }
}

TEST(EveryLaw, GrowsWithEveryDemandOfEitherJob) {
  const Demand other{0.6, 0.5, 0.4};
  for (const LawInUse& law : all_laws()) {
    for (double Demand::*part : {&Demand::busy, &Demand::sms, &Demand::bandwidth}) {
      std::array<double, 2> last{1, 1};
      for (double x = 0; x <= 1; x += 0.05) {
        Demand job{1, 0, 0};
        if (part == &Demand::busy) job = {};
        job.*part = x;
        const std::vector<double> now = slowdowns_of(std::array{job, other}, law);
        EXPECT_GE(now[0], last[0] - 1e-12) << x;
        EXPECT_GE(now[1], last[1] - 1e-12) << x;
        last = {now[0], now[1]};
      }
    }
  }
}

TEST(EveryLaw, DoesNotCareForTheOrderOfJobs) {
  const std::array jobs{filling(0.9, 0.1), Demand{0.5, 0.2, 0.6}, filling(0.3)};
  std::array<std::size_t, 3> order{0, 1, 2};
  for (const LawInUse& law : all_laws()) {
    const std::vector<double> straight = slowdowns_of(jobs, law);
    do {
      const std::array mixed{jobs[order[0]], jobs[order[1]], jobs[order[2]]};
      const std::vector<double> slowdowns = slowdowns_of(mixed, law);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(slowdowns[i], straight[order[i]], 1e-12);
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST(EveryLaw, LetsNobodyRunFasterForAnotherJob) {
  std::vector<Demand> jobs{filling(0.5, 0.4), filling(0.3, 0.3)};
  for (const LawInUse& law : all_laws()) {
    const std::vector<double> two = slowdowns_of(jobs, law);
    for (const Demand& third :
         {filling(0.4, 0.2), filling(0), filling(1, 1), Demand{0.9, 0.1, 0}}) {
      const std::vector<double> three = slowdowns_of(std::array{jobs[0], jobs[1], third}, law);
      EXPECT_GE(three[0], two[0]);
      EXPECT_GE(three[1], two[1]);
    }
  }
}

TEST(EveryLaw, StaysFiniteInACrowd) {
  const std::vector<Demand> crowd(2000, filling(1, 1));
  for (const LawInUse& law : all_laws()) {
    for (const double slowdown : slowdowns_of(crowd, law)) EXPECT_TRUE(std::isfinite(slowdown));
  }
}

TEST(Interference, JobsThatFillTheGpuDivideIt) {
  for (const char* gpu : {"K80", "P100-16GB", "V100-16GB", "A100-40GB"}) {
    for (const SharingMode mode : {SharingMode::TimeSlice, SharingMode::Mps}) {
      EXPECT_THAT(by(gpu, {filling(1), filling(1)}, mode), Each(2)) << gpu;
      EXPECT_THAT(by(gpu, {filling(1), filling(1), filling(1)}, mode), Each(DoubleNear(3, 1e-9)))
          << gpu;
    }
  }
}

TEST(Interference, AnIdleNeighbourCostsNothing) {
  EXPECT_EQ(by("V100-16GB", {filling(0.7), filling(0)}).front(), 1);
  EXPECT_EQ(by("P100-16GB", {filling(0.7), filling(0)}).front(), 1);
}

TEST(Interference, CollisionsFollowTheLaw) {
  // 1 + 0.36^1.5 x 0.25^1.5
  EXPECT_NEAR(by("V100-16GB", {filling(0.36), filling(0.25)}).front(), 1.027, 1e-12);
}

TEST(Interference, BeforeVoltaGapsHideNothing) {
  EXPECT_NEAR(by("P100-16GB", {filling(0.2), filling(0.5)}).front(), 1.5, 1e-12);
}

TEST(Interference, ManyOthersKeepTheGpuBusyTogether) {
  // Two that leave 0.7 x 0.8 of the time are one that is busy for 0.44 of it.
  const double trio = by("V100-16GB", {filling(0.4), filling(0.3), filling(0.2)}).front();
  EXPECT_NEAR(trio, 1 + std::pow(0.4 * 0.44, 1.5), 1e-12);
}

TEST(Interference, BandwidthCannotBeSpentTwice) {
  // Two jobs that need 0.9 of the bandwidth each get half of it each.
  EXPECT_DOUBLE_EQ(by("V100-16GB", {filling(0.5, 0.9), filling(0.5, 0.9)}).front(), 1.8);
  EXPECT_LT(by("V100-16GB", {filling(0.5, 0.4), filling(0.5, 0.4)}).front(), 1.3);
}

TEST(MultiProcessService, LetsSmallKernelsRunSideBySide) {
  const Demand small{0.9, 0.2, 0};
  const double slices = by("V100-16GB", {small, small}).front();
  const double service = by("V100-16GB", {small, small}, SharingMode::Mps).front();
  EXPECT_NEAR(service, 1 + std::pow(0.9, 1.5) * std::pow(0.2, 1.5), 1e-12);
  EXPECT_LT(service, slices);
}

TEST(MultiProcessService, GainsNothingOverSlicesWhereKernelsFillTheGpu) {
  const std::vector<Demand> jobs{filling(0.8), filling(0.6)};
  EXPECT_EQ(by("V100-16GB", jobs, SharingMode::Mps), by("V100-16GB", jobs));
}

TEST(MultiProcessService, IsTakenForSlicesBeforeVolta) {
  const Demand small{0.9, 0.2, 0};
  EXPECT_EQ(by("P100-16GB", {small, small}, SharingMode::Mps), by("P100-16GB", {small, small}));
}

TEST(PaperLaw, SlowsAllJobsAlikeByTheSumBeyondOneGpu) {
  const auto paper = [](const std::vector<Demand>& jobs) {
    return by("V100-16GB", jobs, SharingMode::TimeSlice, Interference::Paper);
  };
  EXPECT_THAT(paper({filling(0.4), filling(0.6)}), ElementsAre(1, 1));
  EXPECT_THAT(paper({filling(0.9), filling(0.6)}), Each(DoubleNear(1.5, 1e-12)));
  EXPECT_THAT(paper({filling(0.9), filling(0.6), filling(0.5)}), Each(DoubleNear(2.0, 1e-12)));
}

TEST(Conservation, MakesEveryJobWaitForAllOthersOnAnyGpu) {
  EXPECT_THAT(by("A100-40GB", {filling(0.2), filling(0.5)}, SharingMode::TimeSlice,
                 Interference::Conservation),
              ElementsAre(DoubleNear(1.5, 1e-12), DoubleNear(1.2, 1e-12)));
}

TEST(Calibration, HoldsForTheGpuAndModeThatWereMeasured) {
  SharingConstants constants;
  constants.calibrated = {
      {.gpu = "V100-16GB", .mode = SharingMode::Mps, .law = {0.5, 1, 1}, .pairs = 99}};
  const auto calibration = [&](const char* gpu, SharingMode mode) {
    return law_for(sample::gpu(gpu), mode, Interference::Default, constants).calibration;
  };
  EXPECT_EQ(calibration("V100-16GB", SharingMode::Mps), Calibration::Calibrated);
  EXPECT_EQ(calibration("V100-16GB", SharingMode::TimeSlice), Calibration::Uncalibrated);
  EXPECT_EQ(calibration("V100-32GB", SharingMode::Mps), Calibration::Uncalibrated);
  EXPECT_EQ(law_for(sample::gpu("V100-16GB"), SharingMode::Mps, Interference::Paper, constants)
                .calibration,
            Calibration::Uncalibrated);
}

TEST(Calibration, MayFindLessThanFairShares) {
  SharingConstants constants;
  constants.calibrated = {{.gpu = "T4", .law = {0.7, 1, 1}, .pairs = 99}};
  const LawInUse law =
      law_for(sample::gpu("T4"), SharingMode::TimeSlice, Interference::Default, constants);
  EXPECT_DOUBLE_EQ(slowdowns_of(std::array{filling(1), filling(1)}, law).front(), 1.7);
}

}  // namespace
}  // namespace horus::predict
