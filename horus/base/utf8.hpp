// SPDX-License-Identifier: Apache-2.0
#pragma once
// UTF-8 in foreign bytes.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace horus {

struct Utf8Character {
  std::size_t length{};  ///< Bytes, 1 to 4; 0: none.
  std::uint32_t code{};  ///< Its number in Unicode.
};

/// The character at the front of `text`, which is not empty. None where the bytes are no UTF-8
/// (Unicode 15.0, table 3-7): cut short, spelled longer than needed, half of a UTF-16 pair, or
/// beyond Unicode.
[[nodiscard]] Utf8Character front_character(std::string_view text);

}  // namespace horus
