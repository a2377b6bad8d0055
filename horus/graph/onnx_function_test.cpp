// SPDX-License-Identifier: Apache-2.0
#include "horus/graph/onnx_function.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace horus::graph {
namespace {

using ::testing::HasSubstr;

TEST(CheckNoRecursion, AcceptsTwoWaysToTheSameFunction) {
  const std::vector<FunctionCalls> functions = {
      {"top", {"left", "right"}}, {"left", {"shared"}}, {"right", {"shared"}}, {"shared", {}}};
  EXPECT_TRUE(check_no_recursion(functions));
}

TEST(CheckNoRecursion, NamesOnlyTheCircleAndNotTheWayToIt) {
  const std::vector<FunctionCalls> functions = {
      {"start", {"a"}}, {"a", {":Relu", "b"}}, {"b", {"a"}}};
  const auto checked = check_no_recursion(functions);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message, HasSubstr("calls itself: a -> b -> a;"));
}

TEST(CheckNoRecursion, TellsOverloadsApart) {
  const std::vector<FunctionCalls> functions = {{"d:f:one", {"d:f:two"}}, {"d:f:two", {}}};
  EXPECT_TRUE(check_no_recursion(functions));
}

TEST(CheckNoRecursion, RefusesTwoFunctionsOfOneName) {
  const std::vector<FunctionCalls> functions = {{"f", {}}, {"f", {}}};
  const auto checked = check_no_recursion(functions);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message, HasSubstr("the same name"));
}

TEST(CheckNoRecursion, SurvivesAChainOfAHundredThousandCalls) {
  std::vector<FunctionCalls> functions;
  for (int i = 0; i < 100'000; ++i) {
    functions.push_back({std::to_string(i), {std::to_string(i + 1)}});
  }
  EXPECT_TRUE(check_no_recursion(functions));
}

}  // namespace
}  // namespace horus::graph
