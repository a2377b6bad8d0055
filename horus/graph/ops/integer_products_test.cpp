// SPDX-License-Identifier: Apache-2.0
// Quantized convolutions and products cost as many multiply-accumulates as their floating forms.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "horus/graph/one_node_test.hpp"

namespace horus::graph {
namespace {

using Ints = std::vector<std::int64_t>;
constexpr auto kByte = ElementType::Uint8;

TEST(IntegerProducts, ConvolveLikeFloats) {
  OneNode plain{"Conv"};
  plain.data({2, 4, 8, 8}).weight({6, 2, 3, 3}).with("group", std::int64_t{2});
  const Outcome floats = plain.run();
  OneNode integer{"ConvInteger"};
  integer.data({2, 4, 8, 8}, kByte).weight({6, 2, 3, 3}, kByte).with("group", std::int64_t{2});
  const Outcome integers = integer.run();
  EXPECT_EQ(integers.shape(), floats.shape());
  EXPECT_EQ(integers.type(), ElementType::Int32);
  EXPECT_EQ(integers.work.macs, floats.work.macs);
  EXPECT_EQ(integers.work.gemm, floats.work.gemm);
  OneNode scaled{"QLinearConv"};
  scaled.data({2, 4, 8, 8}, kByte).reals({1}).integers({0});
  scaled.weight({6, 2, 3, 3}, ElementType::Int8).reals({1}).integers({0}).reals({1});
  scaled.weight({}, kByte).weight({6}, ElementType::Int32).with("group", std::int64_t{2});
  const Outcome found = scaled.run();
  EXPECT_EQ(found.shape(), floats.shape());
  EXPECT_EQ(found.type(), kByte) << "that of the zero point of the result";
  EXPECT_EQ(found.work.macs, floats.work.macs);
  EXPECT_EQ(found.parameters, 0) << "integers do not train";
}

TEST(IntegerProducts, MultiplyLikeFloats) {
  OneNode integer{"MatMulInteger"};
  const Outcome found = integer.data({3, 5, 8}, kByte).data({3, 8, 6}, kByte).run();
  EXPECT_EQ(found.shape(), (Ints{3, 5, 6}));
  EXPECT_EQ(found.type(), ElementType::Int32);
  EXPECT_EQ(found.work.macs, 3 * 5 * 6 * 8);
  EXPECT_EQ(found.work.gemm, (GemmShape{.m = 5, .n = 6, .k = 8, .groups = 3}));
  OneNode shared{"QLinearMatMul"};
  shared.data({3, 5, 8}, kByte).reals({1}).integers({0});
  shared.weight({8, 6}, kByte).reals({1}).integers({0}).reals({1}).weight({}, kByte);
  const Outcome whole = shared.run();
  EXPECT_EQ(whole.work.gemm, (GemmShape{.m = 15, .n = 6, .k = 8, .groups = 1}));
}

TEST(IntegerProducts, MoveBytesNotFloats) {
  OneNode integer{"MatMulInteger"};
  const Outcome found = integer.data({5, 8}, kByte).weight({8, 6}, kByte).run();
  EXPECT_EQ(found.work.elements_read, 0);
  EXPECT_EQ(found.work.elements_written, 0);
  EXPECT_EQ(found.work.index_bytes.count(), 5 * 8 + 4 * 5 * 6);
}

TEST(Quantization, AcceptsAScaleForEveryBlock) {
  OneNode node{"QuantizeLinear", 21};
  node.data({4, 32})
      .weight({4, 2})
      .with("axis", std::int64_t{1})
      .with("block_size", std::int64_t{16});
  const Outcome found = node.with("output_dtype", std::int64_t{22}).run();
  EXPECT_EQ(found.shape(), (Ints{4, 32}));
  EXPECT_EQ(static_cast<int>(found.type()), 22) << "int4";
  EXPECT_NE(OneNode("QuantizeLinear", 21).data({4, 32, 2}).weight({4, 2}).run().gap, "");
}

TEST(Quantization, HasTheTypeOfItsZeroPointOrScale) {
  const Outcome signed_bytes =
      OneNode("QuantizeLinear").data({4}).weight({}).weight({}, ElementType::Int8).run();
  EXPECT_EQ(signed_bytes.type(), ElementType::Int8);
  EXPECT_EQ(OneNode("QuantizeLinear").data({4}).weight({}).run().type(), kByte);
  OneNode half{"DequantizeLinear"};
  EXPECT_EQ(half.data({4}, kByte).weight({}, ElementType::Float16).run().type(),
            ElementType::Float16);
}

TEST(Quantization, MayFindItsOwnScale) {
  const Outcome found = OneNode("DynamicQuantizeLinear").data({4, 5}).outputs(3).run();
  EXPECT_EQ(found.type(), kByte);
  EXPECT_EQ(found.type("y1"), ElementType::Float32);
  EXPECT_EQ(found.shape("y1"), Ints{});
  EXPECT_EQ(found.type("y2"), kByte);
}

}  // namespace
}  // namespace horus::graph
