// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "horus/os/descriptor.hpp"
#include "horus/os/file.hpp"

namespace horus::os {
namespace {

/// Closes what it was given; the mapping outlives the descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_{number} {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
  // O_NONBLOCK: opening a pipe without a writer must not hang; it has no effect on regular files.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number() < 0) {
    return fail(Errc::Unavailable, "cannot open: " + describe_errno(errno), path);
  }
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) {
    return fail(Errc::Unavailable, "cannot inspect: " + describe_errno(errno), path);
  }
  if (!S_ISREG(status.st_mode)) {
    const char* what = S_ISDIR(status.st_mode) ? "is a directory" : "is not a regular file";
    return fail(Errc::InvalidArgument, std::string{what} + "; expected a file", path);
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return MappedFile{nullptr, 0};
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (address == MAP_FAILED) {
    return fail(Errc::Unavailable, "cannot map: " + describe_errno(errno), path);
  }
  return MappedFile{static_cast<const std::byte*>(address), size};
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_{std::exchange(other.data_, nullptr)}, size_{std::exchange(other.size_, 0)} {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  // munmap takes a non-const address although it changes no byte of the file.
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);  // NOLINT
}

}  // namespace horus::os
