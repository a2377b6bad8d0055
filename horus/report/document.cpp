// SPDX-License-Identifier: Apache-2.0
#include "horus/report/document.hpp"

#include "horus/base/text.hpp"

namespace horus::report {
namespace {

std::string lines_text(const std::vector<Line>& lines, Colour colour) {
  std::string out;
  for (const Line& line : lines) {
    out += toned(without_controls(line.label), line.tone, colour) + without_controls(line.text);
    out += '\n';
  }
  return out;
}

}  // namespace

std::string page(const Document& document, Colour colour) {
  std::string out = toned(without_controls(document.title), Tone::Bold, colour);
  if (!document.summary.empty()) out += "  " + without_controls(document.summary);
  out += '\n';
  out += lines_text(document.lines, colour);
  for (const Section& section : document.sections) {
    out += '\n';
    if (section.table) out += render(*section.table, colour);
    out += lines_text(section.lines, colour);
  }
  return out;
}

}  // namespace horus::report
