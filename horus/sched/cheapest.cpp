// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/cheapest.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "horus/base/check.hpp"

namespace horus::sched {
namespace {

bool dearer(const PricedGpu& a, const PricedGpu& b) { return a < b; }  // the heap's top is dearest

}  // namespace

CheapestGpus::CheapestGpus(std::size_t wanted) : wanted_{wanted} {
  HORUS_CHECK(wanted >= 1, "somebody must be wanted");
  heap_.reserve(wanted);
}

bool CheapestGpus::offer(PricedGpu offered) {
  if (complete()) {
    if (!(offered < heap_.front())) return false;
    std::ranges::pop_heap(heap_, dearer);
    heap_.back() = offered;
  } else {
    heap_.push_back(offered);
  }
  std::ranges::push_heap(heap_, dearer);
  return true;
}

double CheapestGpus::limit() const {
  return complete() ? heap_.front().cost : std::numeric_limits<double>::infinity();
}

std::vector<PricedGpu> CheapestGpus::take_sorted() {
  std::ranges::sort_heap(heap_, dearer);
  return std::exchange(heap_, {});
}

}  // namespace horus::sched
