// SPDX-License-Identifier: Apache-2.0
#include "horus/apps/horus/inspect_printer.hpp"

#include "horus/report/depth_plot.hpp"
#include "horus/report/pages.hpp"
#include "horus/wire/csv_reports.hpp"

namespace horus::apps {
namespace {

constexpr const char* kPageTitle = "horus inspect";

}  // namespace

Result<Done> InspectPrinter::head() const {
  if (format_ == Format::Csv) return console_.print(wire::inspect_csv_header());
  if (format_ == Format::Html) return console_.print(report::html_head(kPageTitle));
  return Done{};
}

Result<Done> InspectPrinter::one(const wire::InspectReport& report, std::size_t place) const {
  const std::string gap = place > 0 ? "\n" : "";
  switch (format_) {
    case Format::Page:
      return console_.print(gap + report::page(report, console_.colour()));
    case Format::Json:
      return console_.print(models_ > 1 ? wire::to_json_line(report) : wire::to_json(report));
    case Format::Markdown:
      return console_.print(gap + report::markdown(report::document(report)));
    case Format::Csv:
      return console_.print(wire::csv_rows(report));
    case Format::Html:
      return console_.print(
          report::html_body(report::document(report), report::depth_plot(report)));
  }
  return Done{};
}

Result<Done> InspectPrinter::failed(const std::string& model, const Error& error) const {
  constexpr std::size_t kLongest = 2000;  // the rest of a long path helps nobody
  console_.note(report::shortened(error.text(), kLongest));
  if (format_ != Format::Json) return Done{};
  return console_.print(wire::to_json_line(model, error));
}

Result<Done> InspectPrinter::foot() const {
  return format_ == Format::Html ? console_.print(report::html_foot()) : Done{};
}

std::string spelled(const wire::InspectDiff& diff, Format format, report::Colour colour) {
  switch (format) {
    case Format::Page:
      return report::page(diff, colour);
    case Format::Json:
      return wire::to_json(diff);
    case Format::Markdown:
      return report::markdown(report::document(diff));
    case Format::Csv:
      return wire::to_csv(diff);
    case Format::Html:
      return report::html_head(kPageTitle) + report::html_body(report::document(diff), "") +
             report::html_foot();
  }
  return {};
}

}  // namespace horus::apps
