// SPDX-License-Identifier: Apache-2.0
#include "horus/os/filter.hpp"

#include <csignal>

#include <gtest/gtest.h>

namespace horus::os {
namespace {

TEST(FilterThrough, GivesWhatTheProgramPrints) {
  const std::string input(200'000, 'x');  // More than a pipe holds.
  EXPECT_EQ(filter_through({"sh", "-c", "cat > /dev/null; printf done"}, input, 10).value(),
            "done");
  EXPECT_EQ(filter_through({"tr", "a", "b"}, "banana", 6).value(), "bbnbnb");
}

TEST(FilterThrough, ThrowsComplaintsAway) {
  EXPECT_EQ(filter_through({"sh", "-c", "cat; echo oops >&2"}, "x", 10).value(), "x");
}

TEST(FilterThrough, RefusesMoreThanExpected) {
  EXPECT_EQ(filter_through({"cat"}, "12345", 4).error().message, "it printed more than expected");
}

TEST(FilterThrough, SaysWhyThereIsNothing) {
  const Error missing = filter_through({"horus-no-such-program"}, "", 1).error();
  EXPECT_EQ(missing.code, Errc::NotFound);
  EXPECT_EQ(missing.message, "no such program in PATH");
  EXPECT_EQ(missing.where, "horus-no-such-program");
  EXPECT_EQ(filter_through({"sh", "-c", "exit 3"}, "", 1).error().message,
            "the program failed (exit code 3)");
}

TEST(FilterThrough, SurvivesAProgramThatReadsNothing) {
  const auto original = std::signal(SIGPIPE, SIG_DFL);
  EXPECT_EQ(filter_through({"sh", "-c", "exec <&-"}, std::string(200'000, 'x'), 1).error().code,
            Errc::Unavailable);
  EXPECT_EQ(std::signal(SIGPIPE, original), SIG_DFL) << "what was set before is set again";
}

}  // namespace
}  // namespace horus::os
