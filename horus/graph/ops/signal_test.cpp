// SPDX-License-Identifier: Apache-2.0
// Fourier transforms and windows.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "horus/graph/one_node_test.hpp"

namespace horus::graph {
namespace {

using Ints = std::vector<std::int64_t>;
constexpr std::int64_t kOne = 1;

TEST(Fourier, IsComplexAndKeepsItsLength) {
  const Outcome found = OneNode("DFT", 20).data({2, 16, 1}).run();
  EXPECT_EQ(found.shape(), (Ints{2, 16, 2}));
  EXPECT_EQ(found.work.flops_forward, 0.5 * 5 * 2 * 16 * 4) << "two real transforms of 16 points";
  const Outcome complex = OneNode("DFT", 20).data({2, 16, 2}).run();
  EXPECT_EQ(complex.work.flops_forward, 5 * 2 * 16 * 4);
}

TEST(Fourier, GivesHalfOfARealSignalAndTakesItBack) {
  EXPECT_EQ(OneNode("DFT", 20).data({2, 16, 1}).with("onesided", kOne).run().shape(),
            (Ints{2, 9, 2}));
  OneNode back{"DFT", 20};
  back.data({2, 9, 2}).with("onesided", kOne).with("inverse", kOne);
  EXPECT_EQ(back.run().shape(), (Ints{2, 16, 1}));
}

TEST(Fourier, PadsOrCutsToTheLengthThatIsGiven) {
  EXPECT_EQ(OneNode("DFT", 20).data({2, 10, 1}).integers({16}).run().shape(), (Ints{2, 16, 2}));
}

TEST(ShortTimeFourier, SlidesFrames) {
  // 1 + (128 - 16) / 8 frames of 16 samples, 9 frequencies each.
  OneNode node{"STFT", 17};
  const Outcome found = node.data({1, 128, 1}).integers({8}).none().integers({16}).run();
  EXPECT_EQ(found.shape(), (Ints{1, 15, 9, 2}));
  EXPECT_EQ(found.work.flops_forward, 15 * (0.5 * 5 * 16 * 4 + 16));
}

TEST(ShortTimeFourier, TakesTheLengthOfItsWindow) {
  OneNode node{"STFT", 17};
  node.data({2, 100, 1}).integers({10}).weight({20}).with("onesided", std::int64_t{0});
  EXPECT_EQ(node.run().shape(), (Ints{2, 9, 20, 2}));
}

TEST(ShortTimeFourier, RefusesFramesThatDoNotFit) {
  EXPECT_NE(OneNode("STFT", 17).data({1, 8, 1}).integers({4}).none().integers({9}).run().gap, "");
  EXPECT_NE(OneNode("STFT", 17).data({1, 8, 1}).integers({0}).none().integers({4}).run().gap, "");
}

TEST(Windows, HaveTheSizeThatIsGiven) {
  for (const char* op : {"HannWindow", "HammingWindow", "BlackmanWindow"}) {
    const Outcome found = OneNode(op, 17).integers({10}).run();
    EXPECT_EQ(found.shape(), (Ints{10})) << op;
    EXPECT_EQ(found.type(), ElementType::Float32) << op;
    const Outcome twice =
        OneNode(op, 17).integers({10}).with("output_datatype", std::int64_t{11}).run();
    EXPECT_EQ(twice.type(), ElementType::Float64) << op;
  }
}

TEST(MelWeights, HaveOneRowForEveryFrequency) {
  OneNode node{"MelWeightMatrix", 17};
  node.integers({8}).integers({16}).integers({8192}).reals({0}).reals({4096});
  EXPECT_EQ(node.run().shape(), (Ints{9, 8}));
}

}  // namespace
}  // namespace horus::graph
