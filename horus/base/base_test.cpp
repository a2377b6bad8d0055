// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "horus/base/check.hpp"
#include "horus/base/id.hpp"
#include "horus/base/quantity.hpp"
#include "horus/base/result.hpp"
#include "horus/base/rng.hpp"
#include "horus/base/text.hpp"
#include "horus/base/time.hpp"

namespace horus {
namespace {

using namespace literals;  // NOLINT(google-build-using-namespace): literals only

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};
static_assert(Addable<Bytes, Bytes>);
static_assert(!Addable<Bytes, int>);
static_assert(!Addable<Bytes, Permille>);
static_assert(!std::is_convertible_v<Bytes, std::int64_t>);
static_assert(!Addable<Id<struct A>, Id<struct A>>);

TEST(Quantity, CountsMemoryInBytes) {
  EXPECT_EQ((3_MiB).count(), 3 * 1024 * 1024);
  EXPECT_EQ(1_GiB - 1023_MiB, 1_MiB);
}

TEST(Permille, RoundsToNearestAndClamps) {
  EXPECT_EQ(to_permille(0.1234).count(), 123);
  EXPECT_EQ(to_permille(0.9996).count(), 1000);
  EXPECT_EQ(to_permille(-1.0).count(), 0);
  EXPECT_EQ(to_permille(7.0).count(), 1000);
}

TEST(ParseNumber, TakesOnlyFiniteNumbersThatFillTheText) {
  EXPECT_EQ(parse_number(" 1.5e3 "), 1500.0);
  EXPECT_EQ(parse_number("+2"), 2.0);
  for (const char* bad : {"", "  ", "nan", "inf", "-inf", "1e999", "0x10", "1.5x", "1,5", "++2"}) {
    EXPECT_FALSE(parse_number(bad)) << bad;
  }
}

TEST(ParseInteger, RefusesFractionsAndOverflow) {
  EXPECT_EQ(parse_integer("-42"), -42);
  for (const char* bad : {"", "1.0", "9223372036854775808", "1e3"}) {
    EXPECT_FALSE(parse_integer(bad)) << bad;
  }
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
}

TEST(NearestName, FindsTypingMistakesAndNothingElse) {
  const std::vector<std::string> names{"resnet18", "resnet50", "vgg16"};
  EXPECT_EQ(nearest_name("Resnet5", names), "resnet50");
  EXPECT_FALSE(nearest_name("transformer", names));
  EXPECT_EQ(did_you_mean("vgg-16", names), " Did you mean 'vgg16'?");
}

TEST(Printable, ShowsControlBytesAndCutsLongText) {
  EXPECT_EQ(printable("a\x1b[31m"), "a\\x1b[31m");
  EXPECT_EQ(printable("abcdef", 3), "abc...");
}

TEST(Printable, KeepsWordsOfAllLanguagesAndCutsBetweenTheirLetters) {
  EXPECT_EQ(printable("\xe6\xbc\xa2\xe5\xad\x97"), "\xe6\xbc\xa2\xe5\xad\x97");
  EXPECT_EQ(printable("\xe6\xbc\xa2\xe5\xad\x97", 1), "\xe6\xbc\xa2...");
}

// U+200B, U+200F, U+2028, U+2060, U+2069, U+FEFF, U+E0041, U+FFFF, half a pair, a long spelling.
TEST(WithoutControls, ShowsWhatNobodySees) {
  for (const char* text :
       {"\xe2\x80\x8b", "\xe2\x80\x8f", "\xe2\x80\xa8", "\xe2\x81\xa0", "\xe2\x81\xa9",
        "\xef\xbb\xbf", "\xf3\xa0\x81\x81", "\xef\xbf\xbf", "\xed\xa0\x80", "\xe0\x80\xaf"}) {
    const std::string shown = without_controls(text);
    EXPECT_EQ(shown.size(), 4 * std::string_view{text}.size());
    EXPECT_EQ(shown, printable(text));
  }
}

TEST(WithoutControls, KeepsWordsAndShowsWhatATerminalWouldObey) {
  EXPECT_EQ(without_controls("gr\xc3\xbc\xc3\x9f\x1b[2J\n\x7f"),
            "gr\xc3\xbc\xc3\x9f\\x1b[2J\\x0a\\x7f");
  // The one-byte and the UTF-8 form of CSI, and a mark that turns the line around.
  EXPECT_EQ(without_controls("\x9b"
                             "31m"),
            "\\x9b31m");
  EXPECT_EQ(without_controls("\xc2\x9b"
                             "31m"),
            "\\xc2\\x9b31m");
  EXPECT_EQ(without_controls("\xe2\x80\xae"
                             "gpj"),
            "\\xe2\\x80\\xaegpj");
  EXPECT_EQ(without_controls("\xe6\xbc\xa2\xf0\x9f\x98\x80"), "\xe6\xbc\xa2\xf0\x9f\x98\x80");
  EXPECT_EQ(without_controls("\xe6\xbc"), "\\xe6\\xbc");
  EXPECT_EQ(without_controls(std::string_view{"a\0b", 3}), "a\\x00b");
}

TEST(Time, ConvertsSecondsToExactMicroseconds) {
  EXPECT_EQ(from_seconds(1.5).count(), 1'500'000);
  EXPECT_EQ(to_seconds(Duration{250'000}), 0.25);
}

TEST(Rng, IsPinnedToItsSource) {
  Rng rng{42};
  EXPECT_EQ(rng.next(), 13679457532755275413ULL);  // SplitMix64, seed 42
  EXPECT_EQ(rng.next(), 2949826092126892291ULL);
}

TEST(Rng, ForksDependOnSeedAndSaltOnly) {
  Rng a{7};
  const Rng b{7};
  (void)a.next();
  EXPECT_EQ(a.fork(3).next(), b.fork(3).next());
  EXPECT_NE(b.fork(3).next(), b.fork(4).next());
}

TEST(Rng, DrawsWithTheStatedMeans) {
  Rng rng{1};
  double normal = 0.0;
  double squares = 0.0;
  double exponential = 0.0;
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    const double x = rng.normal();
    normal += x;
    squares += x * x;
    exponential += rng.exponential();
    ASSERT_LT(rng.below(10), 10U);
  }
  EXPECT_NEAR(normal / kDraws, 0.0, 0.03);
  EXPECT_NEAR(squares / kDraws, 1.0, 0.05);
  EXPECT_NEAR(exponential / kDraws, 1.0, 0.03);
}

Result<int> half(int n) {
  if (n % 2 != 0) return fail(Errc::InvalidArgument, "odd", "line 1");
  return n / 2;
}

Result<int> quarter(int n) {
  HORUS_TRY(const int once, half(n));
  return half(once);
}

TEST(Result, TryReturnsTheFirstError) {
  EXPECT_EQ(quarter(8).value(), 2);
  EXPECT_EQ(quarter(6).error().text(), "line 1: odd");
}

TEST(CheckDeathTest, SaysWhyAndWhere) {
  EXPECT_DEATH(HORUS_CHECK(1 == 2, "numbers differ"), "base_test.cpp:[0-9]+: numbers differ");
}

}  // namespace
}  // namespace horus
