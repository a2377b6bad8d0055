// SPDX-License-Identifier: Apache-2.0
#pragma once
// The totals of a model, as rows of any table that shows them.

#include <span>
#include <string>

#include "horus/wire/reports.hpp"

namespace horus::report {

struct Total {
  const char* title;
  double (*value)(const wire::InspectReport&);
  std::string (*text)(double);
};

/// In the order in which they are shown.
[[nodiscard]] std::span<const Total> totals();

/// "32x3x224x224", "?" where an axis is not known, "scalar" without axes.
[[nodiscard]] std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace horus::report
