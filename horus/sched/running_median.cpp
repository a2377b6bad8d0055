// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/running_median.hpp"

#include <iterator>

#include "horus/base/check.hpp"

namespace horus::sched {

void RunningMedian::insert(TimePoint time) {
  const bool low = !lower_.empty() && time <= *lower_.rbegin();
  (low ? lower_ : upper_).insert(time);
  rebalance();
}

void RunningMedian::erase(TimePoint time) {
  auto& half = !lower_.empty() && time <= *lower_.rbegin() ? lower_ : upper_;
  const auto place = half.find(time);
  HORUS_CHECK(place != half.end(), "only a time that is in can be taken out");
  half.erase(place);
  rebalance();
}

std::int64_t RunningMedian::twice_median_us() const {
  HORUS_CHECK(size() > 0, "nothing has no median");
  const auto low = lower_.rbegin()->time_since_epoch().count();
  if (lower_.size() > upper_.size()) return 2 * low;
  return low + upper_.begin()->time_since_epoch().count();
}

void RunningMedian::rebalance() {
  while (lower_.size() > upper_.size() + 1) {
    upper_.insert(lower_.extract(std::prev(lower_.end())));
  }
  while (lower_.size() < upper_.size()) lower_.insert(upper_.extract(upper_.begin()));
}

}  // namespace horus::sched
