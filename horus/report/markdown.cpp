// SPDX-License-Identifier: Apache-2.0
// Documents as Markdown.
#include <algorithm>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/report/document.hpp"

namespace horus::report {
namespace {

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// True for text in which no renderer finds markup, a mention, a reference or a link.
bool is_prose(std::string_view text) {
  constexpr std::string_view kHarmless = " .,;:'\"()%+-=?";
  return text.find("www.") == std::string_view::npos && std::ranges::all_of(text, [&](char c) {
           return is_letter_or_digit(c) || kHarmless.find(c) != std::string_view::npos;
         });
}

/// Inside a pair of backticks nothing has a meaning but the backtick, and in tables the pipe and
/// the backslash before it. Text with one of these becomes an element, letter by letter.
std::string as_code(std::string_view text) {
  if (text.find_first_of("`|\\") == std::string_view::npos) return fmt::format("`{}`", text);
  std::string out = "<code>";
  for (const char c : text) {
    const bool is_plain = is_letter_or_digit(c) || static_cast<unsigned char>(c) >= 0x80U;
    out += is_plain ? std::string{c} : fmt::format("&#{};", static_cast<int>(c));
  }
  return out + "</code>";
}

std::string name_text(std::string_view text) {
  const std::string shown = without_controls(text);
  return shown.find_first_not_of(' ') == std::string::npos ? std::string{} : as_code(shown);
}

std::string markdown_text(std::string_view text, Wording wording) {
  if (wording == Wording::Name || !is_prose(text)) return name_text(text);
  return std::string{text};
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) out += " " + cell + " |";
  return out + "\n";
}

std::string markdown_table(const Table& table) {
  std::vector<std::string> titles;
  std::vector<std::string> rules;
  for (const Column& column : table.columns) {
    titles.push_back(markdown_text(column.title, Wording::Prose));
    rules.emplace_back(column.align == Align::Left ? ":---" : "---:");
  }
  std::string out = markdown_row(titles) + markdown_row(rules);
  for (const auto& row : table.rows) {
    std::vector<std::string> cells(table.columns.size());
    for (std::size_t i = 0; i < std::min(row.size(), cells.size()); ++i) {
      cells[i] = markdown_text(row[i].text, table.columns[i].wording);
    }
    out += markdown_row(cells);
  }
  return out;
}

std::string markdown_lines(const std::vector<Line>& lines) {
  std::string out;
  for (const Line& line : lines) {
    const std::string label = markdown_text(trim(line.label), Wording::Prose);
    const std::string text = markdown_text(trim(line.text), Wording::Prose);
    const bool is_strong = line.tone != Tone::Plain && !label.empty();
    out += "- " + (is_strong ? "**" + label + "**" : label);
    out += (label.empty() || text.empty() ? "" : " ") + text + "\n";
  }
  return out;
}

}  // namespace

std::string markdown(const Document& document) {
  std::string out = fmt::format("## {}\n\n{}\n", name_text(document.title),
                                markdown_text(document.summary, Wording::Prose));
  if (!document.lines.empty()) out += "\n" + markdown_lines(document.lines);
  for (const Section& section : document.sections) {
    if (!section.heading.empty()) out += "\n### " + section.heading + "\n";
    if (section.table) out += "\n" + markdown_table(*section.table);
    if (!section.lines.empty()) out += "\n" + markdown_lines(section.lines);
  }
  return out;
}

}  // namespace horus::report
