// SPDX-License-Identifier: Apache-2.0
#pragma once
// Time since a run began, and what time it was then.

#include <chrono>
#include <string>

#include "horus/base/time.hpp"

namespace horus::os {

/// Counts from its construction, and never jumps when the machine's clock is set.
class RunClock {
 public:
  [[nodiscard]] TimePoint now() const {
    const auto passed = std::chrono::steady_clock::now() - start_;
    return TimePoint{std::chrono::duration_cast<Duration>(passed)};
  }

 private:
  std::chrono::steady_clock::time_point start_{std::chrono::steady_clock::now()};
};

/// "2026-01-31T23:59:59Z": the time of day in UTC.
[[nodiscard]] std::string utc_now();

}  // namespace horus::os
