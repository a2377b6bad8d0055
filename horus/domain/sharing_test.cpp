// SPDX-License-Identifier: Apache-2.0
#include "horus/domain/sharing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace horus {
namespace {

TEST(SharingNames, ParseBackAndListTheKnownOnesOnAMistake) {
  for (const SharingMode mode :
       {SharingMode::Exclusive, SharingMode::TimeSlice, SharingMode::Mps, SharingMode::Mig}) {
    EXPECT_EQ(parse_sharing_mode(name_of(mode)).value(), mode);
  }
  for (const Interference law :
       {Interference::Default, Interference::Paper, Interference::Conservation}) {
    EXPECT_EQ(parse_interference(name_of(law)).value(), law);
  }
  EXPECT_THAT(parse_sharing_mode("slices").error().message,
              testing::HasSubstr("exclusive, timeslice, mps, mig"));
}

TEST(SharedThroughput, CountsJobsThatHaveTheGpuAlone) {
  SharedPrediction shared;
  shared.slowdowns = {{.expected = 2}, {.expected = 1.25}};
  EXPECT_DOUBLE_EQ(shared.throughput(), 0.5 + 0.8);
  EXPECT_DOUBLE_EQ(shared.slowdown_max(), 2);
  shared.mode = SharingMode::Exclusive;
  EXPECT_DOUBLE_EQ(shared.throughput(), 1) << "one job at a time";
  shared.obstacle = "no";
  EXPECT_DOUBLE_EQ(shared.throughput(), 0);
}

}  // namespace
}  // namespace horus
