// SPDX-License-Identifier: Apache-2.0
#pragma once
// A predicted quantity: never a bare number.

#include <string_view>

#include "horus/base/quantity.hpp"

namespace horus {

/// What is expected, and the 10th and 90th percentile. low <= expected <= high; unit by context.
struct Interval {
  double expected{};
  double low{};
  double high{};
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Peak memory of one process on one GPU, CUDA context included.
/// low <= expected <= high <= bound; `bound` is exceeded by 5 % of jobs (the 95 % bound).
struct MemoryPrediction {
  Bytes expected;
  Bytes low;
  Bytes high;
  Bytes bound;
  friend bool operator==(const MemoryPrediction&, const MemoryPrediction&) = default;
};

/// Where a number comes from, best first.
enum class Origin { Measured, Learned, Analytic, Stated, Unknown };

[[nodiscard]] constexpr std::string_view name_of(Origin origin) {
  switch (origin) {
    case Origin::Measured:
      return "measured";
    case Origin::Learned:
      return "learned";
    case Origin::Analytic:
      return "analytic";
    case Origin::Stated:
      return "stated";
    case Origin::Unknown:
      break;
  }
  return "unknown";
}

}  // namespace horus
