// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace horus::zoo {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> names_of(const std::vector<graph::ValueInfo>& values) {
  std::vector<std::string> names;
  names.reserve(values.size());
  for (const graph::ValueInfo& value : values) names.push_back(value.name);
  return names;
}

TEST(Builder, DeclaresASymbolicBatchAsN) {
  Builder b{"net", std::nullopt};
  b.output(b.input("x", {kBatch, 3}));
  const graph::Model model = std::move(b).finish();
  EXPECT_THAT(*model.graph.inputs.at(0).shape, ElementsAre(graph::dim("N"), graph::dim(3)));
  EXPECT_THAT(*model.graph.outputs.at(0).shape, ElementsAre(graph::dim("N"), graph::dim(3)));
}

TEST(Builder, DeclaresAFixedBatchAsItsSize) {
  Builder b{"net", 8};
  b.output(b.input("x", {kBatch, 3}));
  const graph::Model model = std::move(b).finish();
  EXPECT_THAT(*model.graph.inputs.at(0).shape, ElementsAre(graph::dim(8), graph::dim(3)));
}

TEST(Builder, PutsWeightsAfterDataInputsAndListsThem) {
  Builder b{"net", std::nullopt};
  b.parameter("w", {4});
  b.input("x", {kBatch, 4});
  b.buffer("mean", {4});
  b.parameter("v", {2});
  b.input("y", {kBatch, 2});
  const graph::Model model = std::move(b).finish();
  EXPECT_THAT(names_of(model.graph.inputs), ElementsAre("x", "y", "w", "mean", "v"));
  EXPECT_EQ(model.metadata.at(graph::kParametersKey), "w,v");
  EXPECT_EQ(model.metadata.at(graph::kBuffersKey), "mean");
}

TEST(Builder, LeavesOutTheBufferListOfAGraphWithoutBuffers) {
  Builder b{"net", std::nullopt};
  b.parameter("w", {4});
  EXPECT_FALSE(std::move(b).finish().metadata.contains(graph::kBuffersKey));
}

TEST(Builder, SharesConstantsOfEqualContentOnly) {
  Builder b{"net", std::nullopt};
  const Value first = b.integers({0, -1});
  EXPECT_EQ(b.integers({0, -1}).name, first.name);
  EXPECT_NE(b.integers({0, 1}).name, first.name);
  EXPECT_NE(b.integer(3).name, b.integers({3}).name);
  EXPECT_NE(b.number(3).name, b.integer(3).name);
  EXPECT_NE(b.number(1.0 / 3).name, b.number(0.333333).name);
  EXPECT_EQ(std::move(b).finish().graph.nodes.size(), 7u);
}

TEST(Builder, NumbersTheOutputsOfANode) {
  Builder b{"net", std::nullopt};
  const Value x = b.input("x", {kBatch, 4});
  const auto parts = b.add_many({.name = "cut", .op_type = "Split", .inputs = {x.name}},
                                {{kBatch, 1}, {kBatch, 3}});
  EXPECT_EQ(parts.at(0).name, "cut");
  EXPECT_EQ(parts.at(1).name, "cut:1");
  EXPECT_THAT(parts.at(1).shape, ElementsAre(kBatch, 3));
  EXPECT_THAT(std::move(b).finish().graph.nodes.at(0).outputs, ElementsAre("cut", "cut:1"));
}

TEST(Builder, AFurtherPassRepeatsNodesAndSharesWeights) {
  Builder b{"net", std::nullopt};
  const Value x = b.input("x", {kBatch, 4});
  const auto apply = [&b](const Value& from) {
    const Value weight = b.parameter("w", {4, 4});
    return b.add({.name = "fc", .op_type = "MatMul", .inputs = {from.name, weight.name}},
                 {kBatch, 4});
  };
  const Value once = apply(x);
  b.begin_pass("2");
  const Value twice = apply(once);
  EXPECT_EQ(once.name, "fc");
  EXPECT_EQ(twice.name, "fc@2");
  b.output(twice);
  const graph::Model model = std::move(b).finish();
  EXPECT_EQ(model.metadata.at(graph::kParametersKey), "w");
  EXPECT_THAT(model.graph.nodes.at(1).inputs, ElementsAre("fc", "w"));
}

TEST(Builder, SharesFilledBuffersOfEqualContentOnly) {
  Builder b{"net", std::nullopt};
  EXPECT_EQ(b.filled(1, 8).name, b.filled(1, 8).name);
  EXPECT_NE(b.filled(1, 8).name, b.filled(0, 8).name);
  EXPECT_NE(b.filled(1, 8).name, b.filled(1, 9).name);
  EXPECT_EQ(std::move(b).finish().metadata.at(graph::kBuffersKey),
            "filled_1_8,filled_0_8,filled_1_9");
}

TEST(BuilderDeathTest, RefusesANameThatIsTaken) {
  Builder b{"net", std::nullopt};
  b.input("x", {kBatch, 4});
  EXPECT_DEATH(b.parameter("x", {4}), "a name of its own");
}

}  // namespace
}  // namespace horus::zoo
