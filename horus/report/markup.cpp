// SPDX-License-Identifier: Apache-2.0
#include "horus/report/markup.hpp"

#include "horus/base/text.hpp"

namespace horus::report {

std::string markup_text(std::string_view text) {
  std::string out;
  for (const char c : without_controls(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace horus::report
