// SPDX-License-Identifier: Apache-2.0
// What control flow leaves open, in words.

#include "horus/graph/structure_check.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/graph/structure_sketch_test.hpp"

namespace horus::graph {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// `count` loops of at most four trips, one behind the other, whose bodies compute their condition.
ModelSketch loops(int count) {
  ModelSketch sketch;
  sketch.input("v0", {2, 8});
  with_number(sketch, "m", 4);
  for (int i = 0; i < count; ++i) {
    ModelSketch body;
    body.node("Relu", {"h"}, {"next"}).node("Not", {"c"}, {"goes_on"});
    add_flow(sketch, "Loop", {"m", "", "v" + std::to_string(i)}, {"v" + std::to_string(i + 1)},
             {{"body", body_of(body, {"i", "c", "h"}, {"goes_on", "next"})}});
  }
  return std::move(sketch.output("v" + std::to_string(count)));
}

TEST(StructureCheck, TellsAllLoopsOfOneKindInOneWarning) {
  ModelSketch sketch = loops(6);
  EXPECT_THAT(analysis_of(sketch).warnings,
              ElementsAre(AllOf(HasSubstr("6 loops may end before"),
                                HasSubstr("('v1', 'v2', 'v3', 'v4', ...)"),
                                HasSubstr("--dim trips:v1=COUNT"))));
}

TEST(StructureCheck, IsSilentAboutALoopOfOneTripOrOfATripCountThatIsGiven) {
  ModelSketch once = loops(1);
  once.model().graph.initializers[0].integers = std::vector<std::int64_t>{1};
  EXPECT_THAT(analysis_of(once).warnings, IsEmpty());
  ModelSketch sketch = loops(1);
  EXPECT_THAT(analysis_of(sketch, with_trips("v1", 2)).warnings, IsEmpty());
}

}  // namespace
}  // namespace horus::graph
