// SPDX-License-Identifier: Apache-2.0
#include "horus/report/markup.hpp"

#include "horus/base/text.hpp"

namespace horus::report {

namespace {

/// U+FFFE and U+FFFF are well-formed UTF-8 and still no characters of XML.
std::string without_noncharacters(std::string text) {
  for (const char* last : {"be", "bf"}) {
    const std::string bytes = last[1] == 'e' ? "\xef\xbf\xbe" : "\xef\xbf\xbf";
    for (auto at = text.find(bytes); at != std::string::npos; at = text.find(bytes, at)) {
      text.replace(at, bytes.size(), std::string{"\\xef\\xbf\\x"} + last);
    }
  }
  return text;
}

}  // namespace

std::string markup_text(std::string_view text) {
  std::string out;
  for (const char c : without_noncharacters(without_controls(text))) {
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
