// SPDX-License-Identifier: Apache-2.0
#include "horus/table/csv.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace horus::table {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Parsed {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::uint64_t> lines;
  std::vector<std::string> errors;
};

Parsed parse(std::string_view text, const Limits& limits = {}) {
  Parsed parsed;
  auto reader = Reader::open(text, "t.csv", limits);
  if (!reader) {
    parsed.errors.push_back(reader.error().text());
    return parsed;
  }
  while (auto row = reader->next()) {
    if (!*row) {
      parsed.errors.push_back(row->error().text());
      continue;
    }
    parsed.rows.emplace_back((*row)->cells().begin(), (*row)->cells().end());
    parsed.lines.push_back((*row)->line());
  }
  return parsed;
}

TEST(Csv, ReadsCellsAndLineNumbers) {
  const Parsed parsed = parse("a,b\n1,2\n,\n3,4");
  EXPECT_THAT(parsed.rows,
              ElementsAre(ElementsAre("1", "2"), ElementsAre("", ""), ElementsAre("3", "4")));
  EXPECT_THAT(parsed.lines, ElementsAre(2, 3, 4));
  EXPECT_TRUE(parsed.errors.empty());
}

TEST(Csv, ByteOrderMarkCarriageReturnsAndBlankLinesAreNotContent) {
  auto reader = Reader::open("\xEF\xBB\xBF\r\na,b\r\n\r\n  \r\n1,2\r\n", "t.csv");
  ASSERT_TRUE(reader);
  EXPECT_THAT(reader->header(), ElementsAre("a", "b"));
  const auto row = reader->next();
  ASSERT_TRUE(row && *row);
  EXPECT_THAT((*row)->cells(), ElementsAre("1", "2"));
  EXPECT_EQ((*row)->line(), 5U);
  EXPECT_FALSE(reader->next());
}

TEST(Csv, QuotedCellsHoldCommasQuotesAndLineBreaks) {
  const Parsed parsed = parse("a,b\n\"x,y\",\"say \"\"hi\"\"\"\n\"one\ntwo\",z\n5,6\n");
  EXPECT_THAT(parsed.rows, ElementsAre(ElementsAre("x,y", "say \"hi\""),
                                       ElementsAre("one\ntwo", "z"), ElementsAre("5", "6")));
  EXPECT_THAT(parsed.lines, ElementsAre(2, 3, 5));
}

TEST(Csv, SeveralCellsOfOneRowMayHaveDoubledQuotes) {
  const Parsed parsed = parse("a,b,c\n\"\"\"1\",\"2\"\"\",\"\"\"\"\n");
  EXPECT_THAT(parsed.rows, ElementsAre(ElementsAre("\"1", "2\"", "\"")));
}

TEST(Csv, RaggedRowIsReportedWithItsLineAndReadingGoesOn) {
  const Parsed parsed = parse("a,b\n1\n2,3\n4,5,6\n7,8\n");
  EXPECT_THAT(parsed.rows, ElementsAre(ElementsAre("2", "3"), ElementsAre("7", "8")));
  EXPECT_THAT(parsed.errors, ElementsAre("t.csv:2: found 1 cells, expected 2 as in the header",
                                         "t.csv:4: found 3 cells, expected 2 as in the header"));
}

TEST(Csv, BrokenQuotesSpoilOneRowOnly) {
  const Parsed parsed = parse("a,b\n\"1\"x,2\n3\"4,5\n6,7\n\"8,9\n");
  EXPECT_THAT(parsed.rows, ElementsAre(ElementsAre("6", "7")));
  ASSERT_EQ(parsed.errors.size(), 3U);
  EXPECT_THAT(parsed.errors[0], HasSubstr("t.csv:2: found text behind a closing quote"));
  EXPECT_THAT(parsed.errors[1], HasSubstr("t.csv:3: found a quote inside a cell"));
  EXPECT_THAT(parsed.errors[2], HasSubstr("t.csv:5: the quote is not closed"));
}

TEST(Csv, ACarriageReturnAloneIsContent) {
  EXPECT_THAT(parse("a,b\nx\ry,2\r\n").rows, ElementsAre(ElementsAre("x\ry", "2")));
  EXPECT_EQ(parse("a,b\n\"x\"\ry,2\n").errors.size(), 1U);
}

TEST(Csv, LimitsHold) {
  Limits limits;
  limits.columns_max = 3;
  limits.row_bytes_max = 10;
  limits.rows_max = 4;
  EXPECT_THAT(parse("a,b,c,d\n", limits).errors, ElementsAre("t.csv:1: found more than 3 columns"));
  const Parsed parsed = parse("a,b\n1,2\n12345,67890\n3,4\n5,6\n7,8\n9,9\n", limits);
  EXPECT_THAT(parsed.rows,
              ElementsAre(ElementsAre("1", "2"), ElementsAre("3", "4"), ElementsAre("5", "6")));
  EXPECT_THAT(parsed.errors, ElementsAre("t.csv:3: the row is longer than 10 bytes",
                                         "t.csv:6: found more than 4 rows"));
}

TEST(Csv, ARowOfExactlyTheLimitIsAccepted) {
  Limits limits;
  limits.row_bytes_max = 4;
  EXPECT_THAT(parse("a,b\n1,2\n", limits).rows, ElementsAre(ElementsAre("1", "2")));
  EXPECT_THAT(parse("a,b\n1,23", limits).rows, ElementsAre(ElementsAre("1", "23")));
  EXPECT_EQ(parse("a,b\n1,234", limits).errors.size(), 1U);
}

TEST(Csv, HeaderMustExistAndNameAColumnOnce) {
  EXPECT_THAT(parse("").errors, ElementsAre(HasSubstr("found no header row")));
  EXPECT_THAT(parse(" \r\n\n").errors, ElementsAre(HasSubstr("found no header row")));
  EXPECT_THAT(parse("a,b,a\n").errors, ElementsAre("t.csv:1: the column 'a' occurs twice"));
}

TEST(Csv, MissingColumnNamesTheNearest) {
  const auto reader = Reader::open("timestamp,duration\n", "t.csv");
  ASSERT_TRUE(reader);
  const auto column = reader->column("durations");
  ASSERT_FALSE(column);
  EXPECT_EQ(column.error().code, Errc::NotFound);
  EXPECT_THAT(column.error().text(), HasSubstr("t.csv:1: found no column 'durations'"));
  EXPECT_THAT(column.error().text(), HasSubstr("Did you mean 'duration'?"));
}

TEST(Csv, NumbersOutsideTheirRangeNameFileLineColumnAndExpectation) {
  auto reader = Reader::open("n,k\n1.5, 7 \nnan,x\n-1,99\n1e999,9223372036854775808\n", "t.csv");
  ASSERT_TRUE(reader);
  const Column n = *reader->column("n");
  const Column k = *reader->column("k");
  auto row = reader->next();
  EXPECT_DOUBLE_EQ((*row)->number(n, 0, 10).value(), 1.5);
  EXPECT_EQ((*row)->integer(k, 0, 10).value(), 7);
  row = reader->next();
  EXPECT_EQ((*row)->number(n, 0, 10).error().text(),
            "t.csv:3: column 'n': found 'nan', expected a number from 0 to 10");
  EXPECT_EQ((*row)->integer(k, 0, 10).error().text(),
            "t.csv:3: column 'k': found 'x', expected an integer from 0 to 10");
  row = reader->next();
  EXPECT_FALSE((*row)->number(n, 0, 10));
  EXPECT_FALSE((*row)->integer(k, 0, 10));
  row = reader->next();
  EXPECT_FALSE((*row)->number(n, 0, 10));
  EXPECT_FALSE((*row)->integer(k, 0, 10));
}

}  // namespace
}  // namespace horus::table
