// SPDX-License-Identifier: Apache-2.0
#pragma once
// In which form a command prints: --format, and --json as its short form.

#include <string>
#include <vector>

#include "horus/base/result.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace horus::apps {

enum class Format { Page, Json, Markdown, Csv, Html };

/// The words of --format: "page", "json", "md", "csv", "html".
[[nodiscard]] std::vector<std::string> format_names();

class FormatOptions {
 public:
  void declare(CLI::App& app);

  /// True where the command line asks for a form.
  [[nodiscard]] bool is_given() const { return json_ || !word_.empty(); }
  /// Errors: InvalidArgument for an unknown word, or --json with another one.
  [[nodiscard]] Result<Format> format() const;

 private:
  std::string word_;
  bool json_{false};
};

}  // namespace horus::apps
