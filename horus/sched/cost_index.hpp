// SPDX-License-Identifier: Apache-2.0
#pragma once
// The shared GPUs of one type with one number of residents, arranged so that the cheapest of them
// for a task is found without looking at each.
//
// With type and residents fixed, the cost depends on two things: utilization, a thousandth at a
// time, and booked memory, of which less is better. So GPUs are kept by utilization, within it by
// memory, and a tree over the 1001 utilizations knows the least booked memory below each node.
// That bounds the cost of a whole subtree from below: branch and bound. The work depends on the
// number of utilizations, not of GPUs.

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "horus/base/quantity.hpp"
#include "horus/domain/job.hpp"
#include "horus/sched/cheapest.hpp"
#include "horus/sched/cost.hpp"

namespace horus::sched {

/// What a task asks of the GPUs of one type.
struct PriceQuery {
  TaskDemand task;
  Bytes capacity;    ///< Memory of one GPU.
  Bytes booked_max;  ///< GPUs with more memory booked are not considered.
  int residents{};   ///< Of each GPU in the index.
};

class CostIndex {
 public:
  CostIndex();

  /// `utilization` is the sum of means; above 1000 counts as 1000. Cost: O(log GPUs).
  void insert(GpuIndex gpu, Permille utilization, Bytes booked);
  /// Takes out what was put in with the same values.
  void erase(GpuIndex gpu, Permille utilization, Bytes booked);

  /// Offers to `best` every GPU that can be among its cheapest, and few others.
  void offer_cheapest(const PriceQuery& query, CheapestGpus& best) const;

 private:
  using Shelf = std::set<std::pair<Bytes, GpuIndex>>;

  void refresh(std::size_t utilization);
  void visit(std::size_t node, const PriceQuery& query, CheapestGpus& best) const;
  void offer_shelf(std::size_t utilization, const PriceQuery& query, CheapestGpus& best) const;

  std::vector<Shelf> shelves_;  // by utilization in thousandths
  std::vector<Bytes> lowest_;   // heap-shaped tree: least booked memory below a node
};

}  // namespace horus::sched
