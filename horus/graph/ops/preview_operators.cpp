// SPDX-License-Identifier: Apache-2.0
// Operators that the standard tries out: optimizers inside the graph, and attention with modifiers.

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "horus/graph/op_rule.hpp"
#include "horus/graph/ops/families.hpp"

namespace horus::graph {
namespace {

using enum OpKind;
constexpr auto kMany = kAnyNumber;
constexpr auto kStops = Gradient::Stops;
constexpr Pointwise kCopies{};

/// Inputs: rate, step, then groups of equally many tensors: parameters, gradients and one or two
/// states (Adam). Outputs: new parameters and new states.
Result<Facts> infer_optimizer(const NodeView& node) {
  constexpr std::size_t kSettings = 2;
  const std::size_t groups = node.node().op_type == "Adam" ? 4 : 3;
  const std::size_t tensors = node.input_count() - kSettings;
  if (tensors % groups != 0) {
    return refuse(fmt::format("{} tensors are not {} of each parameter", tensors, groups));
  }
  const std::size_t parameters = tensors / groups;
  Facts facts;
  for (std::size_t i = 0; i < (groups - 1) * parameters; ++i) {
    const std::size_t parameter = kSettings + i % parameters;
    if (!node.has_input(parameter)) return refuse(fmt::format("input {} is missing", parameter));
    facts.push_back({.type = node.input(parameter).type, .shape = node.shape(parameter)});
  }
  return facts;
}

// Columns as in operators.cpp.
// clang-format off
constexpr auto kRules = std::to_array<OpRule>({
    {"Adagrad", 5, kMany, "s", Elementwise, infer_optimizer, cost_optimizer, kCopies, nullptr,
     kStops},
    {"Adam", 6, kMany, "s", Elementwise, infer_optimizer, cost_optimizer, kCopies, nullptr, kStops},
    {"FlexAttention", 3, 3, "x", MatMul, infer_attention, cost_attention},
    {"Momentum", 5, kMany, "s", Elementwise, infer_optimizer, cost_optimizer, kCopies, nullptr,
     kStops},
});
// clang-format on

static_assert(std::ranges::is_sorted(kRules, {}, &OpRule::name), "find_rule searches by halves");

}  // namespace

void cost_optimizer(const CostView& node, CostSheet& sheet) {
  // Every tensor is read once and every result written once; Adam takes some 12 operations per
  // parameter (Kingma and Ba, 2014, algorithm 1), the others 6.
  OpWork& work = sheet.work;
  double written = 0;
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    if (node.output(i) != nullptr) written += count(node.output(i)->shape);
  }
  for (std::size_t i = 2; i < node.input_count(); ++i) work.elements_read += node.size(i);
  const bool is_adam = node.node().op_type == "Adam";
  work.flops_forward = (is_adam ? 12.0 / 3 : 6.0 / 2) * written;
  work.elements_written = written;
  work.kernels_forward = work.host_ops_forward = 1;
}

std::span<const OpRule> preview_rules() { return kRules; }

}  // namespace horus::graph
