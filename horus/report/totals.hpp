// SPDX-License-Identifier: Apache-2.0
#pragma once
// The totals of a model, as rows of any table that shows them.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horus/wire/reports.hpp"

namespace horus::report {

struct Total {
  const char* title;
  double (*value)(const wire::InspectReport&);
  std::string (*text)(double);
};

/// In the order in which they are shown.
[[nodiscard]] std::span<const Total> totals();

/// What the totals of a model are when not all of its costs are known: "" where they are exact,
/// "lower bound", "upper bound" or "neither a lower nor an upper bound".
[[nodiscard]] std::string_view bound_word(const wire::InspectReport& report);

/// `title` with that word behind it: "total (lower bound)".
[[nodiscard]] std::string bound_title(std::string_view title, const wire::InspectReport& report);

/// "32x3x224x224", "?" where an axis is not known, "scalar" without axes.
[[nodiscard]] std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace horus::report
