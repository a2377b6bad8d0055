// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdlib>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "horus/os/descriptor.hpp"
#include "horus/os/file.hpp"

namespace horus::os {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20U;

/// Devices and pipes cannot be replaced by renaming: they are written in place.
bool is_special(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/// The mode that an ordinary open() would have given: mkstemp makes files private.
mode_t default_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return static_cast<mode_t>(0666) & ~mask;
}

}  // namespace

OutputFile::OutputFile(int descriptor, std::string path, std::string temporary)
    : descriptor_{descriptor}, path_{std::move(path)}, temporary_{std::move(temporary)} {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : descriptor_{std::exchange(other.descriptor_, -1)},
      path_{std::move(other.path_)},
      temporary_{std::exchange(other.temporary_, {})},
      buffer_{std::move(other.buffer_)} {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<OutputFile> OutputFile::create(const std::string& path) {
  if (is_special(path)) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) {
      return fail(Errc::Unavailable, "cannot open for writing: " + describe_errno(errno), path);
    }
    return OutputFile{descriptor, path, {}};
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return fail(Errc::InvalidArgument, "is a directory; expected the name of a file", path);
  }
  std::string temporary = path + ".XXXXXX";
  const int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) {
    return fail(Errc::Unavailable, "cannot create: " + describe_errno(errno), path);
  }
  ::fchmod(descriptor, default_mode());
  return OutputFile{descriptor, path, std::move(temporary)};
}

Result<Done> OutputFile::append(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) return flush();
  return Done{};
}

Result<Done> OutputFile::flush() {
  auto written = write_all(descriptor_, buffer_, path_);
  buffer_.clear();
  return written;
}

Result<Done> OutputFile::commit() {
  HORUS_TRY_DONE(flush());
  if (temporary_.empty()) return Done{};
  if (::fsync(descriptor_) != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) {
    return fail(Errc::Unavailable, "cannot complete: " + describe_errno(errno), path_);
  }
  temporary_.clear();
  return Done{};
}

Result<Done> write_file(const std::string& path, std::string_view content) {
  HORUS_TRY(OutputFile file, OutputFile::create(path));
  HORUS_TRY_DONE(file.append(content));
  return file.commit();
}

}  // namespace horus::os
