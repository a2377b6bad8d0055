// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <utility>

#include <sys/mman.h>

#include "horus/os/descriptor.hpp"
#include "horus/os/file.hpp"
#include "horus/os/regular_file.hpp"

namespace horus::os {

Result<MappedFile> MappedFile::open(const std::string& path) {
  HORUS_TRY(const RegularFile file, open_regular(path));
  if (file.size == 0) return MappedFile{nullptr, 0};
  void* address = ::mmap(nullptr, file.size, PROT_READ, MAP_PRIVATE, file.descriptor.number(), 0);
  if (address == MAP_FAILED) {
    return fail(Errc::Unavailable, "cannot map: " + describe_errno(errno), path);
  }
  return MappedFile{static_cast<const std::byte*>(address), file.size};
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
