// SPDX-License-Identifier: Apache-2.0
#include "horus/base/utf8.hpp"

#include <gtest/gtest.h>

namespace horus {
namespace {

TEST(FrontCharacter, IsTheFirstOfAnyLength) {
  struct Case {
    std::string_view text;
    std::size_t length;
    std::uint32_t code;
  };
  for (const auto& [text, length, code] :
       {Case{"ab", 1, 0x61}, Case{std::string_view{"\0", 1}, 1, 0}, Case{"\xc3\xbc-", 2, 0xfc},
        Case{"\xe6\xbc\xa2", 3, 0x6f22}, Case{"\xed\x9f\xbf", 3, 0xd7ff},
        Case{"\xf0\x9f\x98\x80", 4, 0x1f600}, Case{"\xf4\x8f\xbf\xbf", 4, 0x10ffff}}) {
    EXPECT_EQ(front_character(text).length, length) << code;
    EXPECT_EQ(front_character(text).code, code);
  }
}

TEST(FrontCharacter, IsNoneWhereBytesAreNoUtf8) {
  for (const char* text : {"\x80", "\xff", "\xc3", "\xc3(", "\xc0\x80", "\xe0\x9f\xbf", "\xe6\xbc",
                           "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80"}) {
    EXPECT_EQ(front_character(text).length, 0U) << text;
  }
}

}  // namespace
}  // namespace horus
