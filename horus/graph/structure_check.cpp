// SPDX-License-Identifier: Apache-2.0
#include "horus/graph/structure_check.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "horus/base/text.hpp"

namespace horus::graph {
namespace {

/// "'a', 'b', ...": enough to set them all on a command line.
std::string named(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 4;
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == kShown) return text + ", ...";
    text += fmt::format("{}'{}'", i == 0 ? "" : ", ", printable(names[i]));
  }
  return text;
}

class Check {
 public:
  Check(const Model& model, const Structure& structure, const GraphIndex& index,
        const Inference& inference, const Runs& runs)
      : model_{model}, structure_{structure}, index_{index}, inference_{inference}, runs_{runs} {}

  std::vector<std::string> run(const std::vector<std::uint32_t>& differing) {
    warn_of_open_loops();
    warn_of_endless_loops();
    warn_of_early_ends();
    warn_of_branches(differing);
    warn_of_changing_states();
    warn_of_branch_shapes();
    return std::move(warnings_);
  }

 private:
  [[nodiscard]] const Region& region(std::uint32_t r) const { return structure_.regions[r]; }
  [[nodiscard]] const Node& node(NodeIndex n) const { return model_.graph.nodes[n]; }
  [[nodiscard]] const Fact* input(NodeIndex n, std::size_t i) const {
    const ValueIndex value = index_.inputs[n][i];
    return value != kNone && inference_.facts[value] ? &*inference_.facts[value] : nullptr;
  }

  void warn_of_open_loops() {
    std::vector<std::string> names;
    for (const std::uint32_t r : runs_.undecided()) {
      if (region(r).kind != RegionKind::Repeated || runs_.of_region(r) == 0) continue;
      names.push_back(region(r).name);
    }
    if (names.empty()) return;
    warnings_.push_back(
        fmt::format("the trips of {} loops depend on data ({}): counted as one trip each, so their "
                    "costs are lower bounds; give their number with --dim trips:{}=COUNT",
                    names.size(), named(names), printable(names.front())));
  }

  void warn_of_endless_loops() {
    if (runs_.endless().empty()) return;
    const std::uint32_t first = runs_.endless().front();
    warnings_.push_back(
        fmt::format("{} loops in loops run more than 2^53 times (first '{}'): counted as that "
                    "often, so their costs are at least what is shown",
                    runs_.endless().size(), printable(region(first).name)));
  }

  /// The number that a value is, where it is known.
  [[nodiscard]] std::optional<std::int64_t> number(ValueIndex value) const {
    const bool is_known = value != kNone && inference_.facts[value];
    const auto* numbers = is_known ? integers_of(*inference_.facts[value]) : nullptr;
    if (numbers == nullptr || numbers->size() != 1) return std::nullopt;
    return numbers->front();
  }

  /// False for a loop that its conditions may end before its largest number of trips, or keep from
  /// running at all.
  [[nodiscard]] bool ends_as_counted(std::uint32_t r) const {
    const NodeIndex n = region(r).control;
    const auto& settings = node(n).attributes;
    if (node(n).op_type != structure_op::kLoopTrips || settings.contains(kGiven)) return true;
    const auto& inputs = index_.inputs[n];
    const bool has_condition = inputs.size() > 1 && inputs[1] != kNone;
    if (has_condition && !number(inputs[1])) return false;
    if (number(index_.outputs[n][0]).value_or(2) < 2) return true;
    const auto stated = settings.find(kContinues);
    if (stated != settings.end()) return stated->second == AttributeValue{std::int64_t{1}};
    return inputs.size() > 2 && number(inputs[2]).value_or(0) != 0;
  }

  void warn_of_early_ends() {
    std::vector<std::string> names;
    for (std::uint32_t r = 1; r < structure_.regions.size(); ++r) {
      if (region(r).kind != RegionKind::Repeated || runs_.of_region(r) == 0) continue;
      const bool is_open = std::ranges::binary_search(runs_.undecided(), r);
      if (!is_open && !ends_as_counted(r)) names.push_back(region(r).name);
    }
    if (names.empty()) return;
    warnings_.push_back(
        fmt::format("{} loops may end before their largest number of trips ({}): counted in full, "
                    "so their costs are upper bounds; give their number with --dim trips:{}=COUNT",
                    names.size(), named(names), printable(names.front())));
  }

  void warn_of_branches(const std::vector<std::uint32_t>& differing) {
    std::vector<std::string> names;
    for (const std::uint32_t r : differing) {
      if (runs_.of_region(r) > 0 || runs_.of_region(region(r).sibling) > 0) {
        names.push_back(region(r).name);
      }
    }
    if (names.empty()) return;
    warnings_.push_back(
        fmt::format("the conditions of {} If nodes depend on data ({}): the costlier branch of "
                    "each counts, so costs are upper bounds",
                    names.size(), named(names)));
  }

  void warn_of_changing_states() {
    std::size_t found = 0;
    std::string first;
    for (const CarriedState& state : structure_.carried) {
      const Fact* next = input(state.result, 0);
      const Fact* initial = input(state.result, 1);
      if (next == nullptr || initial == nullptr || runs_.of(state.entry) == 0) continue;
      if (next->sequence || next->shape == initial->shape) continue;
      if (found++ > 0) continue;
      first = fmt::format("'{}': from {} to {}", printable(region_name(state.entry)),
                          text_of(initial->shape), text_of(next->shape));
    }
    if (found == 0) return;
    warnings_.push_back(fmt::format(
        "{} values change their shape from trip to trip (first in {} in the first trip): all trips "
        "of a body are costed as its first",
        found, first));
  }

  [[nodiscard]] const std::string& region_name(NodeIndex n) const {
    return region(structure_.region(n)).name;
  }

  void warn_of_branch_shapes() {
    std::size_t found = 0;
    std::string first;
    for (NodeIndex n = 0; n < model_.graph.nodes.size(); ++n) {
      if (node(n).op_type != structure_op::kMerge || !index_.takes_unknown[n]) continue;
      const Fact* thens = input(n, 0);
      const Fact* elses = input(n, 1);
      const Fact* choice = input(n, 2);
      if (thens == nullptr || elses == nullptr || runs_.of(n) == 0) continue;
      if ((choice != nullptr && choice->contents) || thens->shape == elses->shape) continue;
      if (found++ > 0) continue;
      first = fmt::format("'{}': {} or {}", printable(name_of(node(n))), text_of(thens->shape),
                          text_of(elses->shape));
    }
    if (found == 0) return;
    warnings_.push_back(
        fmt::format("{} results of If nodes have another shape in each branch (first {}): the "
                    "larger is taken",
                    found, first));
  }

  const Model& model_;
  const Structure& structure_;
  const GraphIndex& index_;
  const Inference& inference_;
  const Runs& runs_;
  std::vector<std::string> warnings_;
};

}  // namespace

std::vector<std::string> structure_warnings(const Model& model, const Structure& structure,
                                            const GraphIndex& index, const Inference& inference,
                                            const Runs& runs,
                                            const std::vector<std::uint32_t>& differing) {
  return Check{model, structure, index, inference, runs}.run(differing);
}

}  // namespace horus::graph
