// SPDX-License-Identifier: Apache-2.0
// Looks before and behind each softmax for the two products of an attention block.

#include "horus/graph/attention.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace horus::graph {
namespace {

// Scale, two masks, a cast or a view: no exporter puts more between product and softmax.
constexpr std::size_t kLongestPath = 6;

bool is_one_of(std::string_view op, std::span<const std::string_view> names) {
  return std::ranges::find(names, op) != names.end();
}

bool scales_or_masks(std::string_view op) {
  constexpr std::array<std::string_view, 9> kNames{"Add", "Cast",    "Clip", "Div",  "Identity",
                                                   "Mul", "Reshape", "Sub",  "Where"};
  return is_one_of(op, kNames);
}

bool passes_weights(std::string_view op) {
  constexpr std::array<std::string_view, 4> kNames{"Cast", "Dropout", "Identity", "Reshape"};
  return is_one_of(op, kNames);
}

class Marker {
 public:
  Marker(const GraphIndex& index, std::vector<NodeWork>& works) : index_{index}, works_{works} {
    place_.assign(index.inputs.size(), kNone);
    for (std::uint32_t i = 0; i < works.size(); ++i) place_[works[i].node] = i;
  }

  void run() {
    for (const NodeWork& entry : works_) {
      if (entry.work.op_type == "Softmax") try_softmax(entry.node);
    }
  }

 private:
  [[nodiscard]] OpWork* work(NodeIndex n) const {
    return n == kNone || place_[n] == kNone ? nullptr : &works_[place_[n]].work;
  }

  void try_softmax(NodeIndex softmax) {
    if (index_.inputs[softmax].empty() || index_.outputs[softmax].empty()) return;
    std::vector<NodeIndex> before;
    std::vector<NodeIndex> behind;
    if (!find_scores(index_.inputs[softmax][0], before)) return;
    if (!find_context(index_.outputs[softmax][0], behind)) return;
    for (const NodeIndex n : before) mark(n, AttentionRole::ScaleOrMask);
    for (const NodeIndex n : behind) mark(n, AttentionRole::Dropout);
    mark(before.back(), AttentionRole::Scores);
    mark(softmax, AttentionRole::Softmax);
    mark(behind.back(), AttentionRole::Context);
  }

  /// Views between the parts have no work of their own to mark.
  void mark(NodeIndex n, AttentionRole role) const {
    OpWork& part = *work(n);
    if (part.kind != OpKind::Free) part.attention = role;
  }

  /// Depth first towards a product of two activations; `path` ends with it.
  bool find_scores(ValueIndex value, std::vector<NodeIndex>& path) const {
    if (value == kNone || path.size() >= kLongestPath) return false;
    const NodeIndex maker = index_.producer[value];
    const OpWork* made = work(maker);
    if (made == nullptr) return false;
    path.push_back(maker);
    if (made->kind == OpKind::MatMul) return true;
    if (scales_or_masks(made->op_type)) {
      for (const ValueIndex input : index_.inputs[maker]) {
        if (find_scores(input, path)) return true;
      }
    }
    path.pop_back();
    return false;
  }

  bool find_context(ValueIndex value, std::vector<NodeIndex>& path) const {
    while (value != kNone && path.size() < kLongestPath) {
      ValueIndex next = kNone;
      for (const NodeIndex user : index_.consumers[value]) {
        const OpWork* use = work(user);
        if (use == nullptr) continue;
        const bool is_product = use->kind == OpKind::MatMul;
        if (!is_product && !passes_weights(use->op_type)) continue;
        path.push_back(user);
        if (is_product) return true;
        next = index_.outputs[user].empty() ? kNone : index_.outputs[user][0];
        break;
      }
      value = next;
    }
    return false;
  }

  const GraphIndex& index_;
  std::vector<NodeWork>& works_;
  std::vector<std::uint32_t> place_;  // Per node: its entry in works_, or kNone.
};

}  // namespace

void mark_attention(const GraphIndex& index, std::vector<NodeWork>& works) {
  Marker{index, works}.run();
}

}  // namespace horus::graph
