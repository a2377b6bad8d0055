// SPDX-License-Identifier: Apache-2.0
#pragma once
// How likely it is that jobs which share a GPU do not cost each other too much.

#include <span>

#include "horus/predict/interference.hpp"

namespace horus::predict {

/// What is believed of the demand of a job: expected, and exceeded in one case out of ten.
struct DemandRange {
  Demand expected;
  Demand high;
};

/// The chance, 0 to 1, that none of `jobs` (at least one) is slowed beyond `slowdown` (above 1):
/// that of the job which is likeliest to be. The excess, slowdown - 1, is taken as log-normal
/// around what the law says of the expected demands. What one cannot know of a law before it is
/// tried on these very jobs (kSigmaExcess, also where it was fitted to others) and what each demand
/// may turn out higher add up in squares. Only the upper ends count: a pair turns bad by demands
/// that are higher than expected.
/// Cost: as many laws as jobs, and one more.
[[nodiscard]] double chance_within(double slowdown, std::span<const DemandRange> jobs,
                                   const LawInUse& law);

}  // namespace horus::predict
