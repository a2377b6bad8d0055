// SPDX-License-Identifier: Apache-2.0
#pragma once
// One flat graph from a model with functions and control flow: calls are replaced by the bodies of
// what they call, and If, Loop and Scan by their bodies between nodes of domain kStructureDomain.
// How often a body runs is not known before shapes are, so it is a value of the flat graph.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/graph/graph_index.hpp"
#include "horus/graph/limits.hpp"
#include "horus/graph/model.hpp"

namespace horus::graph {

/// What stands for control flow; their rules are in ops/structure_operators.cpp.
namespace structure_op {
inline constexpr std::string_view kBroken = "Broken";  ///< Cannot be flattened; says why.
inline constexpr std::string_view kChoice = "Choice";  ///< Condition of an If: true for `then`.
inline constexpr std::string_view kMerge = "Merge";    ///< Then-value, else-value, choice.
inline constexpr std::string_view kLoopTrips = "LoopTrips";      ///< Most, condition, next one.
inline constexpr std::string_view kScanTrips = "ScanTrips";      ///< The values that are scanned.
inline constexpr std::string_view kLoopCounter = "LoopCounter";  ///< Trips: the number of one.
inline constexpr std::string_view kLoopCondition = "LoopCondition";  ///< Trips: goes on?
inline constexpr std::string_view kLoopState = "LoopState";          ///< Initial, trips: in a trip.
inline constexpr std::string_view kLoopResult = "LoopResult";  ///< Next value, initial, trips.
inline constexpr std::string_view kScanSlice = "ScanSlice";    ///< A value without its `axis`.
inline constexpr std::string_view kStack = "Stack";  ///< Value of a trip, trips: all of them.
inline constexpr std::string_view kMapElement = "MapElement";  ///< A tensor of a sequence.
inline constexpr std::string_view kMapCollect = "MapCollect";  ///< Value of a trip, trips.
}  // namespace structure_op

/// Attributes of those nodes. kStandsFor is the operator type in the file; kGiven a trip count from
/// the caller; kContinues is 1 where a body always asks for the next trip, 0 where it never does.
inline constexpr const char* kReason = "reason";
inline constexpr const char* kStandsFor = "stands_for";
inline constexpr const char* kGiven = "given";
inline constexpr const char* kContinues = "continues";

enum class RegionKind { Main, Then, Else, Repeated };

/// A part of the flat graph that runs as a whole.
struct Region {
  RegionKind kind{RegionKind::Main};
  std::uint32_t parent{kNone};
  /// The node whose first output says whether a branch runs, or how often the region does.
  NodeIndex control{kNone};
  std::uint32_t sibling{kNone};  ///< Of a branch: the other one.
  std::string name;              ///< Of the node in the flat graph, prefixed as all are.
};

/// A value that a loop hands from trip to trip: the nodes around its body.
struct CarriedState {
  NodeIndex entry{};   ///< The LoopState.
  NodeIndex result{};  ///< The LoopResult.
};

/// How a flat graph came about. All is empty where the model was flat from the start.
struct Structure {
  std::vector<Region> regions;           ///< The first is the graph of the file; parents first.
  std::vector<std::uint32_t> region_of;  ///< Per node.
  std::vector<CarriedState> carried;

  [[nodiscard]] std::uint32_t region(NodeIndex n) const {
    return region_of.empty() ? 0 : region_of[n];
  }
};

struct FlatModel {
  Model model;  ///< Without functions and subgraphs.
  Structure structure;
};

/// Trip counts that the caller knows, by the name of the loop in the flat graph.
using TripCounts = std::map<std::string, std::int64_t, std::less<>>;

/// True when a model has neither functions nor subgraphs.
[[nodiscard]] bool is_flat(const Model& model);

/// Names of what comes from a body are prefixed with that of the node: "call/relu",
/// "Loop_3/body/x". A function of the model wins over the rule of an operator of the same name, as
/// the specification has it, unless its body has operators that nobody knows: then the rule is the
/// better knowledge. What is malformed (a subgraph or an output missing, counts that do not fit)
/// becomes one node of type kBroken, not an error.
/// Errors: Unsupported for a limit, InvalidArgument for a trip count of no loop.
/// Cost: linear in the flat graph.
[[nodiscard]] Result<FlatModel> flatten(const Model& model, const TripCounts& trips = {},
                                        const FlattenLimits& limits = {});

}  // namespace horus::graph
