// SPDX-License-Identifier: Apache-2.0
#pragma once
// The name of a file's content: SHA-256 (FIPS 180-4).

#include <cstddef>
#include <span>
#include <string>

namespace horus {

/// 64 hexadecimal digits, as sha256sum prints them.
[[nodiscard]] std::string sha256_hex(std::span<const std::byte> bytes);

}  // namespace horus
