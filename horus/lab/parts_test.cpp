// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/parts.hpp"

#include <deque>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace horus::lab {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// Rows of one draw, by GPU.
struct Board {
  void row(const std::string& gpu, bool met = false) {
    rows.push_back({.id = std::to_string(rows.size()), .gpu = gpu});
    scores.rows.push_back({.model = 0, .row = &rows.back(), .guess = {}, .model_met = met});
  }
  void pair(const std::string& gpu) { scores.pairs.push_back({.model = 0, .gpu = gpu}); }
  [[nodiscard]] std::vector<Part> parts() const { return parts_of({&scores, 1}); }

  std::deque<Row> rows;
  Scores scores;
};

std::vector<std::string> names_of(const std::vector<Part>& parts) {
  std::vector<std::string> names;
  for (const Part& part : parts) names.push_back(part.name);
  return names;
}

TEST(Parts, AreNoneWhereOneWouldBeTheWhole) {
  Board board;
  board.row("T4");
  board.row("T4");
  EXPECT_THAT(board.parts(), IsEmpty());
}

TEST(Parts, HoldTheRowsAndPairsOfEachGpu) {
  Board board;
  board.row("T4");
  board.row("K80");
  board.row("T4");
  board.pair("K80");
  const auto parts = board.parts();
  ASSERT_THAT(names_of(parts), ElementsAre("K80", "T4"));
  EXPECT_THAT(parts[0].draws.front().rows, SizeIs(1));
  EXPECT_THAT(parts[0].draws.front().pairs, SizeIs(1));
  EXPECT_THAT(parts[1].draws.front().rows, SizeIs(2));
  EXPECT_THAT(parts[1].draws.front().pairs, IsEmpty());
}

TEST(Parts, TellModelsThatTheTargetMeasuredFromOthers) {
  Board board;
  board.row("T4", true);
  board.row("T4");
  board.row("T4");
  const auto parts = board.parts();
  ASSERT_THAT(names_of(parts), ElementsAre("models met", "models new"));
  EXPECT_THAT(parts[0].draws.front().rows, SizeIs(1));
  EXPECT_THAT(parts[1].draws.front().rows, SizeIs(2));
}

}  // namespace
}  // namespace horus::lab
