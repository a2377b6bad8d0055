// SPDX-License-Identifier: Apache-2.0
#pragma once
// Handing over to another program, and leaving this one.

#include <string>
#include <vector>

#include "horus/base/result.hpp"

namespace horus::os {

/// Becomes the program `name` that lies beside this one, or else in a folder of PATH. Returns only
/// where that fails: NotFound, Unavailable. `arguments` without the name.
[[nodiscard]] Error become_sibling(const std::string& name,
                                   const std::vector<std::string>& arguments);

/// Ends the process at once, with threads that may hang, and without destructors.
[[noreturn]] void exit_now(int code);

}  // namespace horus::os
