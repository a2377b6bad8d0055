// SPDX-License-Identifier: Apache-2.0
#include "horus/report/table.hpp"

#include <gtest/gtest.h>

namespace horus::report {
namespace {

TEST(Table, AlignsColumnsAndLeavesNoTrailingBlanks) {
  const Table table{.columns = {{.title = "policy", .align = Align::Left}, {.title = "JCT"}},
                    .rows = {{{.text = "fifo"}, {.text = "12.0 s"}}, {{.text = "horus+"}}}};
  EXPECT_EQ(render(table, Colour::Off),
            "policy     JCT\n"
            "--------------\n"
            "fifo    12.0 s\n"
            "horus+\n");
}

TEST(Table, ColoursOnlyWhenAsked) {
  const Table table{.columns = {{.title = "a"}}, .rows = {{{.text = "x", .tone = Tone::Bad}}}};
  EXPECT_EQ(render(table, Colour::Off).find('\x1b'), std::string::npos);
  EXPECT_NE(render(table, Colour::On).find("\x1b[31mx\x1b[0m"), std::string::npos);
}

TEST(Table, CountsCharactersNotBytes) {
  const Table table{.columns = {{.title = "n", .align = Align::Left}, {.title = "m"}},
                    .rows = {{{.text = "é"}, {.text = "1"}}}};
  EXPECT_EQ(render(table, Colour::Off), "n  m\n----\né  1\n");
}

TEST(Table, ShowsControlCharactersInsteadOfSendingThem) {
  const Table table{.columns = {{.title = "n"}}, .rows = {{{.text = "a\x1b[2Jb"}}}};
  const std::string text = render(table, Colour::Off);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("a\\x1b[2Jb\n"), std::string::npos);
}

TEST(Numbers, ReadAsPeopleWriteThem) {
  EXPECT_EQ(with_commas(25557032), "25,557,032");
  EXPECT_EQ(with_commas(-1234), "-1,234");
  EXPECT_EQ(with_commas(7), "7");
  EXPECT_EQ(with_prefix(4.089e9), "4.09 G");
  EXPECT_EQ(with_prefix(25557032), "25.6 M");
  EXPECT_EQ(with_prefix(999.6), "1.00 k");
  EXPECT_EQ(with_prefix(12), "12");
  EXPECT_EQ(memory_text(Bytes{512}), "512 B");
  EXPECT_EQ(memory_text(Bytes{16LL << 30}), "16.0 GiB");
  EXPECT_EQ(time_text(0.0021), "2.1 ms");
  EXPECT_EQ(time_text(725), "12 min 05 s");
  EXPECT_EQ(time_text(12000), "3 h 20 min");
  EXPECT_EQ(time_text(12.17 * 86400), "12 d 04 h");
  EXPECT_EQ(percent_text(0.123), "12.3 %");
}

TEST(Shortened, KeepsBothEnds) {
  EXPECT_EQ(shortened("abcdefghij", 9), "abc...hij");
  EXPECT_EQ(shortened("abc", 9), "abc");
}

TEST(Shortened, CutsBetweenCharacters) {
  const std::string letter = "\xe6\xbc\xa2";
  std::string name;
  for (int i = 0; i < 10; ++i) name += letter;
  EXPECT_EQ(shortened(name, 10), name);
  EXPECT_EQ(shortened(name, 7), letter + letter + "..." + letter + letter);
}

TEST(Shortened, CountsWhatIsShown) {
  EXPECT_EQ(shortened(std::string(100, '\x80'), 11), "\\x80...\\x80");
}

TEST(Counted, HasASingular) {
  EXPECT_EQ(counted(0, "node"), "0 nodes");
  EXPECT_EQ(counted(1, "node"), "1 node");
  EXPECT_EQ(counted(25557, "node"), "25,557 nodes");
}

TEST(ProgressBar, FillsItsWidthAndClamps) {
  EXPECT_EQ(progress_bar("horus", 0.5, 26), "horus  [#####.....]   50 %");
  EXPECT_EQ(progress_bar("x", 7.0, 8), "x  100 %");
}

}  // namespace
}  // namespace horus::report
