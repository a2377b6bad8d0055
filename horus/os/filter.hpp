// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sending text through another program.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"

namespace horus::os {

/// What `command` (found in PATH) prints when it is given `input`. It must read all of its input
/// before it prints, and may print `limit` bytes; its complaints are thrown away. Not for programs
/// that might never end: there is no timeout.
/// Errors: NotFound (no such program), Unavailable (it could not be started, failed, or said more).
[[nodiscard]] Result<std::string> filter_through(const std::vector<std::string>& command,
                                                 std::string_view input, std::size_t limit);

}  // namespace horus::os
