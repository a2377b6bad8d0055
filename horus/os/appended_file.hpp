// SPDX-License-Identifier: Apache-2.0
#pragma once
// A file of lines that several programs append to.

#include <string>
#include <string_view>
#include <utility>

#include "horus/base/result.hpp"
#include "horus/os/descriptor.hpp"

namespace horus::os {

/// Opened before long work, so that a file that cannot be written is known at once. Each line is
/// there as a whole or not at all, also when others append at the same time.
class AppendedFile {
 public:
  /// "-": standard output. Errors: Unavailable (no permission, no folder), Unsupported (a
  /// directory).
  [[nodiscard]] static Result<AppendedFile> open(const std::string& path);

  /// Adds `line` and a line end. Where the last line has no end, it gets one first. A line that
  /// does not fit on the disk is taken back. Errors: Unavailable.
  [[nodiscard]] Result<Done> append(std::string_view line);

 private:
  AppendedFile(Descriptor descriptor, std::string path)
      : descriptor_{std::move(descriptor)}, path_{std::move(path)} {}

  Descriptor descriptor_;
  std::string path_;
};

}  // namespace horus::os
