// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/recurrent_layer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/graph/analysis.hpp"

namespace horus::zoo {
namespace {

using ::testing::ElementsAre;

struct Case {
  const char* what;
  RecurrentSpec spec;
  double gates;
  double directions;
};

class Recurrent : public ::testing::TestWithParam<Case> {};

TEST_P(Recurrent, HasWeightsAndWorkOfItsGatesInEachDirection) {
  constexpr double kTime = 5;
  constexpr double kFeatures = 10;
  const auto& [what, spec, gates, directions] = GetParam();
  Builder b{"net", std::nullopt};
  const Value y = recurrent(b, "rnn", b.input("x", {5, kBatch, 10}), spec);
  EXPECT_THAT(y.shape, ElementsAre(5, kBatch, spec.merge == Merge::Concat ? 12 : 6)) << what;
  b.output(y);
  const auto analysis = graph::analyse(std::move(b).finish(), {.batch = 3, .dims = {}});
  ASSERT_TRUE(analysis) << what << ": " << analysis.error().text();
  EXPECT_EQ(analysis->features.ops_without_cost, 0) << what;
  const double rows = directions * gates * 6;
  EXPECT_EQ(analysis->features.parameters, rows * (kFeatures + 6 + 2)) << what;
  EXPECT_EQ(graph::totals_of(analysis->features).macs, 3 * kTime * rows * (kFeatures + 6)) << what;
}

INSTANTIATE_TEST_SUITE_P(
    Cells, Recurrent,
    ::testing::Values(
        Case{"LSTM", {Cell::Lstm, 6, Direction::Forward}, 4, 1},
        Case{"LSTM of both directions", {Cell::Lstm, 6, Direction::Both}, 4, 2},
        Case{"GRU", {Cell::Gru, 6, Direction::Forward}, 3, 1},
        Case{"GRU of both directions", {Cell::Gru, 6, Direction::Both}, 3, 2},
        Case{"GRU side by side", {Cell::Gru, 6, Direction::Both, Merge::Concat}, 3, 2}));

}  // namespace
}  // namespace horus::zoo
