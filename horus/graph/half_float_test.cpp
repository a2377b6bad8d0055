// SPDX-License-Identifier: Apache-2.0
#include "horus/graph/half_float.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace horus::graph {
namespace {

struct Pair {
  double value;
  std::uint16_t bits;
};

// Source: IEEE 754-2019, binary16: largest, smallest normal, largest and smallest subnormal.
TEST(Float16, AgreesWithTheStandard) {
  const Pair pairs[] = {{0.0, 0x0000},
                        {1.0, 0x3C00},
                        {-2.0, 0xC000},
                        {65504.0, 0x7BFF},
                        {std::ldexp(1.0, -14), 0x0400},
                        {std::ldexp(1023.0, -24), 0x03FF},
                        {std::ldexp(1.0, -24), 0x0001},
                        {0.333251953125, 0x3555},
                        {std::numeric_limits<double>::infinity(), 0x7C00}};
  for (const auto& [value, bits] : pairs) {
    EXPECT_EQ(double_of_float16(bits), value);
    EXPECT_EQ(float16_of(value), bits) << value;
  }
}

TEST(Float16, SurvivesTheWayToDoubleAndBack) {
  for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const double value = double_of_float16(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(double_of_float16(float16_of(value))));
    } else {
      ASSERT_EQ(float16_of(value), half);
    }
  }
}

TEST(Float16, RoundsTiesToEvenAndLargeValuesToInfinity) {
  EXPECT_EQ(float16_of(2049.0), 0x6800);  // Between 2048 and 2050: even is 2048.
  EXPECT_EQ(float16_of(2051.0), 0x6802);  // Between 2050 and 2052: even is 2052.
  EXPECT_EQ(float16_of(65519.0), 0x7BFF);
  EXPECT_EQ(float16_of(65520.0), 0x7C00);
  EXPECT_EQ(float16_of(std::ldexp(1.0, -25)), 0x0000);
  EXPECT_EQ(float16_of(std::ldexp(3.0, -25)), 0x0002);
}

TEST(BFloat16, IsTheUpperHalfOfAFloat) {
  const Pair pairs[] = {{0.0, 0x0000}, {1.0, 0x3F80}, {-1.5, 0xBFC0}, {3.140625, 0x4049}};
  for (const auto& [value, bits] : pairs) {
    EXPECT_EQ(double_of_bfloat16(bits), value);
    EXPECT_EQ(bfloat16_of(value), bits) << value;
  }
  EXPECT_TRUE(std::isnan(double_of_bfloat16(bfloat16_of(std::nan("")))));
  EXPECT_EQ(bfloat16_of(1.0 + std::ldexp(1.0, -8)), 0x3F80);  // A tie: to even.
}

}  // namespace
}  // namespace horus::graph
