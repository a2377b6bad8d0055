// SPDX-License-Identifier: Apache-2.0
// What stands for control flow once a graph is flat, one row each.

#include <algorithm>
#include <array>

#include "horus/graph/flatten.hpp"
#include "horus/graph/ops/families.hpp"

namespace horus::graph {
namespace {

using enum OpKind;

// Rows keep their form of one line each, as in operators.cpp. Most have nothing to run: they say
// what a body sees. Nothing trains here: what a loop carries is no weight.
// clang-format off
constexpr auto kRules = std::to_array<OpRule>({
    {structure_op::kBroken, 0, kAnyNumber, "q", Free, infer_broken, cost_free},
    {structure_op::kChoice, 0, 1, "s", Free, infer_choice, cost_free},
    {structure_op::kLoopCondition, 0, 1, "s", Free, infer_loop_condition, cost_free},
    {structure_op::kLoopCounter, 0, 1, "s", Free, infer_loop_counter, cost_free},
    {structure_op::kLoopResult, 0, 3, "qqs", Free, infer_loop_result, cost_free},
    {structure_op::kLoopState, 1, 2, "qs", Free, infer_loop_state, cost_free},
    {structure_op::kLoopTrips, 0, 3, "s", Free, infer_loop_trips, cost_free},
    {structure_op::kMapCollect, 1, 2, "ss", DataMovement, infer_map_collect, cost_free},
    {structure_op::kMapElement, 1, 1, "q", Free, infer_map_element, cost_free},
    {structure_op::kMerge, 0, 3, "qqs", Free, infer_merge, cost_free},
    {structure_op::kScanSlice, 1, 1, "s", Free, infer_scan_slice, cost_free},
    {structure_op::kScanTrips, 1, kAnyNumber, "s", Free, infer_scan_trips, cost_free},
    {structure_op::kStack, 1, 2, "ss", DataMovement, infer_stack, cost_copy},
});
// clang-format on

static_assert(std::ranges::is_sorted(kRules, {}, &OpRule::name), "find_rule searches by halves");

}  // namespace

std::span<const OpRule> structure_rules() { return kRules; }

}  // namespace horus::graph
