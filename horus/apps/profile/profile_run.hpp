// SPDX-License-Identifier: Apache-2.0
#pragma once
// One run of horus-profile, from its options to the record and the exit code.

#include "horus/record/profile_options.hpp"

namespace horus::apps {

/// Exit codes of our own; all others are the command's. 126 and 127 are os::kCannotRun and
/// os::kNotFound.
inline constexpr int kUsageError = 2;
inline constexpr int kNoRecord = 125;

/// Runs or watches, as the options say, and appends the record. Speaks on standard error. May end
/// the process itself, where the driver hangs.
[[nodiscard]] int profile(const record::ProfileOptions& options);

/// "horus: error: ..." on standard error.
void report_error(const Error& error);

}  // namespace horus::apps
