// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and RNN: one small product per time step and direction.

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "horus/base/check.hpp"
#include "horus/graph/ops/families.hpp"

namespace horus::graph {
namespace {

struct Cell {
  std::string_view name;
  std::int64_t gates;
  /// Operations per hidden element and step beside the products: biases (2 per gate), gate
  /// functions (sigmoid 4, tanh 1), and the state update.
  double flops;
  /// Tensors of hidden size kept per step beside the output: gates, and the cell state of LSTM.
  double kept;
};

// LSTM: 8 + (3 x 4 + 1) + (f c + i g: 3; o tanh c: 2). GRU: 6 + (2 x 4 + 1) + (r n: 1; update: 4).
// RNN: 2 + 1; its output is all that backward needs.
constexpr std::array kCells{Cell{"GRU", 3, 20, 4}, Cell{"LSTM", 4, 26, 5}, Cell{"RNN", 1, 3, 0}};

const Cell& cell_of(const NodeView& node) {
  const auto* found = std::ranges::find(kCells, node.node().op_type, &Cell::name);
  HORUS_CHECK(found != kCells.end(), "the table gives this rule to recurrent operators only");
  return *found;
}

struct Sizes {
  std::int64_t steps, batch, features, directions, hidden;
};

Result<Sizes> sizes_of(const NodeView& node) {
  const Shape& data = node.shape(0);
  const Shape& weight = node.shape(1);
  const Shape& recurrence = node.shape(2);
  if (data.size() != 3 || weight.size() != 3 || recurrence.size() != 3) {
    return refuse("data, weight and recurrence weight must have three axes");
  }
  const bool batch_first = node.integer("layout", 0) != 0;
  const Sizes sizes{.steps = data[batch_first ? 1 : 0],
                    .batch = data[batch_first ? 0 : 1],
                    .features = data[2],
                    .directions = weight[0],
                    .hidden = recurrence[2]};
  const std::int64_t gates = cell_of(node).gates;
  const std::int64_t directions = node.text("direction", "forward") == "bidirectional" ? 2 : 1;
  const bool fits = sizes.hidden <= kMaxElements / gates && directions == sizes.directions &&
                    weight[1] == gates * sizes.hidden && weight[2] == sizes.features &&
                    recurrence == Shape{sizes.directions, gates * sizes.hidden, sizes.hidden};
  if (!fits) {
    return refuse(fmt::format("weights {} and {} do not fit {} features and {} gates",
                              text_of(weight), text_of(recurrence), sizes.features, gates));
  }
  return sizes;
}

Shape state_shape(const NodeView& node, const Sizes& sizes) {
  if (node.integer("layout", 0) != 0) return {sizes.batch, sizes.directions, sizes.hidden};
  return {sizes.directions, sizes.batch, sizes.hidden};
}

}  // namespace

Result<Facts> infer_recurrent(const NodeView& node) {
  HORUS_TRY(const Sizes sizes, sizes_of(node));
  const Shape state = state_shape(node, sizes);
  for (std::size_t i = 5; i < std::min<std::size_t>(node.input_count(), 7); ++i) {
    if (node.has_input(i) && node.shape(i) != state) {
      return refuse(
          fmt::format("initial state {} should be {}", text_of(node.shape(i)), text_of(state)));
    }
  }
  const ElementType type = node.input(0).type;
  Shape outputs{sizes.steps, sizes.directions, sizes.batch, sizes.hidden};
  if (node.integer("layout", 0) != 0) {
    outputs = {sizes.batch, sizes.steps, sizes.directions, sizes.hidden};
  }
  Facts facts = one(type, std::move(outputs));
  facts.push_back({.type = type, .shape = state});
  if (node.node().op_type == "LSTM") facts.push_back({.type = type, .shape = state});
  return facts;
}

void cost_recurrent(const CostView& node, CostSheet& sheet) {
  const Result<Sizes> sizes = sizes_of(node);
  if (!sizes) return;
  const Cell& cell = cell_of(node);
  const double steps = static_cast<double>(sizes->steps);
  const double directions = static_cast<double>(sizes->directions);
  const double hidden = static_cast<double>(sizes->hidden);
  const double features = static_cast<double>(sizes->features);
  const double batch = static_cast<double>(sizes->batch);
  const double gates = static_cast<double>(cell.gates);
  const double states = steps * batch * directions * hidden;
  OpWork& work = sheet.work;
  work.macs = states * gates * (features + hidden);
  work.flops_forward = 2 * work.macs + cell.flops * states;
  work.gemm = {.m = batch, .n = gates * hidden, .k = hidden, .groups = directions};
  work.sequential_steps = std::max(1.0, steps);
  work.elements_read = node.size(0);
  work.elements_written = states;
  // cuDNN: one product of all inputs, then a small kernel per step and direction.
  work.kernels_forward = steps * directions + 2;
  work.host_ops_forward = 1;
  if (!node.runs_backward()) return;
  const double inputs = node.operand(0).needs_gradient ? 1 : 0;
  work.flops_backward =
      2 * states * gates * ((1 + inputs) * features + 2 * hidden) + 2 * cell.flops * states;
  work.elements_read_backward = node.size(0) + (2 + cell.kept) * states;
  work.elements_written_backward = inputs * node.size(0);
  work.kernels_backward = steps * directions + 3 + inputs;
  work.host_ops_backward = 1;
  sheet.kept_inputs.push_back(0);
  sheet.kept_elements = cell.kept * states;
  if (node.output(0) != nullptr) sheet.kept_outputs.push_back(0);
}

}  // namespace horus::graph
