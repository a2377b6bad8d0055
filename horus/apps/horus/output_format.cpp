// SPDX-License-Identifier: Apache-2.0
#include "horus/apps/horus/output_format.hpp"

#include <array>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "horus/base/text.hpp"

namespace horus::apps {
namespace {

struct NamedFormat {
  std::string_view name;
  Format format;
};
constexpr auto kFormats = std::to_array<NamedFormat>({{"page", Format::Page},
                                                      {"json", Format::Json},
                                                      {"md", Format::Markdown},
                                                      {"csv", Format::Csv},
                                                      {"html", Format::Html}});

}  // namespace

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const NamedFormat& entry : kFormats) names.emplace_back(entry.name);
  return names;
}

void FormatOptions::declare(CLI::App& app) {
  app.add_option(
      "--format", word_,
      fmt::format("Form of the output: {} (default: page)", fmt::join(format_names(), ", ")));
  app.add_flag("--json", json_, "The same as --format json");
}

Result<Format> FormatOptions::format() const {
  if (word_.empty()) return json_ ? Format::Json : Format::Page;
  for (const NamedFormat& entry : kFormats) {
    if (entry.name != word_) continue;
    if (json_ && entry.format != Format::Json) {
      return fail(
          Errc::InvalidArgument,
          fmt::format("--json and --format {} contradict each other; leave one out", word_));
    }
    return entry.format;
  }
  return fail(Errc::InvalidArgument,
              fmt::format("unknown format '{}'.{} Expected one of {}", printable(word_),
                          did_you_mean(word_, format_names()), fmt::join(format_names(), ", ")),
              "--format");
}

}  // namespace horus::apps
