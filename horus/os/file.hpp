// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files: mapped for reading, unpacked when gzipped, replaced as a whole when written.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "horus/base/result.hpp"
#include "horus/os/descriptor.hpp"

namespace horus::os {

/// A regular file mapped read-only for as long as the object lives. Pages are read on first touch.
/// Another process that truncates the file meanwhile ends this one with SIGBUS, as for every
/// mapping.
class MappedFile {
 public:
  /// Errors: Unavailable (missing, no permission), InvalidArgument (a directory, a device, a pipe).
  [[nodiscard]] static Result<MappedFile> open(const std::string& path);

  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

 private:
  MappedFile(const std::byte* data, std::size_t size) : data_{data}, size_{size} {}

  const std::byte* data_{};
  std::size_t size_{};
};

/// More text than this is no trace or table but a mistake.
inline constexpr std::size_t kMaxTextBytes = std::size_t{1} << 30U;

/// The whole of a text file, unpacked when it starts with the gzip magic, whatever its name. What
/// others do to the file meanwhile changes what is read, and ends nothing.
/// Errors: as MappedFile::open; Corrupt for a damaged or truncated gzip stream; Unsupported beyond
/// `limit` bytes of text, and for a gzip bomb: more than 64 MiB from less than a hundredth of it.
[[nodiscard]] Result<std::string> read_text(const std::string& path,
                                            std::size_t limit = kMaxTextBytes);

/// A file that appears under its name only when it is complete: written beside it, flushed to disk
/// and renamed by commit(). Without commit() nothing is left behind, unless the process is killed:
/// then a file named .horus-XXXXXX. A file that is replaced keeps its mode, and a symbolic link to
/// it stays a link. Devices, pipes and names of open descriptors (/dev/stdout) are written in
/// place. Not thread-safe.
class OutputFile {
 public:
  /// Errors: Unavailable (no permission, no folder, a pipe that nobody reads), InvalidArgument (a
  /// directory).
  [[nodiscard]] static Result<OutputFile> create(const std::string& path);

  /// Buffers; an error (disk full) is reported here or by commit().
  [[nodiscard]] Result<Done> append(std::string_view text);
  [[nodiscard]] Result<Done> commit();

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

 private:
  OutputFile(Descriptor descriptor, std::string path, std::string target, std::string temporary);
  [[nodiscard]] Result<Done> flush();

  Descriptor descriptor_;
  std::string path_;       ///< As the caller calls it.
  std::string target_;     ///< Where it ends up, behind symbolic links.
  std::string temporary_;  ///< Empty when written in place.
  std::string buffer_;
};

/// create, append, commit in one call.
[[nodiscard]] Result<Done> write_file(const std::string& path, std::string_view content);

}  // namespace horus::os
