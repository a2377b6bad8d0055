// SPDX-License-Identifier: Apache-2.0
#pragma once
// Opening a file to read it, and only a file: a directory, a device or a pipe is a mistake.

#include <cstddef>
#include <string>

#include "horus/base/result.hpp"
#include "horus/os/descriptor.hpp"

namespace horus::os {

struct RegularFile {
  Descriptor descriptor;
  std::size_t size{};  ///< When it was opened.
};

/// Errors: Unavailable (missing, no permission), InvalidArgument (a directory, a device, a pipe).
[[nodiscard]] Result<RegularFile> open_regular(const std::string& path);

}  // namespace horus::os
