// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rule of one operator: how many inputs, which of them are weights, what comes out, what it
// costs. Adding an operator is adding a row of this type to ops/operators.cpp.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/domain/graph_features.hpp"
#include "horus/graph/node_view.hpp"
#include "horus/graph/shape.hpp"

namespace horus::graph {

class CostView;
struct CostSheet;

/// Facts of the outputs, in the order of the node's outputs. Fewer than the node names: the rest
/// stay unknown.
using Facts = std::vector<Fact>;
using InferRule = Result<Facts> (*)(const NodeView& node);
/// Contents of the first output where all inputs have contents, or nothing.
using FoldRule = std::optional<Contents> (*)(const NodeView& node, const Fact& output);
/// Writes costs into a sheet that already holds name, type, kind and flags.
using CostRule = void (*)(const CostView& node, CostSheet& sheet);

/// What an input is to its operator, one letter per input; the last letter holds for all further
/// inputs.
///   'x' data: an activation, or a tensor that trains where an initializer stands there
///   'w' weight: trains whatever stands there, also a graph input
///   't' table of rows looked up by index: trains where a floating initializer stands there
///   'b' buffer: state that is kept but not trained
///   's' setting: configures the operator, never trains (scales, axes, ratios)
///   'y' type: lends its element type and nothing else
///   'm' matrix: trains where an initializer or a constant stands there
///   'q' a tensor or a sequence of tensors; all other letters take tensors only
using Slots = std::string_view;
inline constexpr std::size_t kAnyNumber = 1U << 20U;

/// Which tensors backward needs, as the autograd of PyTorch keeps them.
enum class Keeps { Nothing, Inputs, Input, Output, Mask };

/// Cost of an operator that computes every output element alone.
struct Pointwise {
  double flops_forward{0};   ///< Per output element; a transcendental function counts as 1.
  double flops_backward{0};  ///< Per output element and per input that needs a gradient.
  Keeps keeps{Keeps::Nothing};
};

/// Whether gradients flow from the outputs to the inputs.
enum class Gradient {
  Flows,
  Stops,
  FlowsThroughIntegers,  ///< Although the output is an integer tensor: fake quantization.
};

struct OpRule {
  std::string_view name;
  std::size_t inputs_min;
  std::size_t inputs_max;
  Slots slots;
  OpKind kind;
  InferRule infer;
  CostRule cost;
  Pointwise pointwise{};
  FoldRule fold{nullptr};
  Gradient gradient{Gradient::Flows};
};

/// The letter of input `i`.
[[nodiscard]] inline char slot_of(const OpRule& rule, std::size_t i) {
  return rule.slots[i < rule.slots.size() ? i : rule.slots.size() - 1];
}

/// The rule of a node's operator, or nullptr. Cost: logarithmic in the number of operators.
[[nodiscard]] const OpRule* find_rule(const Node& node);

/// All rules of a domain, sorted by name; empty for a domain that Horus does not know.
[[nodiscard]] std::span<const OpRule> rules_of(std::string_view domain);

/// The tables, one file each: the standard operators (domain ""), the fused operators that
/// exporters write ("com.microsoft"), classical learning ("ai.onnx.ml"), what the standard tries
/// out ("ai.onnx.preview", "ai.onnx.preview.training"), and what Horus itself puts in the place of
/// control flow (kStructureDomain).
[[nodiscard]] std::span<const OpRule> standard_rules();
[[nodiscard]] std::span<const OpRule> microsoft_rules();
[[nodiscard]] std::span<const OpRule> learning_rules();
[[nodiscard]] std::span<const OpRule> preview_rules();
[[nodiscard]] std::span<const OpRule> structure_rules();
inline constexpr std::string_view kStructureDomain = "horus.structure";

}  // namespace horus::graph
