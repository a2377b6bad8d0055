// SPDX-License-Identifier: Apache-2.0
// Around the bodies of control flow: how often they run, what they see of a trip, what remains.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "horus/graph/flatten.hpp"
#include "horus/graph/ops/families.hpp"

namespace horus::graph {
namespace {

std::optional<std::int64_t> number_of(const NodeView& node, std::size_t i) {
  const auto numbers = node.contents(i);
  if (!numbers || numbers->size() != 1) return std::nullopt;
  return numbers->front();
}

Facts scalar_of(ElementType type, std::optional<std::int64_t> number) {
  Facts facts = one(type, {});
  if (number) facts[0].contents = std::vector<std::int64_t>{*number};
  return facts;
}

Facts with_contents(Fact fact) {
  Facts facts;
  facts.push_back(std::move(fact));
  return facts;
}

Facts without_contents(Fact fact) {
  fact.contents.reset();
  return with_contents(std::move(fact));
}

/// A loop of exactly one trip is no loop: all that is known of its values holds.
bool runs_once(const NodeView& node, std::size_t trips) { return number_of(node, trips) == 1; }

/// Trips as the shape rules count them: once where the number is unknown, which costs then say.
std::int64_t trips_of(const NodeView& node, std::size_t i) {
  return number_of(node, i).value_or(1);
}

double size_of(const Fact& fact) {
  if (!fact.sequence) return count(fact.shape);
  double sum = 0;
  for (const Shape& shape : *fact.sequence) sum += count(shape);
  return sum;
}

bool is_alike(const Fact& left, const Fact& right) {
  return left.type == right.type && left.shape == right.shape && left.sequence == right.sequence;
}

/// A state that grew along one axis in the first trip is taken to grow so in all of them, as one
/// that collects results does. Nothing where it did not.
std::optional<Shape> grown(const Shape& initial, const Shape& next, std::int64_t trips) {
  if (initial.size() != next.size()) return std::nullopt;
  const auto [before, after] = std::ranges::mismatch(initial, next);
  if (before == initial.end() || *after <= *before) return std::nullopt;
  if (!std::equal(before + 1, initial.end(), after + 1)) return std::nullopt;
  const std::int64_t growth = *after - *before;
  if (growth > kMaxElements / std::max<std::int64_t>(trips, 1)) return std::nullopt;
  Shape shape = initial;
  shape[static_cast<std::size_t>(before - initial.begin())] += growth * trips;
  return is_sound(shape) ? std::optional{shape} : std::nullopt;
}

/// The same for a sequence: what the first trip put behind it, once per trip. False where that is
/// beyond all bounds.
bool grow(const std::vector<Shape>& initial, std::vector<Shape>& next, std::int64_t trips) {
  if (next.size() <= initial.size()) return true;
  const std::vector<Shape> added(next.begin() + static_cast<std::ptrdiff_t>(initial.size()),
                                 next.end());
  for (std::int64_t trip = 1; trip < trips; ++trip) {
    if (next.size() + added.size() > kMaxSequence) return false;
    next.insert(next.end(), added.begin(), added.end());
  }
  return true;
}

}  // namespace

Result<Facts> infer_broken(const NodeView& node) {
  return refuse(fmt::format("it cannot be followed: {}", node.text(kReason, "it is malformed")));
}

Result<Facts> infer_choice(const NodeView& node) {
  return scalar_of(ElementType::Bool, number_of(node, 0));
}

Result<Facts> infer_merge(const NodeView& node) {
  const auto choice = number_of(node, 2);
  if (choice) {
    const std::size_t taken = *choice != 0 ? 0 : 1;
    if (!node.has_input(taken)) {
      return refuse(fmt::format("the result of its {} is unknown",
                                taken == 0 ? "then_branch" : "else_branch"));
    }
    return with_contents(node.input(taken));
  }
  if (!node.has_input(0) && !node.has_input(1)) {
    return refuse("the results of both branches are unknown");
  }
  if (!node.has_input(0)) return without_contents(node.input(1));
  if (!node.has_input(1)) return without_contents(node.input(0));
  const Fact& thens = node.input(0);
  const Fact& elses = node.input(1);
  if (!is_alike(thens, elses))
    return without_contents(size_of(elses) > size_of(thens) ? elses : thens);
  Facts facts;
  facts.push_back(thens);
  if (thens.contents != elses.contents) facts[0].contents.reset();
  return facts;
}

/// Whether each trip asks for a next one, where that is known.
std::optional<std::int64_t> next_condition(const NodeView& node) {
  if (node.has_attribute(kContinues)) return node.integer(kContinues, 0);
  return number_of(node, 2);
}

Result<Facts> infer_loop_trips(const NodeView& node) {
  if (node.has_attribute(kGiven)) return scalar_of(ElementType::Int64, node.integer(kGiven, 1));
  const auto condition = number_of(node, 1);
  if (condition && *condition == 0) return scalar_of(ElementType::Int64, 0);
  const auto most = number_of(node, 0);
  const bool is_bounded = most && *most <= kTripsMax;
  // By the specification a loop that is given no condition ignores those of its body.
  if (node.has_input(1) && next_condition(node) == 0 && (most || !node.has_input(0))) {
    return scalar_of(ElementType::Int64, is_bounded && *most < 1 ? 0 : 1);
  }
  if (!is_bounded) return scalar_of(ElementType::Int64, std::nullopt);
  return scalar_of(ElementType::Int64, std::max<std::int64_t>(*most, 0));
}

Result<Facts> infer_scan_trips(const NodeView& node) {
  const std::vector<std::int64_t> axes = node.integers("axes");
  std::optional<std::int64_t> trips;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (!node.has_input(i)) return refuse("a scanned value is left out");
    HORUS_TRY(const std::size_t axis,
              axis_index(i < axes.size() ? axes[i] : 0, node.shape(i).size()));
    const std::int64_t size = node.shape(i)[axis];
    if (trips && *trips != size) {
      return refuse(fmt::format("scanned values of {} and {} steps", *trips, size));
    }
    trips = size;
  }
  return scalar_of(ElementType::Int64, trips);
}

Result<Facts> infer_loop_counter(const NodeView& node) {
  return scalar_of(ElementType::Int64, runs_once(node, 0) ? std::optional{0} : std::nullopt);
}

Result<Facts> infer_loop_condition(const NodeView& node) {
  const bool holds = runs_once(node, 0) || node.integer(kContinues, 0) == 1;
  return scalar_of(ElementType::Bool, holds ? std::optional{1} : std::nullopt);
}

Result<Facts> infer_loop_state(const NodeView& node) {
  if (runs_once(node, 1)) return with_contents(node.input(0));
  // The value changes from trip to trip, whatever the first one is.
  return without_contents(node.input(0));
}

Result<Facts> infer_loop_result(const NodeView& node) {
  if (!node.has_input(0) && !node.has_input(1)) return refuse("what its body makes is unknown");
  if (!node.has_input(0)) return without_contents(node.input(1));
  if (runs_once(node, 2)) return with_contents(node.input(0));
  Facts facts = without_contents(node.input(0));
  if (!node.has_input(1)) return facts;
  const Fact& initial = node.input(1);
  const std::int64_t trips = trips_of(node, 2);
  if (trips == 0) return without_contents(initial);
  Fact& result = facts[0];
  if (result.sequence && initial.sequence) {
    if (!grow(*initial.sequence, *result.sequence, trips)) {
      return refuse(
          fmt::format("its sequence grows over {} trips to more tensors than are followed", trips));
    }
  } else if (auto shape = grown(initial.shape, result.shape, trips)) {
    result.shape = std::move(*shape);
  }
  return facts;
}

Result<Facts> infer_scan_slice(const NodeView& node) {
  Shape shape = node.shape(0);
  HORUS_TRY(const std::size_t axis, axis_index(node.integer("axis", 0), shape.size()));
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  return one(node.input(0).type, std::move(shape));
}

Result<Facts> infer_stack(const NodeView& node) {
  Shape shape = node.shape(0);
  HORUS_TRY(const std::size_t axis, axis_index(node.integer("axis", 0), shape.size() + 1));
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), trips_of(node, 1));
  return one(node.input(0).type, std::move(shape));
}

Result<Facts> infer_map_element(const NodeView& node) {
  const Fact& fact = node.input(0);
  if (!fact.sequence) return without_contents(fact);
  if (fact.sequence->empty()) return refuse("the sequence is empty, so it has no tensor to show");
  const auto largest = std::ranges::max_element(*fact.sequence, {},
                                                [](const Shape& shape) { return elements(shape); });
  Facts facts = one(fact.type, *largest);
  facts[0].is_bound =
      std::ranges::any_of(*fact.sequence, [&](const Shape& shape) { return shape != *largest; });
  return facts;
}

Result<Facts> infer_map_collect(const NodeView& node) {
  const std::int64_t trips = trips_of(node, 1);
  if (trips > static_cast<std::int64_t>(kMaxSequence)) {
    return refuse("the sequence is beyond all bounds");
  }
  Facts facts;
  facts.push_back({.type = node.input(0).type, .shape = {}});
  facts[0].sequence = std::vector<Shape>(static_cast<std::size_t>(trips), node.shape(0));
  return facts;
}

}  // namespace horus::graph
