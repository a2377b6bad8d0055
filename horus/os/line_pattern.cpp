// SPDX-License-Identifier: Apache-2.0
#include "horus/os/line_pattern.hpp"

#include <array>
#include <utility>

#include <regex.h>

namespace horus::os {

struct LinePattern::Compiled {
  Compiled() = default;
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() {
    if (is_valid) ::regfree(&regex);
  }

  regex_t regex{};
  bool is_valid{};
};

LinePattern::LinePattern(std::unique_ptr<Compiled> compiled) : compiled_{std::move(compiled)} {}
LinePattern::LinePattern(LinePattern&&) noexcept = default;
LinePattern::~LinePattern() = default;

Result<LinePattern> LinePattern::compile(const std::string& pattern) {
  auto compiled = std::make_unique<Compiled>();
  const int code = ::regcomp(&compiled->regex, pattern.c_str(), REG_EXTENDED);
  compiled->is_valid = code == 0;
  if (compiled->is_valid) return LinePattern{std::move(compiled)};
  std::array<char, 256> words{};
  ::regerror(code, &compiled->regex, words.data(), words.size());
  return fail(Errc::InvalidArgument, std::string{"no extended regular expression: "} +
                                         words.data() + "; digits are [0-9], not \\d");
}

std::optional<LineMatch> LinePattern::match(const std::string& line) const {
  std::array<regmatch_t, 2> found{};
  if (::regexec(&compiled_->regex, line.c_str(), found.size(), found.data(), 0) != 0) {
    return std::nullopt;
  }
  LineMatch match{.group = std::nullopt, .has_group = compiled_->regex.re_nsub > 0};
  const auto [begin, end] = found[1];
  if (match.has_group && begin >= 0) {
    match.group =
        line.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  }
  return match;
}

}  // namespace horus::os
