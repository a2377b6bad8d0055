// SPDX-License-Identifier: Apache-2.0
#include "horus/wire/inspect_diff.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <tuple>
#include <utility>

namespace horus::wire {
namespace {

constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

std::vector<NodeRow> layers_of(const InspectReport& report) {
  std::vector<NodeRow> layers;
  std::ranges::copy_if(report.in_order, std::back_inserter(layers), [](const NodeRow& row) {
    return row.kind != OpKind::Free || row.parameters > 0.0 || row.flops_training() > 0.0;
  });
  for (const GapRow& gap : report.nodes_without_cost) {
    layers.push_back({.name = gap.name,
                      .op_type = gap.op_type,
                      .gap = gap.reason.empty() ? "unknown" : gap.reason});
  }
  return layers;
}

/// All that two nodes must share to count as unchanged; the name is not in it.
auto cost_of(const NodeRow& row) {
  return std::tuple{
      row.op_type,          row.kind,    row.shape,           row.parameters, row.macs,
      row.flops_training(), row.kernels, row.activation_bytes};
}

/// For each of two lists of nodes the partner in the other one, or kNobody.
class Pairing {
 public:
  Pairing(const std::vector<NodeRow>& before, const std::vector<NodeRow>& after)
      : before_{before},
        after_{after},
        after_of_(before.size(), kNobody),
        before_of_(after.size(), kNobody) {
    pair_by([](const NodeRow& row) { return row.name; });
    pair_by([](const NodeRow& row) { return std::pair{row.op_type, row.shape}; });
  }

  [[nodiscard]] std::size_t after_of(std::size_t before) const { return after_of_[before]; }
  [[nodiscard]] std::size_t before_of(std::size_t after) const { return before_of_[after]; }

 private:
  /// Pairs what has no partner yet and an equal key, the first with the first.
  template <class KeyOf>
  void pair_by(KeyOf key_of) {
    std::map<decltype(key_of(before_[0])), std::deque<std::size_t>> waiting;
    for (std::size_t i = 0; i < after_.size(); ++i) {
      if (before_of_[i] == kNobody) waiting[key_of(after_[i])].push_back(i);
    }
    for (std::size_t i = 0; i < before_.size(); ++i) {
      if (after_of_[i] != kNobody) continue;
      const auto found = waiting.find(key_of(before_[i]));
      if (found == waiting.end() || found->second.empty()) continue;
      after_of_[i] = found->second.front();
      before_of_[found->second.front()] = i;
      found->second.pop_front();
    }
  }

  const std::vector<NodeRow>& before_;
  const std::vector<NodeRow>& after_;
  std::vector<std::size_t> after_of_;
  std::vector<std::size_t> before_of_;
};

void compare_layers(InspectDiff& diff) {
  const std::vector<NodeRow> before = layers_of(diff.before);
  const std::vector<NodeRow> after = layers_of(diff.after);
  const Pairing pairing{before, after};
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::size_t partner = pairing.after_of(i);
    if (partner == kNobody) {
      diff.layers.push_back({.change = Change::Removed, .before = before[i], .after = {}});
    } else if (!before[i].gap.empty() || !after[partner].gap.empty()) {
      diff.layers.push_back(
          {.change = Change::Unknown, .before = before[i], .after = after[partner]});
    } else if (cost_of(before[i]) != cost_of(after[partner])) {
      diff.layers.push_back(
          {.change = Change::Changed, .before = before[i], .after = after[partner]});
    } else {
      ++(before[i].name == after[partner].name ? diff.layers_unchanged : diff.layers_renamed);
    }
  }
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (pairing.before_of(i) == kNobody) {
      diff.layers.push_back({.change = Change::Added, .before = {}, .after = after[i]});
    }
  }
}

auto content_of(const OperatorRow& row) {
  return std::tuple{row.nodes,      row.macs,    row.flops_training,
                    row.parameters, row.kernels, row.activation_bytes};
}

void compare_operators(InspectDiff& diff) {
  std::map<std::string, OperatorChange> changes;
  for (const OperatorRow& row : diff.before.by_operator) changes[row.op_type].before = row;
  for (const OperatorRow& row : diff.after.by_operator) changes[row.op_type].after = row;
  for (auto& [op_type, change] : changes) {
    if (content_of(change.before) == content_of(change.after)) continue;
    change.op_type = op_type;
    diff.operators.push_back(std::move(change));
  }
}

}  // namespace

std::string_view name_of(Change change) {
  constexpr std::array<std::string_view, 4> kNames{"added", "removed", "changed", "cost unknown"};
  return kNames[static_cast<std::size_t>(change)];
}

InspectDiff compare(InspectReport before, InspectReport after) {
  InspectDiff diff{.before = std::move(before), .after = std::move(after)};
  compare_operators(diff);
  compare_layers(diff);
  return diff;
}

}  // namespace horus::wire
