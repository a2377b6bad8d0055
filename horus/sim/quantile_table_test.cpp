// SPDX-License-Identifier: Apache-2.0
#include "horus/sim/quantile_table.hpp"

#include <gtest/gtest.h>

#include "horus/sim/philly_shape.hpp"

namespace horus::sim {
namespace {

TEST(Quantile, InterpolatesInTheLogarithmAndLinearlyFromZero) {
  constexpr Quantile kTable[] = {{0.0, 0}, {0.5, 10}, {1.0, 1000}};
  EXPECT_DOUBLE_EQ(quantile(kTable, 0.0), 0);
  EXPECT_DOUBLE_EQ(quantile(kTable, 0.25), 5);
  EXPECT_DOUBLE_EQ(quantile(kTable, 0.5), 10);
  EXPECT_DOUBLE_EQ(quantile(kTable, 0.75), 100);
  EXPECT_DOUBLE_EQ(quantile(kTable, 1.0), 1000);
}

void expect_distribution(std::span<const Quantile> table) {
  EXPECT_EQ(table.front().probability, 0.0);
  EXPECT_EQ(table.back().probability, 1.0);
  for (std::size_t i = 1; i < table.size(); ++i) {
    EXPECT_LT(table[i - 1].probability, table[i].probability);
    EXPECT_LE(table[i - 1].value, table[i].value);
  }
}

TEST(PhillyShape, EveryTableAscendsFromZeroToOne) {
  expect_distribution(philly_burst_jobs());
  expect_distribution(philly_gap_in_burst_s());
  expect_distribution(philly_gap_between_bursts_s());
  double share = 0.0;
  for (const WidthClass& width : philly_widths()) {
    expect_distribution(width.duration_s);
    share += width.share;
  }
  EXPECT_NEAR(share, 1.0, 0.005);
}

}  // namespace
}  // namespace horus::sim
