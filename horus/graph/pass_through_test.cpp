// SPDX-License-Identifier: Apache-2.0
// What a body shows of its surroundings: chains, circles and constants.

#include "horus/graph/pass_through.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "horus/graph/structure_sketch_test.hpp"

namespace horus::graph {
namespace {

/// "c1" shows "c0", and so on, up to "c<nodes>".
Graph chain_of_copies(int nodes) {
  ModelSketch sketch;
  for (int i = 0; i < nodes; ++i) {
    sketch.node("Identity", {"c" + std::to_string(i)}, {"c" + std::to_string(i + 1)});
  }
  return body_of(sketch, {"c0"}, {});
}

TEST(PassThrough, SeesThroughChainsInAnyOrderOfTheirNodes) {
  Graph body = chain_of_copies(50);
  EXPECT_EQ(PassThrough{body}.source("c50"), "c0");
  std::ranges::reverse(body.nodes);
  const PassThrough backwards{body};
  EXPECT_EQ(backwards.source("c50"), "c0");
  EXPECT_EQ(backwards.source("c1"), "c0");
  EXPECT_EQ(backwards.source("elsewhere"), "elsewhere");
}

TEST(PassThrough, DoesNotFollowACircle) {
  ModelSketch sketch;
  sketch.node("Identity", {"b"}, {"a"}).node("Identity", {"a"}, {"b"});
  sketch.node("Identity", {"a"}, {"into"}).node("Identity", {"x"}, {"y"});
  const Graph body = body_of(sketch, {"x"}, {});
  const PassThrough shown{body};
  EXPECT_EQ(shown.source("a"), "a");
  EXPECT_EQ(shown.source("into"), "a");
  EXPECT_EQ(shown.source("y"), "x");
}

TEST(PassThrough, KnowsTheTruthOfConstantsOfItsBodyOnly) {
  ModelSketch sketch;
  with_number(sketch, "no", 0, ElementType::Bool);
  sketch.node("Constant", {}, {"yes"}, {{"value", truth(1)}});
  sketch.node("Identity", {"yes"}, {"shown"}).node("Not", {"yes"}, {"computed"});
  const Graph body = body_of(sketch, {"given"}, {});
  const PassThrough shown{body};
  EXPECT_EQ(shown.constant("no"), false);
  EXPECT_EQ(shown.constant("shown"), true);
  for (const char* name : {"computed", "given", "around"}) {
    EXPECT_EQ(shown.constant(name), std::nullopt) << name;
    EXPECT_EQ(shown.is_from_outside(name), std::string{"around"} == name) << name;
  }
  EXPECT_FALSE(shown.is_from_outside("no"));
}

}  // namespace
}  // namespace horus::graph
