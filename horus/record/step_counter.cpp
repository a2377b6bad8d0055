// SPDX-License-Identifier: Apache-2.0
#include "horus/record/step_counter.hpp"

#include <utility>

namespace horus::record {

StepCount StepCounter::count(StepMark mark) {
  const bool is_first = !std::exchange(has_begun_, true);
  if (!mark.number) return {.steps = is_first ? 0 : 1};
  const auto before = std::exchange(number_, mark.number);
  if (!before || *mark.number <= *before) return {.steps = 0};
  return {.steps = *mark.number - *before};
}

}  // namespace horus::record
