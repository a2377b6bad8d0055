// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writing to file descriptors, and what the operating system says when it does not work.

#include <string>
#include <string_view>

#include "horus/base/result.hpp"

namespace horus::os {

inline constexpr int kStandardOutput = 1;
inline constexpr int kStandardError = 2;

/// The system's text for `error_number`, e.g. "No space left on device".
[[nodiscard]] std::string describe_errno(int error_number);

/// Writes all of `text`, going on after interruptions and partial writes. `where` names the target.
[[nodiscard]] Result<Done> write_all(int descriptor, std::string_view text, std::string_view where);

}  // namespace horus::os
