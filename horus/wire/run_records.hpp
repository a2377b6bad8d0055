// SPDX-License-Identifier: Apache-2.0
#pragma once
// Records of measured runs from JSON lines.

#include <string>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/domain/run_record.hpp"

namespace horus::wire {

/// Reads `text`, one JSON object a line; blank lines are skipped, and so are keys that are not
/// known. `source` names the file in errors and in RunRecord::where.
/// Errors: Corrupt with "source:line" for what is no such object, a key that is missing, of a
/// wrong type or out of its range; Unsupported for another schema_version and beyond the limits
/// (1 MiB a line, 1,000,000 lines).
[[nodiscard]] Result<std::vector<RunRecord>> read_run_records(std::string_view text,
                                                              const std::string& source);

}  // namespace horus::wire
