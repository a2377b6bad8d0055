// SPDX-License-Identifier: Apache-2.0
#include "horus/base/utf8.hpp"

namespace horus {
namespace {

/// Bytes of a sequence by its first byte; 0 for a byte that begins none.
std::size_t sequence_length(unsigned first) {
  if (first < 0x80U) return 1;
  if (first >= 0xc2U && first < 0xe0U) return 2;
  if (first >= 0xe0U && first < 0xf0U) return 3;
  if (first >= 0xf0U && first < 0xf5U) return 4;
  return 0;
}

/// True for a character that is spelled with `length` bytes. Two bytes are never too many: no
/// sequence begins with 0xc0 or 0xc1.
bool needs_length(std::uint32_t code, std::size_t length) {
  const bool is_surrogate = code >= 0xd800U && code <= 0xdfffU;
  if (length == 3) return code >= 0x800U && !is_surrogate;
  return length != 4 || (code >= 0x10000U && code <= 0x10ffffU);
}

}  // namespace

Utf8Character front_character(std::string_view text) {
  const auto byte_at = [text](std::size_t i) {
    return static_cast<unsigned>(static_cast<unsigned char>(text[i]));
  };
  const std::size_t length = sequence_length(byte_at(0));
  if (length == 0 || length > text.size()) return {};
  std::uint32_t code = length == 1 ? byte_at(0) : byte_at(0) & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(i) & 0xc0U) != 0x80U) return {};
    code = code << 6U | (byte_at(i) & 0x3fU);
  }
  return needs_length(code, length) ? Utf8Character{length, code} : Utf8Character{};
}

}  // namespace horus
