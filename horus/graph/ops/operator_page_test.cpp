// SPDX-License-Identifier: Apache-2.0
// The reference in docs is what the tables say today.

#include "horus/graph/ops/operator_page.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace horus::graph {
namespace {

namespace fs = std::filesystem;

TEST(OperatorPage, IsCurrent) {
  const fs::path page = fs::path{HORUS_SOURCE_DIR} / "docs" / "reference" / "operators.md";
  std::ifstream file{page};
  const std::string written{std::istreambuf_iterator<char>(file), {}};
  const std::string current = operator_page();
  if (written == current) return;
  const fs::path fresh = fs::path{testing::TempDir()} / "operators.md";
  std::ofstream{fresh} << current;
  ADD_FAILURE() << page << " is not what the tables say; look at the new one and run\n  cp "
                << fresh << " " << page;
}

TEST(OperatorPage, HasWordsForEveryOperator) {
  EXPECT_EQ(operator_page().find("|  |"), std::string::npos);
}

}  // namespace
}  // namespace horus::graph
