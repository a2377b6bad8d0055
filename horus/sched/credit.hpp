// SPDX-License-Identifier: Apache-2.0
#pragma once
// How urgent a queue of horus+ is.

#include <cstddef>
#include <cstdint>

#include "horus/base/time.hpp"

namespace horus::sched {

/// Credit of a queue: its length times the median of its waiting times in seconds, or just the
/// length while that median is below one second. `twice_median_us` is the doubled median of the
/// times since when its jobs wait. Source: the authors' simulator of Horus+.
[[nodiscard]] constexpr double queue_credit(std::size_t length, std::int64_t twice_median_us,
                                            TimePoint now) {
  const std::int64_t twice_waited_us = 2 * now.time_since_epoch().count() - twice_median_us;
  const double median_s = static_cast<double>(twice_waited_us) / 2e6;
  return static_cast<double>(length) * (median_s < 1.0 ? 1.0 : median_s);
}

}  // namespace horus::sched
