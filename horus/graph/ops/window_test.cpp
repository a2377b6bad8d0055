// SPDX-License-Identifier: Apache-2.0
// Convolutions and pools in every setting of their windows, in one, two and three dimensions.
// Expected sizes are those of the formulas in ONNX's operator documentation.

#include "horus/graph/ops/window.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "horus/graph/one_node_test.hpp"

namespace horus::graph {
namespace {

using Ints = std::vector<std::int64_t>;

struct WindowCase {
  const char* what;
  Ints data;
  ModelSketch::Attributes attributes;
  Ints expected;
};

AttributeValue same(const char* which) { return std::string{which}; }

std::vector<WindowCase> pools() {
  const AttributeValue up{std::int64_t{1}};
  return {
      {"one dimension", {1, 2, 10}, {{"kernel_shape", Ints{3}}}, {1, 2, 8}},
      {"three dimensions",
       {1, 2, 10, 9, 8},
       {{"kernel_shape", Ints{3, 2, 1}}, {"strides", Ints{2, 2, 2}}},
       {1, 2, 4, 4, 4}},
      {"asymmetric padding",
       {1, 1, 7, 7},
       {{"kernel_shape", Ints{3, 3}}, {"pads", Ints{0, 1, 2, 0}}},
       {1, 1, 7, 6}},
      {"same upper, not divisible",
       {1, 1, 7, 8},
       {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{3, 3}}, {"auto_pad", same("SAME_UPPER")}},
       {1, 1, 3, 3}},
      {"same lower is as large",
       {1, 1, 7, 8},
       {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{3, 3}}, {"auto_pad", same("SAME_LOWER")}},
       {1, 1, 3, 3}},
      {"valid ignores pads",
       {1, 1, 7, 8},
       {{"kernel_shape", Ints{3, 3}}, {"pads", Ints{1, 1, 1, 1}}, {"auto_pad", same("VALID")}},
       {1, 1, 5, 6}},
      {"ceil mode",
       {1, 1, 6, 6},
       {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"ceil_mode", up}},
       {1, 1, 3, 3}},
      {"ceil mode, last window starts in the padding",
       {1, 1, 3, 3},
       {{"kernel_shape", Ints{2, 2}},
        {"strides", Ints{2, 2}},
        {"pads", Ints{1, 1, 1, 1}},
        {"ceil_mode", up}},
       {1, 1, 2, 2}},
      {"dilated and strided",
       {1, 1, 15, 15},
       {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"dilations", Ints{3, 3}}},
       {1, 1, 5, 5}},
      {"dilated with ceil mode",
       {1, 1, 4, 4},
       {{"kernel_shape", Ints{2, 2}},
        {"strides", Ints{2, 2}},
        {"dilations", Ints{2, 2}},
        {"ceil_mode", up}},
       {1, 1, 2, 2}},
  };
}

TEST(Pools, FollowTheirFormulaInEveryVersionThatHasTheSetting) {
  for (const char* op : {"MaxPool", "AveragePool", "LpPool"}) {
    for (const WindowCase& one : pools()) {
      OneNode node{op, 22};
      node.data(one.data);
      for (const auto& [name, value] : one.attributes) node.with(name, value);
      EXPECT_EQ(node.run().shape(), one.expected) << op << ": " << one.what;
    }
  }
}

// The packaged ONNX 1.12 ignores the dilations of AveragePool (version 19) and says 15 x 15.
TEST(Pools, AverageWithDilations) {
  OneNode node{"AveragePool", 19};
  node.data({1, 1, 16, 16}).with("kernel_shape", Ints{2, 2}).with("dilations", Ints{2, 2});
  EXPECT_EQ(node.run().shape(), (Ints{1, 1, 14, 14}));
}

TEST(Pools, HaveAsManyIndicesAsMaxima) {
  OneNode node{"MaxPool"};
  const Outcome found = node.data({2, 3, 8, 8}).with("kernel_shape", Ints{2, 2}).outputs(2).run();
  EXPECT_EQ(found.shape("y1"), (Ints{2, 3, 7, 7}));
  EXPECT_EQ(found.type("y1"), ElementType::Int64);
}

struct TransposedCase {
  const char* what;
  ModelSketch::Attributes attributes;
  Ints expected;
};

TEST(TransposedConvolution, FollowsItsFormula) {
  const Ints two{2, 2};
  const std::vector<TransposedCase> cases{
      {"plain", {}, {1, 4, 7, 8}},
      {"strided", {{"strides", two}}, {1, 4, 11, 13}},
      {"padded", {{"strides", two}, {"pads", Ints{1, 0, 1, 1}}}, {1, 4, 9, 12}},
      {"output padding", {{"strides", two}, {"output_padding", Ints{1, 0}}}, {1, 4, 12, 13}},
      {"dilated", {{"dilations", two}}, {1, 4, 9, 10}},
      {"output shape", {{"strides", two}, {"output_shape", Ints{10, 12}}}, {1, 4, 10, 12}},
      {"whole output shape",
       {{"strides", two}, {"output_shape", Ints{1, 4, 10, 12}}},
       {1, 4, 10, 12}},
      {"same upper", {{"strides", two}, {"auto_pad", same("SAME_UPPER")}}, {1, 4, 10, 12}},
      {"same lower", {{"strides", two}, {"auto_pad", same("SAME_LOWER")}}, {1, 4, 10, 12}},
      {"valid", {{"strides", two}, {"auto_pad", same("VALID")}}, {1, 4, 11, 13}},
  };
  for (const TransposedCase& one : cases) {
    OneNode node{"ConvTranspose"};
    node.data({1, 2, 5, 6}).weight({2, 4, 3, 3});
    for (const auto& [name, value] : one.attributes) node.with(name, value);
    const Outcome found = node.run();
    EXPECT_EQ(found.shape(), one.expected) << one.what << found.gap;
    EXPECT_EQ(found.work.macs, 2 * 30 * 4 * 9) << one.what << ": every input meets the kernel";
  }
}

TEST(TransposedConvolution, WorksInGroupsAndOtherDimensions) {
  OneNode line{"ConvTranspose"};
  line.data({1, 4, 10}).weight({4, 3, 3}).with("group", std::int64_t{2});
  const Outcome found = line.run();
  EXPECT_EQ(found.shape(), (Ints{1, 6, 12}));
  EXPECT_EQ(found.work.macs, 40 * 3 * 3);
  OneNode volume{"ConvTranspose"};
  EXPECT_EQ(volume.data({1, 2, 3, 4, 5}).weight({2, 1, 2, 2, 2}).run().shape(),
            (Ints{1, 1, 4, 5, 6}));
}

TEST(Convolution, PadsToTheSameSize) {
  OneNode node{"Conv"};
  node.data({1, 2, 7, 8}).weight({3, 2, 4, 4}).with("auto_pad", same("SAME_LOWER"));
  node.with("dilations", Ints{2, 1});
  EXPECT_EQ(node.run().shape(), (Ints{1, 3, 7, 8}));
}

TEST(Convolution, RefusesAPaddingThatDoesNotExist) {
  OneNode node{"Conv"};
  node.data({1, 2, 7, 8}).weight({3, 2, 4, 4}).with("auto_pad", same("SAME"));
  EXPECT_NE(node.run().gap, "");
}

}  // namespace
}  // namespace horus::graph
