// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compressed data sets that tests read where they are there.

#include <array>
#include <cstdio>
#include <fstream>
#include <string>

namespace horus {

/// The text of the .gz file at `path`, or "" where the file or the program gzip is missing. `path`
/// has no quotation mark.
inline std::string unpacked_text(const std::string& path) {
  if (!std::ifstream{path}) return {};
  std::FILE* const pipe = popen(("gzip -dc '" + path + "'").c_str(), "r");
  if (pipe == nullptr) return {};
  std::string text;
  std::array<char, 65536> block{};
  while (const std::size_t size = std::fread(block.data(), 1, block.size(), pipe)) {
    text.append(block.data(), size);
  }
  pclose(pipe);
  return text;
}

}  // namespace horus
