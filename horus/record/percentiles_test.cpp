// SPDX-License-Identifier: Apache-2.0
#include "horus/record/percentiles.hpp"

#include <gtest/gtest.h>

namespace horus::record {
namespace {

TEST(Mean, IsNothingOfNothing) {
  Mean mean;
  EXPECT_FALSE(mean.value());
  mean.add(1.0);
  Mean more;
  more.add(2.0);
  more.add(6.0);
  mean.add(more);
  EXPECT_DOUBLE_EQ(mean.value().value(), 3.0);
}

TEST(PercentCounts, AreExact) {
  PercentCounts counts;
  EXPECT_FALSE(counts.mean());
  EXPECT_FALSE(counts.percentile(0.5));
  for (unsigned percent = 1; percent <= 20; ++percent) counts.add(percent);
  EXPECT_DOUBLE_EQ(counts.mean().value(), 10.5);
  EXPECT_DOUBLE_EQ(counts.percentile(0.5).value(), 10.0) << "10 of 20 are at most 10";
  EXPECT_DOUBLE_EQ(counts.percentile(0.95).value(), 19.0) << "19 of 20 are at most 19";
  EXPECT_DOUBLE_EQ(counts.percentile(0.0).value(), 1.0);
  EXPECT_DOUBLE_EQ(counts.percentile(1.0).value(), 20.0);
}

TEST(PercentCounts, BringDriversNonsenseIntoRange) {
  PercentCounts counts;
  counts.add(4'000'000'000U);
  EXPECT_DOUBLE_EQ(counts.mean().value(), 100.0);
}

TEST(PercentCounts, AddUp) {
  PercentCounts a;
  a.add(10);
  PercentCounts b;
  b.add(30);
  b.add(50);
  a.add(b);
  EXPECT_EQ(a.total(), 3);
  EXPECT_DOUBLE_EQ(a.percentile(0.5).value(), 30.0);
}

TEST(SpacedSample, IsExactWhileShort) {
  SpacedSample sample;
  EXPECT_FALSE(sample.percentile(0.5));
  for (int i = 100; i > 0; --i) sample.add(i);
  EXPECT_DOUBLE_EQ(sample.percentile(0.5).value(), 50.0);
  EXPECT_DOUBLE_EQ(sample.percentile(0.95).value(), 95.0);
}

TEST(SpacedSample, StaysSmallAndRightWhenLong) {
  SpacedSample sample;
  constexpr int kMany = 600'000;
  for (int i = 0; i < kMany; ++i) sample.add(i);
  EXPECT_LE(sample.kept(), std::size_t{1} << 18U);
  EXPECT_GT(sample.kept(), std::size_t{1} << 17U);
  EXPECT_NEAR(sample.percentile(0.5).value(), 0.5 * kMany, 8);
  EXPECT_NEAR(sample.percentile(0.95).value(), 0.95 * kMany, 8);
}

}  // namespace
}  // namespace horus::record
