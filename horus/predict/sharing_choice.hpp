// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which mode of sharing to recommend, and why, in words.

#include <span>
#include <string>

#include "horus/domain/sharing.hpp"
#include "horus/predict/sharing_constants.hpp"

namespace horus::predict {

/// Time slicing needs nothing set up, Multi-Process Service a daemon, instances a partitioned and
/// drained GPU. A later mode of that order must do this much more work to be worth it: below it,
/// the difference is within the error of the predictions anyway.
inline constexpr double kWorthSettingUp = 1.05;

struct Recommendation {
  SharingMode mode{SharingMode::Exclusive};
  std::string reason;  ///< One sentence or two, with the numbers that decided.
};

/// The mode in which the GPU does most work while all jobs fit into memory and none is expected to
/// be slowed beyond `tolerance` (at least 1); Exclusive where there is none or only one job.
/// `modes` are predictions of the same jobs, in any order, at most one per mode; Exclusive need not
/// be among them.
[[nodiscard]] Recommendation recommend(std::span<const SharedPrediction> modes, double tolerance);

}  // namespace horus::predict
