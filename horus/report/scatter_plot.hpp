// SPDX-License-Identifier: Apache-2.0
#pragma once
// The picture of an evaluation: what was predicted against what was measured.

#include <string>

#include "horus/wire/evaluate_report.hpp"

namespace horus::report {

/// One SVG element: a row of panels per protocol that was run, a panel per quantity; on the
/// diagonal a prediction is right. The models that a protocol predicts worst have colours of their
/// own. Utilization and slowdowns on plain axes, memory and step times on logarithmic ones. Panels
/// of very many points show every n-th. The same report gives the same bytes.
[[nodiscard]] std::string scatter_plot(const wire::EvaluateReport& report);

}  // namespace horus::report
