// SPDX-License-Identifier: Apache-2.0
#pragma once
// From the marks that a program makes to steps that can be timed.

#include <cstdint>
#include <optional>

#include "horus/record/output_lines.hpp"

namespace horus::record {

/// What some marks, seen at one time, say about the time since the marks before.
struct StepCount {
  std::int64_t steps{};  ///< Done since then. 0: the time in between was no step.
};

/// Marks without a number are one step each. Numbered ones are as many steps as the number grew:
/// a program may print every hundredth step. The first mark has nothing before it, and a number
/// that does not grow is a new epoch, behind an evaluation perhaps: neither is a step.
class StepCounter {
 public:
  [[nodiscard]] StepCount count(StepMark mark);

 private:
  std::optional<std::int64_t> number_;
  bool has_begun_{};
};

}  // namespace horus::record
