// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/joint_judgement.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace horus::lab {
namespace {

/// Says the share of its pool that the model of the sample has: 0 where it was held out.
class Recall final : public Method {
 public:
  class Said final : public Fitted {
   public:
    explicit Said(const Training& training) {
      for (const Sample* sample : training.pool) models_.insert(sample->row->model);
    }
    [[nodiscard]] Guess guess(const Sample& sample) const override {
      const double share = models_.contains(sample.row->model) ? 0.9 : 0.1;
      Guess guess;
      guess.utilization = Interval{share, share, share};
      return guess;
    }

   private:
    std::set<std::string> models_;
  };
  [[nodiscard]] std::unique_ptr<Fitted> fit(const Training& training) const override {
    ++fits;
    return std::make_unique<Said>(training);
  }
  [[nodiscard]] std::unique_ptr<Fitted> as_is(const predict::Model&) const override {
    return std::make_unique<Said>(Training{});
  }
  mutable int fits{};
};

class Nobody final : public SharingMethod {
 public:
  class Said final : public FittedSharing {
   public:
    [[nodiscard]] SharedGuess guess(const SharedSample&) const override {
      return {.slowdowns = {Interval{1.5, 1, 2}, Interval{1.5, 1, 2}},
              .good = {},
              .utilization = {},
              .memory = {}};
    }
  };
  [[nodiscard]] std::unique_ptr<FittedSharing> fit(
      std::span<const SharedSample* const>) const override {
    return std::make_unique<Said>();
  }
  [[nodiscard]] std::unique_ptr<FittedSharing> as_is(const predict::Model&) const override {
    return std::make_unique<Said>();
  }
};

/// A data set of so many models, each with two rows, measured at `utilization`.
struct Measurements {
  Measurements(std::string name, std::size_t models, double utilization) {
    dataset.name = std::move(name);
    for (std::size_t i = 0; i < 2 * models; ++i) {
      Row row;
      row.id = fmt::format("{} {}", dataset.name, i);
      row.model = fmt::format("model {}", i / 2);
      row.gpu = "T4";
      row.measured.utilization = utilization;
      dataset.rows.push_back(std::move(row));
    }
    samples.resize(dataset.rows.size());
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i].row = &dataset.rows[i];
  }
  [[nodiscard]] TrainingSet set() const { return {&dataset, samples}; }

  Dataset dataset;
  std::vector<Sample> samples;
};

double figure(const SetJudgement& judged, std::string_view key) {
  const auto found = std::ranges::find_if(
      judged.judgement.figures, [&](const Figure& figure) { return figure.metric->key == key; });
  return found == judged.judgement.figures.end() ? -1 : found->value;
}

TEST(JointJudgement, HoldsAModelOutOfAllSetsAndJudgesEachByItsOwnRows) {
  const Measurements small{"small", 3, 0.10};
  const Measurements large{"large", 5, 0.40};
  const Recall time;
  const Nobody sharing;
  const std::array sets{small.set(), large.set()};
  const auto judged =
      JointJudgement{sets}.run(Protocol::ModelOut, {.time = &time, .sharing = &sharing}, {}, {});
  ASSERT_TRUE(judged) << judged.error().message;
  ASSERT_EQ(judged->size(), 2U);
  // Models 0 to 2 are in both sets: a fit that still saw them in the other would say 0.9.
  EXPECT_NEAR(figure((*judged)[0], "mae_utilization_points"), 0, 1e-9);
  EXPECT_NEAR(figure((*judged)[1], "mae_utilization_points"), 30, 1e-9);
  EXPECT_EQ((*judged)[0].judgement.models, 3U);
  EXPECT_EQ((*judged)[0].judgement.rows, 6U);
  EXPECT_EQ((*judged)[1].judgement.models, 5U);
  EXPECT_EQ(time.fits, 5);  // Once for each model, not once more for each set.
}

TEST(JointJudgement, FindsTheMembersOfPairsBehindOtherSets) {
  const Measurements first{"first", 2, 0.5};
  Measurements second{"second", 2, 0.5};
  Pair pair;
  pair.first = 0;
  pair.second = 3;
  pair.slowdown_first = pair.slowdown_second = 1.5;
  second.dataset.pairs.push_back(pair);
  const Recall time;
  const Nobody sharing;
  const std::array sets{first.set(), second.set()};
  const auto judged =
      JointJudgement{sets}.run(Protocol::ModelOut, {.time = &time, .sharing = &sharing}, {}, {});
  ASSERT_TRUE(judged);
  EXPECT_EQ(figure((*judged)[0], "slowdown_mape_percent"), -1);
  EXPECT_NEAR(figure((*judged)[1], "slowdown_mape_percent"), 0, 1e-9);
  EXPECT_EQ((*judged)[1].judgement.pairs, 1U);
}

}  // namespace
}  // namespace horus::lab
