// SPDX-License-Identifier: Apache-2.0
// Resolves the names of a graph and orders its nodes.

#include "horus/graph/graph_index.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/graph/flatten.hpp"
#include "horus/graph/op_rule.hpp"

namespace horus::graph {
namespace {

/// A branch that does not run, or a count that is computed, may stay unknown.
bool works_on_part(const Node& node) {
  constexpr std::array kNames{structure_op::kChoice, structure_op::kLoopResult,
                              structure_op::kLoopTrips, structure_op::kMerge};
  return node.domain == kStructureDomain && std::ranges::find(kNames, node.op_type) != kNames.end();
}

class Indexer {
 public:
  explicit Indexer(const Graph& graph) : graph_{graph} {}

  Result<GraphIndex> run() {
    ids_.reserve(graph_.nodes.size() + graph_.inputs.size() + graph_.initializers.size());
    HORUS_TRY_DONE(declare_sources());
    HORUS_TRY_DONE(define_outputs());
    HORUS_TRY_DONE(resolve_inputs());
    HORUS_TRY_DONE(resolve_graph_outputs());
    declare_types();
    HORUS_TRY_DONE(sort());
    return std::move(index_);
  }

 private:
  ValueIndex add(std::string_view name) {
    const auto id = static_cast<ValueIndex>(index_.names.size());
    const auto [entry, is_new] = ids_.try_emplace(name, id);
    return is_new ? append(name) : entry->second;
  }

  /// The first output where nobody wants it, as of an LSTM of which only the last state is used.
  /// What a node costs is told by it all the same.
  ValueIndex add_unnamed(NodeIndex n) {
    const ValueIndex id = append({});
    index_.producer[id] = n;
    return id;
  }

  ValueIndex append(std::string_view name) {
    const auto id = static_cast<ValueIndex>(index_.names.size());
    index_.names.push_back(name);
    index_.producer.push_back(kNone);
    index_.initializer.push_back(nullptr);
    index_.declared.push_back(nullptr);
    index_.consumers.emplace_back();
    return id;
  }

  Result<Done> declare_sources() {
    for (const Tensor& tensor : graph_.initializers) {
      const ValueIndex id = add(tensor.name);
      if (index_.initializer[id] != nullptr) return defined_twice(tensor.name, "initializers");
      index_.initializer[id] = &tensor;
    }
    for (const ValueInfo& input : graph_.inputs) {
      const ValueIndex id = add(input.name);
      if (index_.declared[id] != nullptr) return defined_twice(input.name, "graph inputs");
      index_.declared[id] = &input;
      // Files before version 4 of the format list every initializer as an input as well.
      if (index_.initializer[id] == nullptr) index_.graph_inputs.push_back(id);
    }
    sources_ = index_.names.size();
    return Done{};
  }

  Result<Done> define_outputs() {
    index_.outputs.resize(graph_.nodes.size());
    index_.takes_unknown.reserve(graph_.nodes.size());
    for (const Node& node : graph_.nodes) index_.takes_unknown.push_back(works_on_part(node));
    for (NodeIndex n = 0; n < graph_.nodes.size(); ++n) {
      for (const std::string& name : graph_.nodes[n].outputs) {
        if (name.empty()) {
          index_.outputs[n].push_back(index_.outputs[n].empty() ? add_unnamed(n) : kNone);
          continue;
        }
        const ValueIndex id = add(name);
        if (id < sources_ || index_.producer[id] != kNone) return defined_twice(name, label(n));
        index_.producer[id] = n;
        index_.outputs[n].push_back(id);
      }
    }
    return Done{};
  }

  Result<Done> resolve_inputs() {
    index_.inputs.resize(graph_.nodes.size());
    for (NodeIndex n = 0; n < graph_.nodes.size(); ++n) {
      for (const std::string& name : graph_.nodes[n].inputs) {
        if (name.empty()) {
          index_.inputs[n].push_back(kNone);
          continue;
        }
        const auto found = ids_.find(name);
        if (found == ids_.end()) return nobody_makes(name, label(n));
        index_.inputs[n].push_back(found->second);
        index_.consumers[found->second].push_back(n);
      }
    }
    return Done{};
  }

  Result<Done> resolve_graph_outputs() {
    for (const ValueInfo& output : graph_.outputs) {
      const auto found = ids_.find(output.name);
      if (found == ids_.end()) return nobody_makes(output.name, "the graph's outputs");
      index_.graph_outputs.push_back(found->second);
    }
    return Done{};
  }

  void declare_types() {
    for (const auto* list : {&graph_.value_infos, &graph_.outputs}) {
      for (const ValueInfo& info : *list) {
        const auto found = ids_.find(info.name);
        if (found == ids_.end()) continue;
        if (index_.declared[found->second] == nullptr) index_.declared[found->second] = &info;
      }
    }
  }

  Result<Done> sort() {
    std::vector<std::uint32_t> waiting(graph_.nodes.size(), 0);
    std::priority_queue<NodeIndex, std::vector<NodeIndex>, std::greater<>> ready;
    for (NodeIndex n = 0; n < graph_.nodes.size(); ++n) {
      for (const ValueIndex id : index_.inputs[n]) {
        if (id != kNone && index_.producer[id] != kNone) ++waiting[n];
      }
      if (waiting[n] == 0) ready.push(n);
    }
    index_.order.reserve(graph_.nodes.size());
    while (!ready.empty()) {
      const NodeIndex n = ready.top();
      ready.pop();
      index_.order.push_back(n);
      release_consumers(n, waiting, ready);
    }
    if (index_.order.size() == graph_.nodes.size()) return Done{};
    return cycle(waiting);
  }

  template <class Queue>
  void release_consumers(NodeIndex n, std::vector<std::uint32_t>& waiting, Queue& ready) const {
    for (const ValueIndex id : index_.outputs[n]) {
      if (id == kNone) continue;
      for (const NodeIndex user : index_.consumers[id]) {
        if (--waiting[user] == 0) ready.push(user);
      }
    }
  }

  /// Walks from a stuck node to stuck producers until one repeats: that loop is the cycle.
  Result<Done> cycle(const std::vector<std::uint32_t>& waiting) const {
    std::vector<std::uint32_t> seen_at(graph_.nodes.size(), kNone);
    std::vector<NodeIndex> path;
    NodeIndex n = 0;
    while (waiting[n] == 0) ++n;
    while (seen_at[n] == kNone) {
      seen_at[n] = static_cast<std::uint32_t>(path.size());
      path.push_back(n);
      for (const ValueIndex id : index_.inputs[n]) {
        const NodeIndex maker = id == kNone ? kNone : index_.producer[id];
        if (maker != kNone && waiting[maker] > 0) {
          n = maker;
          break;
        }
      }
    }
    constexpr std::size_t kShown = 8;
    std::string names;
    for (std::size_t i = path.size(); i-- > seen_at[n];) {
      if (path.size() - i > kShown) {
        names += " -> ...";
        break;
      }
      names += (names.empty() ? "" : " -> ") + label(path[i]);
    }
    return fail(Errc::Corrupt, "the graph has a cycle, so no order of its nodes can run: " + names);
  }

  [[nodiscard]] std::string label(NodeIndex n) const {
    const Node& node = graph_.nodes[n];
    return fmt::format("{} '{}'", printable(node.op_type), printable(name_of(node)));
  }

  [[nodiscard]] static Result<Done> defined_twice(std::string_view name, std::string where) {
    return fail(Errc::Corrupt,
                fmt::format("value '{}' is defined twice; a graph defines each value once",
                            printable(name)),
                std::move(where));
  }

  [[nodiscard]] static Result<Done> nobody_makes(std::string_view name, std::string where) {
    return fail(Errc::Corrupt,
                fmt::format("value '{}' is used, but no node, input or initializer produces it",
                            printable(name)),
                std::move(where));
  }

  const Graph& graph_;
  GraphIndex index_;
  std::unordered_map<std::string_view, ValueIndex> ids_;
  std::size_t sources_{};
};

}  // namespace

Result<GraphIndex> index_graph(const Graph& graph) { return Indexer{graph}.run(); }

std::string_view name_of(const Node& node) {
  if (!node.name.empty()) return node.name;
  for (const std::string& output : node.outputs) {
    if (!output.empty()) return output;
  }
  return node.op_type;
}

}  // namespace horus::graph
