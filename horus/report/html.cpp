// SPDX-License-Identifier: Apache-2.0
// Documents as HTML.
#include <array>

#include <fmt/format.h>

#include "horus/base/text.hpp"
#include "horus/report/document.hpp"
#include "horus/report/markup.hpp"

namespace horus::report {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --ink: #1c1e21; --faint: #667; --rule: #d8dade; --paper: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e6ea; --faint: #9aa; --rule: #383c44; --paper: #16181d; } }
body { font: 15px/1.5 "Helvetica Neue", Helvetica, Arial, sans-serif; color: var(--ink);
  background: var(--paper); max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 2rem 0 0; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
svg { width: 100%; height: auto; margin-top: 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .8rem .2rem 0; text-align: right; vertical-align: top; }
th { border-bottom: 1px solid var(--rule); font-weight: 600; }
.left { text-align: left; }
.name { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .9em;
  overflow-wrap: anywhere; }
p { margin: .2rem 0; } p.summary { color: var(--faint); }
.good { color: #00785a; } .warn { color: #a35200; } .bad { color: #b3261e; }
@media (prefers-color-scheme: dark) {
  .good { color: #3fc79a; } .warn { color: #f0a04b; } .bad { color: #ff8a80; } }
)";

std::string_view class_of(Tone tone) {
  constexpr std::array<std::string_view, 6> kClasses{"", "strong", "faint", "good", "warn", "bad"};
  return kClasses[static_cast<std::size_t>(tone)];
}

std::string html_cell(std::string_view element, const Column& column, const Cell& cell) {
  const std::string classes = fmt::format(
      "{} {} {}", column.align == Align::Left ? "left" : "",
      column.wording == Wording::Name && element == "td" ? "name" : "", class_of(cell.tone));
  const std::string_view used = trim(classes);
  const std::string attribute = used.empty() ? "" : fmt::format(" class=\"{}\"", used);
  return fmt::format("<{}{}>{}</{}>", element, attribute, markup_text(cell.text), element);
}

std::string html_table(const Table& table) {
  std::string out = "<table>\n<thead><tr>";
  for (const Column& column : table.columns) out += html_cell("th", column, {.text = column.title});
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      out += html_cell("td", table.columns[i], i < row.size() ? row[i] : Cell{});
    }
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>\n";
}

std::string html_lines(const std::vector<Line>& lines) {
  std::string out;
  for (const Line& line : lines) {
    out += fmt::format("<p><span class=\"{}\">{}</span>{}</p>\n", class_of(line.tone),
                       markup_text(line.label), markup_text(line.text));
  }
  return out;
}

}  // namespace

std::string html_head(std::string_view title) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n",
      markup_text(title), kStyle);
}

std::string html_body(const Document& document, std::string_view picture) {
  std::string out = fmt::format("<h1>{}</h1>\n<p class=\"summary\">{}</p>\n",
                                markup_text(document.title), markup_text(document.summary));
  out += html_lines(document.lines);
  out += picture;
  for (const Section& section : document.sections) {
    if (!section.heading.empty()) out += "<h2>" + markup_text(section.heading) + "</h2>\n";
    if (section.table) out += html_table(*section.table);
    out += html_lines(section.lines);
  }
  return out;
}

std::string html_foot() { return "</body>\n</html>\n"; }

}  // namespace horus::report
