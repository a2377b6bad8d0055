// SPDX-License-Identifier: Apache-2.0
#pragma once
// A text file that was compiled in by tools/embed_text.py.

#include <span>
#include <string_view>

namespace horus {

struct EmbeddedText {
  std::string_view name;  ///< Of the file, without its folder.
  std::string_view text;
};

}  // namespace horus
