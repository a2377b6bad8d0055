// SPDX-License-Identifier: Apache-2.0
// Numbers of runs, from values that decide to what a node does in one step.

#include "horus/graph/runs.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/graph/binding.hpp"
#include "horus/graph/input_role.hpp"
#include "horus/graph/structure_sketch_test.hpp"

namespace horus::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Graph relu(const Strings& inputs, const Strings& outputs) {
  ModelSketch body;
  body.node("Relu", {"h"}, {"next"});
  return body_of(body, inputs, outputs);
}

/// A loop of `trips` around one of three trips; unknown where `trips` names a graph input.
ModelSketch loop_in_loop(const std::string& trips) {
  ModelSketch outer;
  with_number(outer, "three", 3);
  add_flow(outer, "Loop", {"three", "", "h"}, {"next"},
           {{"body", relu({"i", "c", "h"}, {"c", "next"})}});
  ModelSketch sketch;
  sketch.input("x", {2}).input("fed", {}, ElementType::Int64);
  with_number(sketch, "five", 5);
  with_number(sketch, "none", 0);
  add_flow(sketch, "Loop", {trips, "", "x"}, {"y"},
           {{"body", body_of(outer, {"i", "c", "h"}, {"c", "next"})}});
  return std::move(sketch.output("y"));
}

Runs runs_of(ModelSketch& sketch, FlatModel& flat) {
  auto flattened = flatten(sketch.model());
  EXPECT_TRUE(flattened);
  flat = std::move(*flattened);
  const auto index = index_graph(flat.model.graph);
  const auto binding = bind_inputs(flat.model, *index, classify_inputs(flat.model, *index), {});
  const Inference inference = infer(flat.model, *index, *binding, AtBatch::Wanted, nullptr);
  return Runs{flat.structure, *index, inference};
}

TEST(Runs, OfAnInnerLoopAreTimesThoseOfTheOuterOne) {
  ModelSketch sketch = loop_in_loop("five");
  FlatModel flat;
  const Runs runs = runs_of(sketch, flat);
  ASSERT_EQ(flat.structure.regions.size(), 3U);
  EXPECT_EQ(runs.of_region(0), 1);
  EXPECT_EQ(runs.of_region(1), 5);
  EXPECT_EQ(runs.of_region(2), 15);
  EXPECT_THAT(runs.undecided(), IsEmpty());
}

TEST(Runs, AreNoneInsideOfALoopThatNeverRuns) {
  ModelSketch sketch = loop_in_loop("none");
  FlatModel flat;
  EXPECT_EQ(runs_of(sketch, flat).of_region(2), 0);
}

TEST(Runs, OfALoopThatDataEndIsOneAndUndecided) {
  ModelSketch sketch = loop_in_loop("fed");
  FlatModel flat;
  const Runs runs = runs_of(sketch, flat);
  EXPECT_EQ(runs.of_region(2), 3);
  EXPECT_THAT(runs.undecided(), ElementsAre(1U));
}

TEST(Runs, MultiplyWorkButNotWeights) {
  OpWork work;
  work.macs = 2;
  work.kernels_forward = 1;
  work.weight_elements = 7;
  work.index_bytes = Bytes{3};
  repeat(4, work);
  EXPECT_EQ(work.macs, 8);
  EXPECT_EQ(work.kernels_forward, 4);
  EXPECT_EQ(work.weight_elements, 7);
  EXPECT_EQ(work.index_bytes, Bytes{12});
}

}  // namespace
}  // namespace horus::graph
