// SPDX-License-Identifier: Apache-2.0
#include "horus/os/appended_file.hpp"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace horus::os {
namespace {

struct Tail {
  bool is_regular{};
  off_t size{};
  bool lacks_line_end{};
};

Tail inspect_tail(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return {};
  char last = '\n';
  const bool is_read = status.st_size > 0 && ::pread(descriptor, &last, 1, status.st_size - 1) == 1;
  return {.is_regular = true, .size = status.st_size, .lacks_line_end = is_read && last != '\n'};
}

}  // namespace

Result<AppendedFile> AppendedFile::open(const std::string& path) {
  if (path == "-") {
    Descriptor copy{::fcntl(kStandardOutput, F_DUPFD_CLOEXEC, kStandardError + 1)};
    if (copy.number() >= 0) return AppendedFile{std::move(copy), "standard output"};
    return fail(Errc::Unavailable, "cannot write: " + describe_errno(errno), "standard output");
  }
  constexpr mode_t kMode = 0666;
  constexpr int kFlags = O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY;
  Descriptor file{::open(path.c_str(), O_RDWR | kFlags, kMode)};
  // A file that may be written and not read is fine as well.
  if (file.number() < 0 && errno == EACCES) {
    Descriptor written{::open(path.c_str(), O_WRONLY | kFlags, kMode)};
    if (written.number() >= 0) return AppendedFile{std::move(written), path};
    errno = EACCES;
  }
  if (file.number() >= 0) return AppendedFile{std::move(file), path};
  if (errno == EISDIR) {
    return fail(Errc::Unsupported, "is a directory; expected the name of a file", path);
  }
  return fail(Errc::Unavailable, "cannot open for appending: " + describe_errno(errno), path);
}

Result<Done> AppendedFile::append(std::string_view line) {
  // Where a file system knows no locks, O_APPEND alone keeps lines apart on most.
  ::flock(descriptor_.number(), LOCK_EX);
  const Tail tail = inspect_tail(descriptor_.number());
  std::string text = tail.lacks_line_end ? "\n" : "";
  text += line;
  text += '\n';
  auto written = write_all(descriptor_.number(), text, path_);
  if (!written && tail.is_regular && ::ftruncate(descriptor_.number(), tail.size) != 0) {
    written = fail(Errc::Unavailable, written.error().message + "; the last line is torn", path_);
  }
  ::flock(descriptor_.number(), LOCK_UN);
  return written;
}

}  // namespace horus::os
