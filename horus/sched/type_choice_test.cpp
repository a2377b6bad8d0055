// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/type_choice.hpp"

#include <gtest/gtest.h>

#include "horus/sched/sample.hpp"

namespace horus::sched {
namespace {

using sample::mib;

class TypeChoiceTest : public ::testing::Test {
 protected:
  Cluster cluster_{sample::cluster("1x4xV100-16GB+1x2xA100-40GB")};
  Books books_{cluster_, BooksOptions{}};
};

TEST_F(TypeChoiceTest, TakesTypesWhoseMemoryHoldsTheBoundAndTheMargin) {
  const Bytes small = books_.capacity(0);
  JobSpec job = sample::job({.id = 1}, 2);
  job.demand_by_type[0].memory_bound = small;
  job.demand_by_type[1].memory_bound = small;
  EXPECT_EQ(fitting_types(books_, job, Bytes{}), 0b11U);
  EXPECT_EQ(fitting_types(books_, job, Bytes{1}), 0b10U);
}

TEST_F(TypeChoiceTest, KeepsAGangWithinOneTypeWhereOneIsLargeEnough) {
  EXPECT_EQ(choose_types(books_, 0b11, 2), (TypeChoice{.types = 0b11, .mixed = false}));
  EXPECT_EQ(choose_types(books_, 0b11, 4), (TypeChoice{.types = 0b01, .mixed = false}));
}

TEST_F(TypeChoiceTest, MixesOnlyWhereNoTypeIsLargeEnough) {
  EXPECT_EQ(choose_types(books_, 0b11, 6), (TypeChoice{.types = 0b11, .mixed = true}));
  EXPECT_EQ(choose_types(books_, 0b10, 3).types, 0U);
  EXPECT_EQ(choose_types(books_, 0b11, 7).types, 0U);
}

}  // namespace
}  // namespace horus::sched
