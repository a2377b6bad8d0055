// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/same_padding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace horus::zoo {
namespace {

using ::testing::ElementsAre;

class SamePadding : public ::testing::Test {
 protected:
  Value image(std::int64_t side) { return b.input("x", {kBatch, 3, side, side}); }

  /// Content of the pads of the only Pad node, or nothing where there is none.
  static std::vector<std::int64_t> pads_of(const graph::Model& model) {
    std::string wanted;
    for (const graph::Node& node : model.graph.nodes) {
      if (node.op_type == "Pad") wanted = node.inputs.at(1);
    }
    for (const graph::Node& node : model.graph.nodes) {
      if (node.name == wanted)
        return *std::get<graph::Tensor>(node.attributes.at("value")).integers;
    }
    return {};
  }

  Builder b{"net", std::nullopt};
};

// The figures are those of tf.nn.conv2d(padding="SAME"): ceil(side / stride) windows.
TEST_F(SamePadding, AddsTheOddRowBehindTheImage) {
  const Value y = conv_same(b, "c", image(224), {.channels = 8, .kernel = {3}, .stride = {2}});
  EXPECT_THAT(y.shape, ElementsAre(kBatch, 8, 112, 112));
  EXPECT_THAT(pads_of(std::move(b).finish()), ElementsAre(0, 0, 0, 0, 0, 0, 1, 1));
}

TEST_F(SamePadding, SharesOutWhatALargerKernelLacks) {
  const Value y = conv_same(b, "c", image(224), {.channels = 8, .kernel = {5}, .stride = {2}});
  EXPECT_THAT(y.shape, ElementsAre(kBatch, 8, 112, 112));
  EXPECT_THAT(pads_of(std::move(b).finish()), ElementsAre(0, 0, 1, 1, 0, 0, 2, 2));
}

TEST_F(SamePadding, DependsOnTheSideOfTheImage) {
  const Value y = conv_same(b, "c", image(225), {.channels = 8, .kernel = {3}, .stride = {2}});
  EXPECT_THAT(y.shape, ElementsAre(kBatch, 8, 113, 113));
  EXPECT_THAT(pads_of(std::move(b).finish()), ElementsAre(0, 0, 1, 1, 0, 0, 1, 1));
}

TEST_F(SamePadding, LeavesTheConvolutionToPadWhereBothEndsAreEqual) {
  const Value y = conv_same(b, "c", image(17), {.channels = 8, .kernel = {7}});
  EXPECT_THAT(y.shape, ElementsAre(kBatch, 8, 17, 17));
  EXPECT_EQ(std::move(b).finish().graph.nodes.size(), 1U);
}

TEST_F(SamePadding, AddsNothingWhereNothingIsMissing) {
  const Value y = conv_same(b, "c", image(224), {.channels = 8, .kernel = {2}, .stride = {2}});
  EXPECT_THAT(y.shape, ElementsAre(kBatch, 8, 112, 112));
  EXPECT_EQ(std::move(b).finish().graph.nodes.size(), 1U);
}

TEST_F(SamePadding, CoversAnEvenKernelAtStrideOne) {
  const Value y = conv_same(b, "c", image(9), {.channels = 8, .kernel = {4}});
  EXPECT_THAT(y.shape, ElementsAre(kBatch, 8, 9, 9));
  EXPECT_THAT(pads_of(std::move(b).finish()), ElementsAre(0, 0, 1, 1, 0, 0, 2, 2));
}

}  // namespace
}  // namespace horus::zoo
