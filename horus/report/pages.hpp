// SPDX-License-Identifier: Apache-2.0
#pragma once
// One page per command, for people. The same values as the JSON, rounded.

#include <string>
#include <vector>

#include "horus/report/document.hpp"
#include "horus/report/table.hpp"
#include "horus/wire/evaluate_report.hpp"
#include "horus/wire/inspect_diff.hpp"
#include "horus/wire/reports.hpp"

namespace horus::report {

[[nodiscard]] Document document(const wire::InspectReport& report);
[[nodiscard]] Document document(const wire::InspectDiff& diff);
[[nodiscard]] Document document(const std::vector<wire::ZooRow>& rows);
[[nodiscard]] Document document(const wire::EvaluateReport& report);

/// A last section with one line per note; nothing without notes.
void append_notes(Document& document, const std::vector<std::string>& notes);

[[nodiscard]] std::string page(const wire::InspectReport& report, Colour colour);
[[nodiscard]] std::string page(const wire::InspectDiff& diff, Colour colour);
[[nodiscard]] std::string page(const wire::PredictReport& report, Colour colour);
[[nodiscard]] std::string page(const std::vector<wire::ZooRow>& rows, Colour colour);
[[nodiscard]] std::string page(const wire::SimulateReport& report, Colour colour);
[[nodiscard]] std::string page(const wire::EvaluateReport& report, Colour colour);

}  // namespace horus::report
