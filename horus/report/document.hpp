// SPDX-License-Identifier: Apache-2.0
#pragma once
// A report as a person reads it, before it is known where: sections of tables and lines. Spelled
// for a terminal, as Markdown or as HTML.
// Every text may come from a foreign file. The spellings defuse it; who builds a document need not.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "horus/report/table.hpp"

namespace horus::report {

/// One line: a label in a tone, then plain text.
struct Line {
  std::string label;
  Tone tone{Tone::Plain};
  std::string text;
};

struct Section {
  /// For Markdown and HTML; on a terminal the first title of the table serves.
  std::string heading;
  std::optional<Table> table;
  std::vector<Line> lines;  ///< Below the table.
};

struct Document {
  std::string title;
  std::string summary;
  std::vector<Line> lines;  ///< Directly below the title.
  std::vector<Section> sections;
};

/// For a terminal.
[[nodiscard]] std::string page(const Document& document, Colour colour);

/// For pull requests: CommonMark with the tables of GitHub. What could be markup, a mention or a
/// link is spelled as code.
[[nodiscard]] std::string markdown(const Document& document);

/// The body of one document, with `picture` (an SVG element, may be empty) below its summary.
[[nodiscard]] std::string html_body(const Document& document, std::string_view picture);
/// What stands around the bodies of a page that needs nothing from elsewhere and runs no script.
[[nodiscard]] std::string html_head(std::string_view title);
[[nodiscard]] std::string html_foot();

}  // namespace horus::report
