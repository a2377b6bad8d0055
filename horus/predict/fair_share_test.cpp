// SPDX-License-Identifier: Apache-2.0
#include "horus/predict/fair_share.hpp"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace horus::predict {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(FairShare, NobodyWaitsWhileDemandsFit) {
  EXPECT_THAT(fair_stretch(std::array{0.3, 0.7}), ElementsAre(1, 1));
  EXPECT_THAT(fair_stretch(std::array{1.0}), ElementsAre(1));
  EXPECT_THAT(fair_stretch({}), IsEmpty());
}

TEST(FairShare, EqualUsersGetEqualParts) {
  EXPECT_THAT(fair_stretch(std::array{1.0, 1.0}), ElementsAre(2, 2));
  EXPECT_THAT(fair_stretch(std::array{1.0, 1.0, 1.0}),
              ElementsAre(DoubleEq(3), DoubleEq(3), DoubleEq(3)));
}

TEST(FairShare, SmallUsersAreServedInFull) {
  // 0.2 is below a third; the others divide the remaining 0.8.
  EXPECT_THAT(fair_stretch(std::array{1.0, 0.2, 0.6}),
              ElementsAre(DoubleEq(2.5), DoubleEq(1), DoubleEq(1.5)));
}

}  // namespace
}  // namespace horus::predict
