// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reading and writing file descriptors, and what the operating system says when it does not work.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "horus/base/result.hpp"

namespace horus::os {

inline constexpr int kStandardOutput = 1;
inline constexpr int kStandardError = 2;

/// The system's text for `error_number`, e.g. "No space left on device".
[[nodiscard]] std::string describe_errno(int error_number);

/// A file descriptor that is closed with its owner. -1: none.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_{number} {}
  Descriptor(Descriptor&& other) noexcept : number_{other.release()} {}
  Descriptor& operator=(Descriptor&&) = delete;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();

  [[nodiscard]] int number() const { return number_; }
  /// Hands the number to the caller, who closes it.
  [[nodiscard]] int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

/// Writes all of `text`, going on after interruptions, partial writes and full pipes that do not
/// block. `where` names the target. A limit on the size of files is an error as a full disk is,
/// not the end of the process: the first call sets SIGXFSZ to be ignored.
[[nodiscard]] Result<Done> write_all(int descriptor, std::string_view text, std::string_view where);

/// Appends to `text` what is read until the end, going on after interruptions. Stops earlier, with
/// `text` longer than `limit` bytes, where there is more. `where` names the source. Errors:
/// Unavailable.
[[nodiscard]] Result<Done> read_all(int descriptor, std::string& text, std::size_t limit,
                                    std::string_view where);

}  // namespace horus::os
