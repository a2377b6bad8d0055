// SPDX-License-Identifier: Apache-2.0
#include "horus/graph/batch_axis.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <variant>

namespace horus::graph {
namespace {

/// Inputs of recurrent operators that have a batch: X, initial_h, initial_c.
constexpr std::array<std::size_t, 3> kWithBatch{0, 5, 6};

bool is_time_first(const Node& node) {
  constexpr std::array<std::string_view, 3> kNames{"GRU", "LSTM", "RNN"};
  if (!node.domain.empty() || std::ranges::find(kNames, node.op_type) == kNames.end()) return false;
  const auto layout = node.attributes.find("layout");
  return layout == node.attributes.end() || layout->second == AttributeValue{std::int64_t{0}};
}

/// Operators that keep the first two axes of their data where they are. Gather does so with its
/// indices: an embedding puts its axis behind them.
bool keeps_axes(const Node& node, std::size_t input) {
  constexpr std::array<std::string_view, 4> kNames{"Cast", "Dropout", "Identity", "Slice"};
  if (!node.domain.empty()) return false;
  if (node.op_type == "Gather") return input == 1;
  return input == 0 && std::ranges::find(kNames, node.op_type) != kNames.end();
}

std::size_t position_of(ValueIndex value, const std::vector<ValueIndex>& inputs) {
  return static_cast<std::size_t>(std::ranges::find(inputs, value) - inputs.begin());
}

std::size_t batch_axis_of(ValueIndex value, const Model& model, const GraphIndex& index) {
  constexpr int kSteps = 16;
  constexpr std::size_t kUsers = 16;  // The layers of a stack slice one state.
  for (int step = 0; step < kSteps && value != kNone; ++step) {
    ValueIndex next = kNone;
    const auto& users = index.consumers[value];
    for (std::size_t i = 0; i < std::min(users.size(), kUsers); ++i) {
      const Node& node = model.graph.nodes[users[i]];
      const std::size_t input = position_of(value, index.inputs[users[i]]);
      const bool has_batch = std::ranges::find(kWithBatch, input) != kWithBatch.end();
      if (has_batch && is_time_first(node)) return 1;
      const bool follows = next == kNone && keeps_axes(node, input);
      if (follows && !index.outputs[users[i]].empty()) next = index.outputs[users[i]][0];
    }
    value = next;
  }
  return 0;
}

}  // namespace

std::vector<std::size_t> batch_axes(const Model& model, const GraphIndex& index) {
  std::vector<std::size_t> axes;
  for (const ValueIndex value : index.graph_inputs) {
    const ValueInfo* info = index.declared[value];
    const bool has_two = info != nullptr && info->shape && info->shape->size() > 1;
    axes.push_back(has_two ? batch_axis_of(value, model, index) : 0);
  }
  return axes;
}

}  // namespace horus::graph
