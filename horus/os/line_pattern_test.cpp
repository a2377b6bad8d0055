// SPDX-License-Identifier: Apache-2.0
#include "horus/os/line_pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace horus::os {
namespace {

using ::testing::HasSubstr;

TEST(LinePattern, FindsAMatchAnywhere) {
  const auto pattern = LinePattern::compile("step [0-9]+").value();
  EXPECT_TRUE(pattern.match("epoch 1 step 20 loss 0.1"));
  EXPECT_FALSE(pattern.match("step x"));
  EXPECT_FALSE(pattern.match("step 3")->has_group);
}

TEST(LinePattern, GivesItsFirstGroup) {
  const auto pattern = LinePattern::compile("(a|b)?([0-9]+)").value();
  EXPECT_EQ(pattern.match("xb7").value().group, "b");
  const auto without = pattern.match("7").value();
  EXPECT_TRUE(without.has_group);
  EXPECT_FALSE(without.group) << "it took no part";
}

TEST(LinePattern, RefusesWhatIsNone) {
  for (const char* text : {"(", "[a", "a{2,1}", "*("}) {
    const auto pattern = LinePattern::compile(text);
    ASSERT_FALSE(pattern) << text;
    EXPECT_EQ(pattern.error().code, Errc::InvalidArgument);
    EXPECT_THAT(pattern.error().message, HasSubstr("regular expression"));
  }
}

// std::regex would recurse once for each letter, and try 2^4095 ways for the second.
TEST(LinePattern, TakesLongLinesWithoutDeepRecursionOrEndlessTrials) {
  EXPECT_TRUE(LinePattern::compile("(a|b)*c").value().match(std::string(4'095, 'a') + "c"));
  EXPECT_FALSE(LinePattern::compile("(a|a)*(a|a)*c").value().match(std::string(4'096, 'a')));
}

}  // namespace
}  // namespace horus::os
