// SPDX-License-Identifier: Apache-2.0
#pragma once
// The picture of a network's costs along its depth.

#include <string>

#include "horus/wire/reports.hpp"

namespace horus::report {

/// One SVG element. Two panels share the axis of depth: above, the FLOPs of each operator by kind
/// and their cumulated share; below, the memory that training holds when it has come so far.
/// Needs `report.in_order`. It follows the reader's light or dark mode, its colours are told apart
/// with any colour vision (Okabe and Ito, jfly.uni-koeln.de/color), and the same report gives the
/// same bytes.
[[nodiscard]] std::string depth_plot(const wire::InspectReport& report);

}  // namespace horus::report
