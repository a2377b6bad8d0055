// SPDX-License-Identifier: Apache-2.0
#pragma once
// Time in Horus: integer microseconds since the start of the run. Exact, ordered, the same on every
// machine. Pure rooms are handed the time; they never ask for it.

#include <chrono>
#include <cmath>
#include <cstdint>

namespace horus {

using Duration = std::chrono::duration<std::int64_t, std::micro>;

struct RunEpoch {
  using duration = Duration;
  using rep = Duration::rep;
  using period = Duration::period;
  using time_point = std::chrono::time_point<RunEpoch, Duration>;
  static constexpr bool is_steady = true;
};
using TimePoint = std::chrono::time_point<RunEpoch, Duration>;

/// The longest time that Horus accepts: about 3,170 years. Sums of a few of them do not overflow.
inline constexpr double kMaxSeconds = 1.0e11;

/// `seconds` rounded to the nearest microsecond. Requires |seconds| <= kMaxSeconds.
[[nodiscard]] inline Duration from_seconds(double seconds) {
  return Duration{std::llround(seconds * 1e6)};
}

[[nodiscard]] constexpr double to_seconds(Duration d) {
  return static_cast<double>(d.count()) / 1e6;
}

}  // namespace horus
