// SPDX-License-Identifier: Apache-2.0
#include "horus/graph/attention_mask.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "horus/base/text.hpp"
#include "horus/graph/shape.hpp"

namespace horus::graph {
namespace {

bool lays_over(std::string_view op_type) {
  constexpr std::array<std::string_view, 5> kNames{"Add", "Div", "Mul", "Sub", "Where"};
  return std::ranges::find(kNames, op_type) != kNames.end();
}

/// What stands between a mask and the Softmax of its scores.
bool keeps_scores(std::string_view op_type) {
  constexpr std::array<std::string_view, 6> kNames{"Cast",    "Clip",    "Identity",
                                                   "Reshape", "Squeeze", "Unsqueeze"};
  return lays_over(op_type) || std::ranges::find(kNames, op_type) != kNames.end();
}

/// Names that people and frameworks give to parameters. "mask" says more than any of them.
bool is_named_as_parameter(std::string_view name) {
  constexpr std::array<std::string_view, 8> kWords{"bias",  "embed", "gamma", "kernel",
                                                   "param", "pos",   "table", "weight"};
  const std::string lower = to_lower(name);
  if (lower.find("mask") != std::string::npos) return false;
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

}  // namespace

bool AttentionMasks::is_mask(NodeIndex n, ValueIndex value, ValueIndex source) const {
  if (!lays_over(model_.graph.nodes[n].op_type) || index_.outputs[n].empty()) return false;
  const ValueIndex result = index_.outputs[n][0];
  return covers_scores(value, result) && reaches_softmax(result) &&
         !is_named_as_parameter(index_.names[source]);
}

/// The last two axes are those of the scores, the axis of heads before them is 1 or absent.
bool AttentionMasks::covers_scores(ValueIndex value, ValueIndex result) const {
  const auto& mask = inference_.facts[value];
  const auto& scores = inference_.facts[result];
  if (!mask || !scores) return false;
  const Shape& shape = mask->shape;
  const std::size_t rank = shape.size();
  if (rank < 2 || rank > scores->shape.size()) return false;
  if (shape[rank - 1] < 2 || shape[rank - 2] < 2) return false;
  if (rank > 2 && shape[rank - 3] != 1) return false;
  return std::equal(shape.end() - 2, shape.end(), scores->shape.end() - 2);
}

bool AttentionMasks::reaches_softmax(ValueIndex value) const {
  constexpr int kSteps = 8;  // Exporters write a mask with up to six.
  for (int i = 0; i < kSteps && !index_.consumers[value].empty(); ++i) {
    const NodeIndex user = index_.consumers[value].front();
    const std::string_view op = model_.graph.nodes[user].op_type;
    if (op == "Softmax") return true;
    if (!keeps_scores(op) || index_.outputs[user].empty()) return false;
    value = index_.outputs[user][0];
    if (value == kNone) return false;
  }
  return false;
}

}  // namespace horus::graph
