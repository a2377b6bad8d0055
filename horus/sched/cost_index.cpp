// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/cost_index.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "horus/base/check.hpp"

namespace horus::sched {
namespace {

constexpr std::size_t kShelves = 1001;  // utilizations from 0 to 1000 thousandths
constexpr std::size_t kLeaves = std::bit_ceil(kShelves);
constexpr Bytes kNobody{std::numeric_limits<std::int64_t>::max()};

constexpr std::size_t shelf_of(Permille utilization) {
  return static_cast<std::size_t>(std::min(utilization, kWholeGpu).count());
}

/// The utilizations below a node of the tree, first and last.
struct Range {
  Permille first;
  Permille last;
};

Range range_of(std::size_t node) {
  const std::size_t width = kLeaves / std::bit_floor(node);
  const std::size_t first = (node - std::bit_floor(node)) * width;
  return Range{.first = Permille{static_cast<std::int32_t>(first)},
               .last = Permille{static_cast<std::int32_t>(first + width - 1)}};
}

double cost_at(const PriceQuery& query, Permille utilization, Bytes booked) {
  const GpuLoad load{.memory = booked, .utilization = utilization, .residents = query.residents};
  return placement_cost(load, query.task, query.capacity);
}

/// No GPU below `node` costs less: the cost rises with memory and away from a full GPU, and
/// rounding keeps that order.
double floor_of(const PriceQuery& query, std::size_t node, Bytes lowest) {
  const Range range = range_of(node);
  const Permille best = kWholeGpu - query.task.utilization_max;
  return cost_at(query, std::clamp(best, range.first, range.last), lowest);
}

}  // namespace

CostIndex::CostIndex() : shelves_(kShelves), lowest_(2 * kLeaves, kNobody) {}

void CostIndex::insert(GpuIndex gpu, Permille utilization, Bytes booked) {
  const std::size_t shelf = shelf_of(utilization);
  const bool is_new = shelves_[shelf].emplace(booked, gpu).second;
  HORUS_CHECK(is_new, "a GPU is in the index once");
  refresh(shelf);
}

void CostIndex::erase(GpuIndex gpu, Permille utilization, Bytes booked) {
  const std::size_t shelf = shelf_of(utilization);
  const std::size_t erased = shelves_[shelf].erase(std::pair{booked, gpu});
  HORUS_CHECK(erased == 1, "only an indexed GPU can be taken out");
  refresh(shelf);
}

void CostIndex::refresh(std::size_t utilization) {
  const Shelf& shelf = shelves_[utilization];
  std::size_t node = kLeaves + utilization;
  Bytes lowest = shelf.empty() ? kNobody : shelf.begin()->first;
  while (lowest_[node] != lowest) {
    lowest_[node] = lowest;
    if (node == 1) break;
    lowest = std::min(lowest, lowest_[node ^ 1U]);
    node /= 2;
  }
}

void CostIndex::offer_cheapest(const PriceQuery& query, CheapestGpus& best) const {
  visit(1, query, best);
}

void CostIndex::visit(std::size_t node, const PriceQuery& query, CheapestGpus& best) const {
  if (lowest_[node] > query.booked_max || lowest_[node] == kNobody) return;
  // Equal cost is not pruned: a lower GPU number may hide there.
  if (floor_of(query, node, lowest_[node]) > best.limit()) return;
  if (node >= kLeaves) return offer_shelf(node - kLeaves, query, best);
  const std::size_t left = 2 * node;
  const std::size_t right = left + 1;
  const bool left_first = lowest_[right] == kNobody ||
                          (lowest_[left] != kNobody && floor_of(query, left, lowest_[left]) <=
                                                           floor_of(query, right, lowest_[right]));
  visit(left_first ? left : right, query, best);
  visit(left_first ? right : left, query, best);
}

void CostIndex::offer_shelf(std::size_t utilization, const PriceQuery& query,
                            CheapestGpus& best) const {
  const Shelf& shelf = shelves_[utilization];
  const Permille mean{static_cast<std::int32_t>(utilization)};
  for (auto place = shelf.begin(); place != shelf.end();) {
    const auto [booked, gpu] = *place;
    if (booked > query.booked_max) return;
    const double cost = cost_at(query, mean, booked);
    if (cost > best.limit()) return;
    if (best.offer(PricedGpu{.cost = cost, .gpu = gpu})) {
      ++place;
    } else {
      // The others with this much memory have higher numbers; the next amount may, after rounding,
      // cost the same.
      place = shelf.upper_bound({booked, std::numeric_limits<GpuIndex>::max()});
    }
  }
}

}  // namespace horus::sched
