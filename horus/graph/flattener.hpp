// SPDX-License-Identifier: Apache-2.0
#pragma once
// The walk behind flatten(): calls of functions in flatten.cpp, If, Loop and Scan in
// control_flow.cpp and loop_states.cpp.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/graph/flatten.hpp"
#include "horus/graph/pass_through.hpp"

namespace horus::graph {

/// The names that a body sees.
struct NameScope {
  /// The scope around a subgraph; nullptr for the body of a function, which sees nothing else, and
  /// for the graph of the file, whose names stay.
  const NameScope* outer{nullptr};
  bool is_main{false};
  std::map<std::string_view, std::string> names;  ///< To names of the flat graph; "": left out.
};

/// Where the walk is.
struct Body {
  const Graph* graph{};  ///< Nodes and their subgraphs.
  const NameScope* scope{};
  std::string prefix;  ///< Of node names.
  /// Attributes of the call and defaults of the function around the body; null outside of one.
  const std::map<std::string, AttributeValue>* given{nullptr};
  const Function* function{nullptr};
  std::uint32_t region{};
  int depth{};
};

using Names = std::vector<std::string>;

class Flattener {
 public:
  Flattener(const Model& model, const TripCounts& trips, const FlattenLimits& limits);

  Result<FlatModel> run();

 private:
  // The walk (flatten.cpp).
  Result<Done> add_nodes(const Body& body);
  Result<Done> add_node(const Node& node, const Body& body);
  Result<Done> expand(const Node& node, const Function* function, const Body& body);
  Result<Node> renamed(const Node& node, const Body& body);
  static void bind_attributes(const Body& body, Node& flat);
  const Function* called_by(const Node& node);
  bool is_known(const Function& function, int depth);
  bool is_known(const Graph& graph, int depth);
  Result<Done> expand_call(const Node& flat, const Function& function, const Body& body);
  Result<Done> declare_body(const Node& flat, const Function& function, std::string_view prefix,
                            NameScope& scope);
  Result<Done> declare(std::string_view name, std::string flat_name, NameScope& scope);
  [[nodiscard]] std::optional<std::string> resolve(std::string_view name,
                                                   const NameScope& scope) const;
  [[nodiscard]] Result<std::string> require(std::string_view name, const NameScope& scope) const;
  [[nodiscard]] bool is_taken(const std::string& name) const;
  std::string fresh(std::string wanted);
  std::string prefix_of(const Node& flat);
  Result<Done> charge(std::size_t nodes, std::size_t bytes, std::string_view where);
  [[nodiscard]] Result<Done> check_depth(const Body& body, std::string_view where) const;
  NodeIndex emit(Node node, std::uint32_t region);

  // Control flow (control_flow.cpp; states of loops in loop_states.cpp).
  using Expansion = Result<Done> (Flattener::*)(const Node& node, const Node& flat,
                                                const Body& body);
  static Expansion expansion_of(const Node& node);
  Result<Done> expand_if(const Node& node, const Node& flat, const Body& body);
  Result<Done> expand_loop(const Node& node, const Node& flat, const Body& body);
  Result<Done> expand_scan(const Node& node, const Node& flat, const Body& body);
  Result<Done> expand_map(const Node& node, const Node& flat, const Body& body);

  /// One control-flow node at work.
  struct Site {
    const Node& flat;  ///< The node with its names in the flat graph.
    const Body& body;  ///< Where it stands.
    std::uint32_t region;
  };
  /// A Scan or what is left of it inside a batch. Results may be "" where nobody wants one.
  struct ScanPlan {
    Names states;
    Names scans;
    std::vector<std::int64_t> axes_in;
    std::vector<std::int64_t> axes_out;
    Names results;
  };
  /// A value on its way through a loop.
  struct Carried {
    std::string initial;
    std::string entry;
    NodeIndex node{kNone};  ///< The LoopState; kNone for a value that no trip changes.
    std::string next{};     ///< From around the loop, the same after every trip; mostly empty.
  };
  Result<Done> scan(const Graph& inner, const ScanPlan& plan, const Site& site);
  Result<Done> scan_batch(const Graph& inner, const ScanPlan& plan, const Site& site);
  Result<Names> inline_graph(const Graph& inner, const Names& inputs, std::string_view label,
                             const Site& site);
  Result<Done> declare_graph(const Graph& inner, const std::string& prefix, NameScope& scope);
  Result<Done> copy_declarations(const Graph& inner, const NameScope& scope);
  Site open_region(RegionKind kind, const Site& site);
  using Attributes = std::map<std::string, AttributeValue>;
  std::string structure_node(std::string_view op, Names inputs, const Site& site,
                             Attributes attributes = {}, std::string result = {});
  /// The states of a loop: inputs of its body from `first_input` on, outputs from `first_output`.
  struct States {
    const Names& initial;
    std::size_t first_input;
    std::size_t first_output;
  };
  /// What a body has from around it, in every trip alike.
  struct Surroundings {
    const Graph& body;
    PassThrough shown;
    std::map<std::string_view, std::string> unchanged;  ///< States that no trip changes: values.
    const NameScope& scope;
  };
  static Surroundings surroundings_of(const States& states, const Graph& inner, const Site& site);
  [[nodiscard]] std::string value_around(std::string_view name, const Surroundings& around) const;
  static Attributes ending_of(const Graph& inner, const Surroundings& around);
  std::string loop_trips(const Graph& inner, const Surroundings& around, const Attributes& ending,
                         const Site& site);
  std::vector<Carried> enter_states(const States& states, const Surroundings& around,
                                    const std::string& trips, const Site& inside);
  void leave_state(const Carried& state, const std::string& next, const std::string& trips,
                   const std::string& result, const Site& site);
  // A body that stands several times in the flat graph has each of its constants once.
  [[nodiscard]] const std::string* first_copy(const void* constant) const;
  void remember_copy(const void* constant, const std::string& name);
  void forget_copies(std::size_t kept);

  [[nodiscard]] NodeIndex last_node() const {
    return static_cast<NodeIndex>(flat_.model.graph.nodes.size() - 1);
  }

  const Model& model_;
  const TripCounts& trips_;
  FlattenLimits limits_;
  FlatModel flat_;
  std::map<std::string, const Function*> functions_;  ///< By identity.
  std::map<const Function*, bool> known_;
  // For membership only.
  std::unordered_set<std::string_view> main_names_;  ///< Values of the graph of the file.
  std::unordered_set<std::string> made_names_;       ///< All others.
  std::map<const void*, std::string> copies_;  ///< Of constants of bodies: names. Only searched.
  std::vector<const void*> copied_;            ///< The same, in order.
  std::size_t next_suffix_{1};
  std::size_t nodes_{};
  std::size_t bytes_{};
};

}  // namespace horus::graph
