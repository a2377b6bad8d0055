// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "horus/os/descriptor.hpp"
#include "horus/os/file.hpp"

namespace horus::os {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20U;

/// What a path leads to in the end.
struct Target {
  std::string path;  ///< Behind all symbolic links, so that a link stays a link.
  bool in_place{};   ///< Cannot be replaced by renaming.
  bool is_folder{};
  mode_t mode{};  ///< Of a file that is already there.
  bool exists{};
};

/// Names of open descriptors, such as /dev/stdout and /proc/self/fd/3. What is behind them may be a
/// regular file, but it belongs to whoever opened it.
bool names_a_descriptor(std::string_view path) {
  return path.starts_with("/dev/") || path.starts_with("/proc/");
}

/// Follows symbolic links one by one: the last one may lead to a file that does not exist yet.
Result<Target> resolve(const std::string& path) {
  constexpr int kLinksMax = 40;  // as the kernel
  Target target{.path = path};
  std::error_code error;
  for (int links = 0; std::filesystem::is_symlink(target.path, error); ++links) {
    if (links == kLinksMax) {
      return fail(Errc::Unavailable, "cannot create: " + describe_errno(ELOOP), path);
    }
    target.in_place = target.in_place || names_a_descriptor(target.path);
    const auto link = std::filesystem::read_symlink(target.path, error);
    if (error || target.in_place) break;
    target.path = (std::filesystem::path{target.path}.parent_path() / link).string();
  }
  struct stat status {};
  target.exists = ::stat(target.path.c_str(), &status) == 0;
  if (!target.exists) return target;
  target.is_folder = S_ISDIR(status.st_mode);
  target.in_place = target.in_place || !S_ISREG(status.st_mode);
  target.mode = status.st_mode & static_cast<mode_t>(07777);
  return target;
}

/// Opens a device, a pipe or what an open descriptor leads to. Appends where it is a regular file:
/// it was opened, and emptied or not, by somebody else.
Result<Descriptor> open_in_place(const std::string& path) {
  // O_NONBLOCK: a pipe that nobody reads must not hang.
  Descriptor descriptor{
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
  if (descriptor.number() >= 0) return descriptor;
  const std::string why =
      errno == ENXIO ? "nobody reads this pipe; start the reader first" : describe_errno(errno);
  return fail(Errc::Unavailable, "cannot open for writing: " + why, path);
}

/// Keeps 0 to 2 free: where a standard stream is closed, a file would take its number and receive
/// what was meant for the stream.
Result<Descriptor> away_from_standard_streams(Descriptor descriptor, const std::string& path) {
  if (descriptor.number() > kStandardError) return descriptor;
  Descriptor moved{::fcntl(descriptor.number(), F_DUPFD_CLOEXEC, kStandardError + 1)};
  if (moved.number() >= 0) return moved;
  return fail(Errc::Unavailable, "cannot create: " + describe_errno(errno), path);
}

/// The mode that an ordinary open() would have given: mkstemp makes files private.
mode_t default_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return static_cast<mode_t>(0666) & ~mask;
}

}  // namespace

OutputFile::OutputFile(Descriptor descriptor, std::string path, std::string target,
                       std::string temporary)
    : descriptor_{std::move(descriptor)},
      path_{std::move(path)},
      target_{std::move(target)},
      temporary_{std::move(temporary)} {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : descriptor_{std::move(other.descriptor_)},
      path_{std::move(other.path_)},
      target_{std::move(other.target_)},
      temporary_{std::exchange(other.temporary_, {})},
      buffer_{std::move(other.buffer_)} {}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<OutputFile> OutputFile::create(const std::string& path) {
  HORUS_TRY(const Target target, resolve(path));
  if (target.is_folder) {
    return fail(Errc::Unsupported, "is a directory; expected the name of a file", path);
  }
  if (target.in_place) {
    HORUS_TRY(Descriptor opened, open_in_place(path));
    HORUS_TRY(Descriptor descriptor, away_from_standard_streams(std::move(opened), path));
    return OutputFile{std::move(descriptor), path, path, {}};
  }
  if (target.exists && ::access(target.path.c_str(), W_OK) != 0) {
    return fail(Errc::Unavailable, "cannot replace: " + describe_errno(errno), path);
  }
  // A name of its own, not the target's and more: that could be too long.
  std::string temporary =
      (std::filesystem::path{target.path}.parent_path() / ".horus-XXXXXX").string();
  Descriptor made{::mkostemp(temporary.data(), O_CLOEXEC)};
  if (made.number() < 0) {
    return fail(Errc::Unavailable, "cannot create: " + describe_errno(errno), path);
  }
  ::fchmod(made.number(), target.exists ? target.mode : default_mode());
  auto descriptor = away_from_standard_streams(std::move(made), path);
  if (!descriptor) {
    ::unlink(temporary.c_str());
    return tl::make_unexpected(descriptor.error());
  }
  return OutputFile{std::move(*descriptor), path, target.path, std::move(temporary)};
}

Result<Done> OutputFile::append(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) return flush();
  return Done{};
}

Result<Done> OutputFile::flush() {
  auto written = write_all(descriptor_.number(), buffer_, path_);
  buffer_.clear();
  return written;
}

Result<Done> OutputFile::commit() {
  HORUS_TRY_DONE(flush());
  if (temporary_.empty()) return Done{};
  if (::fsync(descriptor_.number()) != 0 || ::rename(temporary_.c_str(), target_.c_str()) != 0) {
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
