// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/residual_method.hpp"

#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "horus/base/rng.hpp"
#include "horus/predict/tree_inputs.hpp"

namespace horus::lab {
namespace {

/// Says the same of every job, whatever it was fitted on.
class Constant final : public Method {
 public:
  class Said final : public Fitted {
   public:
    [[nodiscard]] Guess guess(const Sample&) const override {
      return {.step_s = Interval{0.1, 0.08, 0.15}};
    }
  };
  [[nodiscard]] std::unique_ptr<Fitted> fit(const Training&) const override {
    return std::make_unique<Said>();
  }
  [[nodiscard]] std::unique_ptr<Fitted> as_is(const predict::Model&) const override {
    return std::make_unique<Said>();
  }
};

/// Models on one GPU whose steps take longer the more of their first input they have.
struct World {
  std::vector<Row> rows;
  std::vector<Sample> samples;
  std::vector<const Sample*> pool;

  explicit World(std::size_t models) {
    Rng rng{11};
    rows.resize(models * 2);
    samples.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i % 2 == 0) {
        samples[i].for_trees.resize(predict::tree_inputs().size());
        for (double& input : samples[i].for_trees) input = rng.uniform();
      } else {
        samples[i].for_trees = samples[i - 1].for_trees;
      }
      rows[i].model = fmt::format("model {}", i / 2);
      rows[i].gpu = "T4";
      rows[i].measured.step_s = 0.1 * std::exp(0.4 * (samples[i].for_trees[8] - 0.5));
      samples[i].row = &rows[i];
      pool.push_back(&samples[i]);
    }
  }
};

TEST(ResidualMethod, CorrectsWhatTheBaseGetsWrong) {
  const World world{60};
  const auto method = with_residual(std::make_unique<Constant>());
  const auto fitted = method->fit({.pool = world.pool, .target = {}});
  double without = 0;
  double with = 0;
  for (const Sample* sample : world.pool) {
    const double truth = std::log(*sample->row->measured.step_s);
    without += std::abs(std::log(0.1) - truth);
    with += std::abs(std::log(fitted->guess(*sample).step_s->expected) - truth);
  }
  EXPECT_LT(with, without / 2);
}

TEST(ResidualMethod, MovesTheBoundsAlong) {
  const World world{60};
  const auto fitted =
      with_residual(std::make_unique<Constant>())->fit({.pool = world.pool, .target = {}});
  const Interval step = *fitted->guess(*world.pool[0]).step_s;
  EXPECT_NE(step.expected, 0.1);
  EXPECT_NEAR(step.low / step.expected, 0.8, 1e-12);
  EXPECT_NEAR(step.high / step.expected, 1.5, 1e-12);
}

TEST(ResidualMethod, LeavesTheBaseAloneWithFewJobs) {
  const World world{10};
  const auto fitted =
      with_residual(std::make_unique<Constant>())->fit({.pool = world.pool, .target = {}});
  EXPECT_EQ(fitted->guess(*world.pool[0]).step_s, (Interval{0.1, 0.08, 0.15}));
}

TEST(ResidualMethod, UsesTheResidualsOfAGivenModel) {
  const World world{60};
  const Constant base;
  const auto tables = learn_residuals(base, {.pool = world.pool, .target = {}});
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_EQ(tables[0].target, "step_time");
  predict::Model model;
  model.residuals.push_back(*predict::Residual::make(tables[0]));
  const auto method = with_residual(std::make_unique<Constant>());
  const auto fitted = method->fit({.pool = world.pool, .target = {}});
  const auto given = method->as_is(model);
  for (const Sample* sample : world.pool) {
    EXPECT_EQ(given->guess(*sample).step_s, fitted->guess(*sample).step_s);
  }
}

}  // namespace
}  // namespace horus::lab
