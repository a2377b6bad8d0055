// SPDX-License-Identifier: Apache-2.0
#include "horus/os/regular_file.hpp"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

namespace horus::os {

Result<RegularFile> open_regular(const std::string& path) {
  // O_NONBLOCK: opening a pipe without a writer must not hang; it has no effect on regular files.
  Descriptor descriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (descriptor.number() < 0) {
    return fail(Errc::Unavailable, "cannot open: " + describe_errno(errno), path);
  }
  struct stat status {};
  if (::fstat(descriptor.number(), &status) != 0) {
    return fail(Errc::Unavailable, "cannot inspect: " + describe_errno(errno), path);
  }
  if (!S_ISREG(status.st_mode)) {
    const char* what = S_ISDIR(status.st_mode) ? "is a directory" : "is not a regular file";
    return fail(Errc::Unsupported, std::string{what} + "; expected a file", path);
  }
  return RegularFile{std::move(descriptor), static_cast<std::size_t>(status.st_size)};
}

}  // namespace horus::os
