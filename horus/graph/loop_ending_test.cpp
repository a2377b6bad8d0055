// SPDX-License-Identifier: Apache-2.0
// What ends a loop: conditions of constants, from around it, from graph inputs, carried along.

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/graph/structure_sketch_test.hpp"

namespace horus::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kMacsOfTrip = 8 * 4 * 4;
constexpr const char* kUpperBound = "may end before their largest number of trips ('last')";

/// h = h w, over and over, until `condition` of the body; `more` states are carried beside h.
Graph product_until(const std::string& condition, ModelSketch body = ModelSketch{},
                    Strings more = {}, const Strings& more_next = {}) {
  body.weight("w", {4, 4}).node("MatMul", {"h", "w"}, {"next"});
  Strings inputs{"i", "cond", "h"};
  Strings outputs{condition, "next"};
  inputs.insert(inputs.end(), more.begin(), more.end());
  outputs.insert(outputs.end(), more_next.begin(), more_next.end());
  return body_of(body, inputs, outputs);
}

/// Ten trips at most, with an initial condition that holds.
ModelSketch ten_trips(Graph body, Strings more = {}) {
  ModelSketch sketch;
  sketch.input("x", {8, 4});
  with_number(sketch, "m", 10);
  with_number(sketch, "yes", 1, ElementType::Bool);
  with_number(sketch, "no", 0, ElementType::Bool);
  Strings inputs{"m", "yes", "x"};
  Strings outputs{"last"};
  for (const std::string& state : more) {
    inputs.push_back(state);
    outputs.push_back("last_" + state);
  }
  add_flow(sketch, "Loop", inputs, outputs, {{"body", std::move(body)}});
  return std::move(sketch.output("last"));
}

TEST(LoopEnding, AfterTheFirstTripWhereItsConditionNeverHolds) {
  ModelSketch constant;
  with_number(constant, "never", 0, ElementType::Bool);
  for (Graph body : {product_until("no"), product_until("never", constant)}) {
    ModelSketch sketch = ten_trips(std::move(body));
    const Analysis analysis = analysis_of(sketch);
    EXPECT_THAT(analysis.warnings, IsEmpty());
    EXPECT_EQ(work_in(analysis, "last/body/next").macs, kMacsOfTrip);
  }
}

TEST(LoopEnding, ByTheCountWhereAConditionFromAroundItHolds) {
  ModelSketch sketch = ten_trips(product_until("yes"));
  const Analysis analysis = analysis_of(sketch);
  EXPECT_THAT(analysis.warnings, IsEmpty());
  EXPECT_EQ(work_in(analysis, "last/body/next").macs, 10 * kMacsOfTrip);
}

TEST(LoopEnding, IsTheInitialValueOfAStateThatNoTripChanges) {
  for (const std::string flag : {"yes", "no"}) {
    ModelSketch sketch =
        ten_trips(product_until("flag", ModelSketch{}, {"flag"}, {"flag"}), {flag});
    const Analysis analysis = analysis_of(sketch);
    EXPECT_THAT(analysis.warnings, IsEmpty()) << flag;
    EXPECT_EQ(work_in(analysis, "last/body/next").macs, (flag == "yes" ? 10 : 1) * kMacsOfTrip);
  }
}

TEST(LoopEnding, IsUnknownWhereAStateThatChangesIsTheCondition) {
  ModelSketch body;
  body.node("Not", {"flag"}, {"other"});
  ModelSketch sketch = ten_trips(product_until("flag", body, {"flag"}, {"other"}), {"yes"});
  const Analysis analysis = analysis_of(sketch);
  EXPECT_EQ(work_in(analysis, "last/body/next").macs, 10 * kMacsOfTrip);
  EXPECT_THAT(analysis.warnings, ElementsAre(HasSubstr(kUpperBound)));
}

TEST(LoopEnding, IsUnknownWhereTheInitialConditionIsFed) {
  for (const std::string condition : {"cond", "yes", "no"}) {
    ModelSketch sketch = ten_trips(product_until(condition));
    sketch.input("fed", {}, ElementType::Bool);
    sketch.model().graph.nodes[0].inputs[1] = "fed";
    const Analysis analysis = analysis_of(sketch);
    // One trip at most where the body never asks for a second.
    EXPECT_EQ(work_in(analysis, "last/body/next").macs, (condition == "no" ? 1 : 10) * kMacsOfTrip);
    EXPECT_THAT(analysis.warnings, ElementsAre(HasSubstr(kUpperBound))) << condition;
  }
}

TEST(LoopEnding, IsUnknownWhereALoopWithoutAConditionIsGivenOneByItsBody) {
  // The specification ignores it, runtimes end the loop.
  ModelSketch sketch = ten_trips(product_until("no"));
  sketch.model().graph.nodes[0].inputs[1] = "";
  const Analysis analysis = analysis_of(sketch);
  EXPECT_EQ(work_in(analysis, "last/body/next").macs, 10 * kMacsOfTrip);
  EXPECT_THAT(analysis.warnings, ElementsAre(HasSubstr(kUpperBound)));
}

TEST(LoopEnding, OfALoopInALoopMayBeTheConditionAroundIt) {
  ModelSketch outer;
  with_number(outer, "few", 3);
  add_flow(outer, "Loop", {"few", "cond", "h"}, {"inner"}, {{"body", product_until("cond")}});
  ModelSketch sketch = ten_trips(body_of(outer, {"i", "cond", "h"}, {"cond", "inner"}));
  const Analysis analysis = analysis_of(sketch);
  EXPECT_THAT(analysis.warnings, IsEmpty());
  EXPECT_EQ(work_in(analysis, "last/body/inner/body/next").macs, 30 * kMacsOfTrip);
}

TEST(LoopState, FromAroundTheLoopIsKeptOnce) {
  // Each trip reads the same sigmoid: kept are it and the input of the first product.
  for (const std::int64_t trips : {2, 100}) {
    for (const bool is_shown : {false, true}) {
      ModelSketch body;
      body.weight("w", {4, 4}).node("MatMul", {"h", "w"}, {"p"});
      if (is_shown) body.node("Identity", {"s"}, {"copy"});
      ModelSketch sketch;
      sketch.input("x", {8, 4}).weight("first", {4, 4}).node("MatMul", {"x", "first"}, {"q"});
      sketch.node("Sigmoid", {"q"}, {"s"});
      with_number(sketch, "m", trips);
      const Graph inner = body_of(body, {"i", "cond", "h"}, {"cond", is_shown ? "copy" : "s", "p"});
      add_flow(sketch, "Loop", {"m", "", "s"}, {"last", "all"}, {{"body", inner}});
      sketch.output("all");
      EXPECT_EQ(totals_of(analysis_of(sketch).features).activation_bytes, Bytes{2 * 8 * 4 * 4});
    }
  }
}

TEST(LoopState, ThatStartsAsAnotherValueIsKeptBesideTheOneFromAroundTheLoop) {
  ModelSketch body;
  body.weight("w", {4, 4}).node("MatMul", {"h", "w"}, {"p"});
  ModelSketch sketch;
  sketch.input("x", {8, 4}).node("Sigmoid", {"x"}, {"start"}).node("Tanh", {"x"}, {"later"});
  with_number(sketch, "m", 100);
  add_flow(sketch, "Loop", {"m", "", "start"}, {"last", "all"},
           {{"body", body_of(body, {"i", "cond", "h"}, {"cond", "later", "p"})}});
  sketch.output("all");
  // Nothing before the loop trains, so that only its product keeps anything.
  EXPECT_EQ(totals_of(analysis_of(sketch).features).activation_bytes, Bytes{2 * 8 * 4 * 4});
}

}  // namespace
}  // namespace horus::graph
