// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/conformal.hpp"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

namespace horus::lab {
namespace {

TEST(ConformalQuantile, IsTheRankThatCoversTheNextOne) {
  std::vector<double> hundred;
  for (int i = 100; i > 0; --i) hundred.push_back(i);
  EXPECT_EQ(conformal_quantile(hundred, 0.95), 96) << "(100 + 1) x 0.95 = 95.95";
  EXPECT_EQ(conformal_quantile(hundred, 0.10), 11);
}

TEST(ConformalQuantile, OfTooFewIsTheLargest) { EXPECT_EQ(conformal_quantile({3, 1, 2}, 0.95), 3); }

TEST(GroupedResiduals, NoFitSeesTheGroupThatItPredicts) {
  constexpr std::array<std::string_view, 6> kGroups{"b", "a", "c", "a", "b", "c"};
  std::size_t calls = 0;
  const auto residuals = grouped_residuals(kGroups, 8, [&](auto training, auto held_out) {
    ++calls;
    std::vector<double> out;
    for (const std::size_t i : held_out) {
      for (const std::size_t j : training) EXPECT_NE(kGroups[i], kGroups[j]);
      out.push_back(static_cast<double>(i));
    }
    EXPECT_EQ(training.size() + held_out.size(), kGroups.size());
    return out;
  });
  EXPECT_EQ(calls, 3U);
  EXPECT_EQ(residuals, (std::vector<double>{0, 1, 2, 3, 4, 5}));
}

TEST(GroupedResiduals, ManyGroupsShareFolds) {
  constexpr std::array<std::string_view, 5> kGroups{"a", "b", "c", "d", "e"};
  std::size_t calls = 0;
  const auto residuals = grouped_residuals(kGroups, 2, [&](auto, auto held_out) {
    ++calls;
    return std::vector<double>(held_out.size(), 1.0);
  });
  EXPECT_EQ(calls, 2U);
  EXPECT_EQ(std::ranges::count(residuals, 1.0), 5);
}

TEST(GroupedResiduals, OneGroupIsPredictedByItself) {
  constexpr std::array<std::string_view, 2> kGroups{"a", "a"};
  const auto residuals = grouped_residuals(kGroups, 8, [&](auto training, auto held_out) {
    EXPECT_EQ(training.size(), 2U);
    return std::vector<double>(held_out.size(), 0.5);
  });
  EXPECT_EQ(residuals, (std::vector<double>{0.5, 0.5}));
}

}  // namespace
}  // namespace horus::lab
