// SPDX-License-Identifier: Apache-2.0
// Laws are found again in pairs that were made by them.
#include "horus/lab/sharing_method.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/base/rng.hpp"
#include "horus/lab/sharing_fit.hpp"

namespace horus::lab {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

/// Jobs by utilization, and all pairs of them with slowdowns by a law times noise.
class World {
 public:
  /// What a pair of jobs measures.
  using Truth = std::function<double(double own, double others)>;

  explicit World(std::string gpu, const Truth& truth, double noise = 0) {
    const std::vector<double> utilizations{0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95, 1};
    for (std::size_t i = 0; i < utilizations.size(); ++i) {
      rows_.push_back({.id = "jobs.csv:" + std::to_string(i),
                       .model = "model" + std::to_string(i / 2),
                       .gpu = gpu});
      samples_.push_back({.row = &rows_.back()});
    }
    Rng rng{7};
    const auto measured = [&](double own, double others) {
      return truth(own, others) * std::exp(noise * (rng.uniform() - 0.5));
    };
    for (std::size_t i = 0; i < utilizations.size(); ++i) {
      for (std::size_t j = i; j < utilizations.size(); ++j) {
        const double a = utilizations[i];
        const double b = utilizations[j];
        pairs_.push_back({.first = i,
                          .second = j,
                          .slowdown_first = measured(a, b),
                          .slowdown_second = measured(b, a)});
        shared_.push_back({.pair = &pairs_.back(),
                           .members = {&samples_[i], &samples_[j]},
                           .solo = {known(a), known(b)}});
      }
    }
  }

  [[nodiscard]] std::vector<const SharedSample*> pool() const {
    std::vector<const SharedSample*> all;
    for (const SharedSample& sample : shared_) all.push_back(&sample);
    return all;
  }
  [[nodiscard]] const SharedSample& pair(std::size_t i) const { return shared_[i]; }
  /// All measurements of one job, times a factor: as if it had been measured wrong when alone.
  void distort(std::size_t job, double factor) {
    for (Pair& pair : pairs_) {
      if (pair.first == job) pair.slowdown_first *= factor;
      if (pair.second == job) pair.slowdown_second *= factor;
    }
  }

  void run_in(SharingMode mode) {
    for (Pair& pair : pairs_) pair.mode = mode;
  }
  void replace(std::size_t pair, double slowdown_first) {
    pairs_[pair].slowdown_first = slowdown_first;
  }

 private:
  [[nodiscard]] static Guess known(double utilization) {
    return {.utilization = Interval{utilization, utilization, utilization}};
  }

  std::deque<Row> rows_;
  std::deque<Sample> samples_;
  std::deque<Pair> pairs_;
  std::deque<SharedSample> shared_;
};

double overlap(double own, double others) {
  return 1 + 0.7 * std::pow(own, 1.2) * std::pow(others, 2);
}
double queue(double /*own*/, double others) { return 1 + others; }

TEST(SharingFit, FindsTheLawThatMadeThePairs) {
  const World world{"T4", overlap};
  const auto laws = fit_laws(world.pool());
  ASSERT_THAT(laws, SizeIs(1));
  EXPECT_EQ(laws[0].gpu, "T4");
  EXPECT_EQ(laws[0].pairs, 36);
  EXPECT_NEAR(laws[0].law.gain, 0.7, 0.05);
  EXPECT_NEAR(laws[0].law.own_exponent, 1.2, 0.1);
  EXPECT_NEAR(laws[0].law.others_exponent, 2, 0.1);
  EXPECT_LT(laws[0].sigma_slowdown, 0.02);
}

TEST(SharingFit, KeepsTheFormOfOlderGpus) {
  const World world{"K80", queue};
  const auto laws = fit_laws(world.pool());
  ASSERT_THAT(laws, SizeIs(1));
  EXPECT_EQ(laws[0].law.own_exponent, 0);
  EXPECT_NEAR(laws[0].law.gain, 1, 0.02);
}

TEST(SharingFit, IsNotMovedFarByOneWildPair) {
  World world{"T4", overlap};
  const double before = fit_laws(world.pool()).front().law.gain;
  world.replace(3, 30);
  EXPECT_NEAR(fit_laws(world.pool()).front().law.gain, before, 0.05);
}

TEST(SharingFit, LearnsNothingFromAHandfulOfPairs) {
  const World world{"T4", overlap};
  auto few = world.pool();
  few.resize(kPairsLeast - 1);
  EXPECT_THAT(fit_laws(few), IsEmpty());
}

TEST(SharingFit, KeepsGpusApart) {
  const World ampere{"A100-40GB", overlap};
  const World kepler{"K80", queue};
  auto pool = ampere.pool();
  std::ranges::copy(kepler.pool(), std::back_inserter(pool));
  const auto laws = fit_laws(pool);
  ASSERT_THAT(laws, SizeIs(2));
  EXPECT_EQ(laws[0].law, fit_laws(ampere.pool()).front().law);
  EXPECT_EQ(laws[1].law, fit_laws(kepler.pool()).front().law);
}

TEST(SharingFit, KeepsModesApart) {
  const World slices{"T4", overlap};
  World service{"T4", [](double own, double others) { return 1 + 0.3 * own * others; }};
  service.run_in(SharingMode::Mps);
  auto pool = slices.pool();
  std::ranges::copy(service.pool(), std::back_inserter(pool));
  const auto laws = fit_laws(pool);
  ASSERT_THAT(laws, SizeIs(2));
  EXPECT_EQ(laws[0].mode, SharingMode::TimeSlice);
  EXPECT_EQ(laws[1].mode, SharingMode::Mps);
  EXPECT_NEAR(laws[1].law.gain, 0.3, 0.05);
  const auto fitted = sharing_method(PairHistory::Forgets)->fit(pool);
  EXPECT_NEAR(fitted->guess(service.pair(35)).slowdowns[0].expected, 1.3, 0.03);
  EXPECT_NEAR(fitted->guess(slices.pair(35)).slowdowns[0].expected, 1.7, 0.05);
}

TEST(SharingMethod, SaysThePriorWhereNothingWasMeasured) {
  const World world{"T4", overlap};
  const auto fitted = sharing_method()->fit({});
  const predict::Model prior;
  const auto as_is = sharing_method()->as_is(prior);
  const SharedGuess guess = fitted->guess(world.pair(20));
  EXPECT_EQ(guess.slowdowns, as_is->guess(world.pair(20)).slowdowns);
  EXPECT_EQ(guess.good, as_is->guess(world.pair(20)).good);
  EXPECT_FALSE(guess.by_law.has_value());
  EXPECT_LT(guess.slowdowns[0].low, guess.slowdowns[0].high);
}

TEST(SharingMethod, RemembersAJobThatWasAlwaysOff) {
  World world{"T4", overlap};
  world.distort(4, 1.15);
  const auto remembers = sharing_method(PairHistory::Remembers)->fit(world.pool());
  const auto forgets = sharing_method(PairHistory::Forgets)->fit(world.pool());
  double error_remembers = 0;
  double error_forgets = 0;
  for (const SharedSample* sample : world.pool()) {
    if (sample->pair->first != 4) continue;
    const double measured = sample->pair->slowdown_first;
    const auto error = [&](const FittedSharing& fitted) {
      return std::abs(fitted.guess(*sample).slowdowns[0].expected / measured - 1);
    };
    error_remembers += error(*remembers);
    error_forgets += error(*forgets);
  }
  EXPECT_LT(error_remembers, 0.7 * error_forgets);
}

TEST(SharingMethod, IntervalsHoldFourOfFivePairsAndStartAtOne) {
  const World world{"T4", overlap, 0.3};
  const auto fitted = sharing_method(PairHistory::Forgets)->fit(world.pool());
  double within = 0;
  double all = 0;
  for (const SharedSample* sample : world.pool()) {
    const SharedGuess guess = fitted->guess(*sample);
    for (std::size_t m = 0; m < 2; ++m) {
      const Interval& s = guess.slowdowns[m];
      EXPECT_LE(1, s.low);
      EXPECT_LE(s.low, s.expected);
      EXPECT_LE(s.expected, s.high);
      const double measured = std::max(1.0, measured_slowdowns(*sample->pair)[m]);
      within += s.low <= measured && measured <= s.high ? 1 : 0;
      all += 1;
    }
  }
  EXPECT_GT(within / all, 0.75);
  EXPECT_LT(within / all, 0.95);
}

TEST(SharingMethod, IsLessSureOfJobsOfWhichItHasNoPairs) {
  World world{"T4", overlap, 0.05};
  for (const std::size_t job : {1U, 3U, 5U}) world.distort(job, 1.2);
  const auto fitted = sharing_method()->fit(world.pool());
  Row stranger = *world.pair(20).members[0]->row;
  stranger.id = "elsewhere";
  const Sample unknown{.row = &stranger};
  SharedSample with_stranger = world.pair(20);
  with_stranger.members[0] = &unknown;
  const auto width = [&](const SharedSample& sample) {
    const Interval s = fitted->guess(sample).slowdowns[0];
    return s.high / s.low;
  };
  EXPECT_GT(width(with_stranger), width(world.pair(20)));
}

TEST(SharingMethod, ThinksLessOfPairsThatItExpectsToSufferMore) {
  const World world{"T4", overlap, 0.3};
  const auto fitted = sharing_method(PairHistory::Forgets)->fit(world.pool());
  std::vector<std::pair<double, double>> ranked;
  for (const SharedSample* sample : world.pool()) {
    const SharedGuess guess = fitted->guess(*sample);
    const double worst = std::max(guess.slowdowns[0].expected, guess.slowdowns[1].expected);
    ASSERT_TRUE(guess.good.has_value());
    EXPECT_GE(*guess.good, 0);
    EXPECT_LE(*guess.good, 1);
    ranked.emplace_back(worst, -*guess.good);
  }
  std::ranges::sort(ranked);
  EXPECT_TRUE(std::ranges::is_sorted(ranked, {}, &std::pair<double, double>::second));
  EXPECT_GT(-ranked.front().second, 0.9);
  EXPECT_LT(-ranked.back().second, 0.1);
}

TEST(SharingMethod, ThinksLessOfJobsThatMayWantMoreThanExpected) {
  const World world{"T4", overlap};
  const auto fitted = sharing_method()->fit(world.pool());
  SharedSample vague = world.pair(10);
  vague.solo[1].utilization->high = 1;
  EXPECT_EQ(fitted->guess(vague).slowdowns, fitted->guess(world.pair(10)).slowdowns);
  EXPECT_LT(*fitted->guess(vague).good, *fitted->guess(world.pair(10)).good);
}

TEST(SharingMethod, SaysWhatItRemembersAndWhatTheLawSays) {
  World world{"T4", overlap};
  world.distort(4, 1.15);
  const auto fitted = sharing_method()->fit(world.pool());
  SharedSample pair = world.pair(20);
  Row stranger = *pair.members[0]->row;
  stranger.id = "elsewhere";
  const Sample unknown{.row = &stranger};
  pair.members[0] = &unknown;
  const SharedGuess guess = fitted->guess(pair);
  EXPECT_FALSE(guess.is_known[0]);
  EXPECT_TRUE(guess.is_known[1]);
  ASSERT_TRUE(guess.by_law.has_value());
  EXPECT_DOUBLE_EQ(guess.slowdowns[0].expected, (*guess.by_law)[0]);
  const auto forgets = sharing_method(PairHistory::Forgets)->fit(world.pool());
  EXPECT_DOUBLE_EQ(forgets->guess(pair).slowdowns[1].expected, (*guess.by_law)[1]);
}

TEST(SharingMethod, AddsUpUtilizationAndMemory) {
  const World world{"T4", overlap};
  SharedSample sample = world.pair(0);
  const MemoryPrediction mib{Bytes{100}, Bytes{90}, Bytes{110}, Bytes{120}};
  sample.solo = {Guess{.utilization = Interval{0.5, 0.4, 0.6}, .memory = mib},
                 Guess{.utilization = Interval{0.5, 0.4, 0.6}, .memory = mib}};
  const SharedGuess guess = sharing_method()->fit(world.pool())->guess(sample);
  EXPECT_DOUBLE_EQ(guess.utilization.value().expected, 0.75);
  EXPECT_EQ(guess.memory.value().bound, Bytes{240});
}

}  // namespace
}  // namespace horus::lab
