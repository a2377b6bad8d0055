// SPDX-License-Identifier: Apache-2.0
#pragma once
// From an analysis to the report that commands print.

#include <string>
#include <vector>

#include "horus/apps/horus/model_source.hpp"
#include "horus/wire/reports.hpp"

namespace horus::apps {

/// `name`: as the user calls the model. Output shapes of nodes are filled in where the analysis
/// lists its values; `values` of the report stays absent.
[[nodiscard]] wire::InspectReport to_report(const std::string& name, const AnalysedModel& analysed);

/// The listed values of an analysis, as rows.
[[nodiscard]] std::vector<wire::ValueRow> to_rows(const std::vector<graph::ListedValue>& values);

}  // namespace horus::apps
