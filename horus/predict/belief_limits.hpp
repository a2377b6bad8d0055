// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is believed of anything at all: limits, quantiles, and the stand-in for "unknown".

#include "horus/domain/interval.hpp"

namespace horus::predict {

/// No step is believed to take longer, seconds: keeps absurd rates finite.
inline constexpr double kStepMostSeconds = 1e12;

/// No count, size or number of operations is believed beyond this, which no machine comes near:
/// keeps sums and products of costs finite.
inline constexpr double kMostOfAnything = 1e40;

/// Quantiles of the standard normal: 90 % (both ends of an Interval) and 95 % (memory bound).
inline constexpr double kZ90 = 1.2816;
inline constexpr double kZ95 = 1.6449;

/// Added per share of operators that could not be costed: if half of a graph is unknown, its cost
/// may be off by a further factor of e^(0.5 x 2) = 2.7 at one sigma.
inline constexpr double kSigmaUncosted = 2.0;

/// A step of which nothing is known, seconds: a finite stand-in for "anything" that calls itself
/// Origin::Unknown. From the dispatch of a trivial graph to a step that takes minutes.
inline constexpr Interval kUnknownStepSeconds{1.0, 1e-3, 1e3};

}  // namespace horus::predict
