// SPDX-License-Identifier: Apache-2.0
#include "horus/graph/batch_axis.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/graph/analysis.hpp"
#include "horus/graph/model_sketch.hpp"

namespace horus::graph {
namespace {

using testing::HasSubstr;
using Shape = std::vector<std::int64_t>;

/// 7 steps of 2 samples, with an initial state of 3.
ModelSketch recurrent(std::int64_t layout) {
  ModelSketch sketch;
  sketch.input("x", {7, 2, 5}).input("h", {1, 2, 3});
  sketch.weight("w", {1, 9, 5}).weight("r", {1, 9, 3}).node("Identity", {"x"}, {"z"});
  sketch.node("GRU", {"z", "w", "r", "", "", layout == 0 ? "h" : ""}, {"y"},
              {{"hidden_size", std::int64_t{3}}, {"layout", layout}});
  sketch.output("y");
  return sketch;
}

TEST(BatchAxis, LiesBehindTheStepsOfARecurrentOperator) {
  ModelSketch sketch = recurrent(0);
  EXPECT_EQ(analyse(sketch.model())->features.batch, 2);
  const auto analysis = analyse(sketch.model(), {.batch = 10});
  ASSERT_TRUE(analysis) << analysis.error().text();
  EXPECT_TRUE(analysis->gaps.empty());
  EXPECT_EQ(analysis->inputs[0].shape, (Shape{7, 10, 5}));
  EXPECT_EQ(analysis->inputs[1].shape, (Shape{1, 10, 3}));
  EXPECT_EQ(totals_of(analysis->features).macs, 7 * 10 * 9 * (5 + 3));
  ASSERT_EQ(analysis->warnings.size(), 1U);
  EXPECT_THAT(analysis->warnings[0], HasSubstr("the batch is axis 1 of input 'x'"));
}

TEST(BatchAxis, ComesFirstWhereTheOperatorSaysSo) {
  ModelSketch sketch = recurrent(1);
  const auto analysis = analyse(sketch.model(), {.batch = 10});
  ASSERT_TRUE(analysis) << analysis.error().text();
  EXPECT_EQ(analysis->inputs[0].shape, (Shape{10, 2, 5}));
}

TEST(BatchAxis, IsFoundThroughAnEmbedding) {
  ModelSketch sketch;
  sketch.input("tokens", {7, 2}, ElementType::Int64).weight("table", {50, 5});
  sketch.weight("w", {1, 9, 5}).weight("r", {1, 9, 3}).node("Gather", {"table", "tokens"}, {"x"});
  sketch.node("GRU", {"x", "w", "r"}, {"y"}, {{"hidden_size", std::int64_t{3}}}).output("y");
  const auto analysis = analyse(sketch.model(), {.batch = 10});
  ASSERT_TRUE(analysis) << analysis.error().text();
  EXPECT_EQ(analysis->inputs[0].shape, (Shape{7, 10}));
}

}  // namespace
}  // namespace horus::graph
