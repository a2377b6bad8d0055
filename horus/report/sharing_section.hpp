// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a prediction says of jobs that share a GPU, below the table of the GPUs.

#include <string>

#include "horus/report/table.hpp"
#include "horus/wire/reports.hpp"

namespace horus::report {

/// One table of jobs where one mode was asked for, one table of modes per GPU where several were,
/// and what is recommended; "" where nothing is shared.
[[nodiscard]] std::string sharing_text(const wire::PredictReport& report, Colour colour);

}  // namespace horus::report
