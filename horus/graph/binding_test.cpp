// SPDX-License-Identifier: Apache-2.0
// Sizes of axes that the file leaves open without a name.

#include "horus/graph/binding.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/graph/analysis.hpp"
#include "horus/graph/model_sketch.hpp"

namespace horus::graph {
namespace {

using testing::HasSubstr;

/// Samples of any length, multiplied by a state of fixed and open axes.
ModelSketch nameless() {
  ModelSketch sketch;
  sketch.open_input("signal", {dim(""), dim("")}).open_input("state", {dim(2), dim(""), dim(8)});
  sketch.node("MatMul", {"signal", "state"}, {"y"}).output("y");
  return sketch;
}

TEST(NamelessAxis, IsSetByItsInputAndPosition) {
  ModelSketch sketch = nameless();
  const auto analysis =
      analyse(sketch.model(), {.batch = 3, .dims = {{"signal:1", 16}, {"state:1", 16}}});
  ASSERT_TRUE(analysis) << analysis.error().text();
  EXPECT_TRUE(analysis->gaps.empty());
  // Two products of 3 x 16 by 16 x 8.
  EXPECT_EQ(totals_of(analysis->features).macs, 2 * 3 * 16 * 8);
}

TEST(NamelessAxis, WithoutASizeIsAGapThatSaysHowToSetIt) {
  ModelSketch sketch = nameless();
  const auto analysis = analyse(sketch.model(), {.batch = 3, .dims = {{"state:1", 16}}});
  ASSERT_TRUE(analysis);
  ASSERT_EQ(analysis->gaps.size(), 1U);
  EXPECT_THAT(analysis->gaps.front().reason, HasSubstr("--dim signal:1=VALUE"));
}

TEST(NamelessAxis, OfTheBatchOrOfAFixedSizeCannotBeSet) {
  ModelSketch sketch = nameless();
  for (const char* name : {"signal:0", "state:0", "state:2", "signal:7", "other:1"}) {
    const auto analysis = analyse(sketch.model(), {.batch = {}, .dims = {{name, 16}}});
    ASSERT_FALSE(analysis) << name;
    EXPECT_THAT(analysis.error().text(), HasSubstr("signal:1, state:1")) << name;
  }
}

}  // namespace
}  // namespace horus::graph
