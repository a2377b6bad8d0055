// SPDX-License-Identifier: Apache-2.0
#pragma once
// The median of a changing collection of times.

#include <cstdint>
#include <set>

#include "horus/base/time.hpp"

namespace horus::sched {

/// Two ordered halves, the lower as large as the upper or one larger.
class RunningMedian {
 public:
  /// Cost of both: O(log size).
  void insert(TimePoint time);
  /// Takes one such time out. Requires that it is in.
  void erase(TimePoint time);

  [[nodiscard]] std::size_t size() const { return lower_.size() + upper_.size(); }

  /// Twice the median in microseconds since the start: the sum of the two middle times, or twice
  /// the middle one. Doubled, it is exact. Requires size() > 0. O(1).
  [[nodiscard]] std::int64_t twice_median_us() const;

 private:
  void rebalance();

  std::multiset<TimePoint> lower_;
  std::multiset<TimePoint> upper_;
};

}  // namespace horus::sched
