// SPDX-License-Identifier: Apache-2.0
#pragma once
// One page per command, for people. The same values as the JSON, rounded.

#include <string>
#include <vector>

#include "horus/report/table.hpp"
#include "horus/wire/reports.hpp"

namespace horus::report {

[[nodiscard]] std::string page(const wire::InspectReport& report, Colour colour);
[[nodiscard]] std::string page(const wire::PredictReport& report, Colour colour);
[[nodiscard]] std::string page(const std::vector<wire::ZooRow>& rows, Colour colour);
[[nodiscard]] std::string page(const wire::SimulateReport& report, Colour colour);

}  // namespace horus::report
