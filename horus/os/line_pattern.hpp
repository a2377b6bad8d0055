// SPDX-License-Identifier: Apache-2.0
#pragma once
// Extended regular expressions of POSIX, on single lines. The C library's engine, because the one
// of C++ recurses once for each letter.

#include <memory>
#include <optional>
#include <string>

#include "horus/base/result.hpp"

namespace horus::os {

struct LineMatch {
  /// What the first group (...) matched; absent where the pattern has none or it took no part.
  std::optional<std::string> group;
  bool has_group{};  ///< The pattern has one.
};

class LinePattern {
 public:
  /// Errors: InvalidArgument, with the library's words for what is wrong.
  [[nodiscard]] static Result<LinePattern> compile(const std::string& pattern);

  /// Nothing where no part of `line` matches. A line ends at its first null byte. Cost: up to the
  /// square of its length where there is a group.
  [[nodiscard]] std::optional<LineMatch> match(const std::string& line) const;

  LinePattern(LinePattern&&) noexcept;
  LinePattern& operator=(LinePattern&&) = delete;
  LinePattern(const LinePattern&) = delete;
  LinePattern& operator=(const LinePattern&) = delete;
  ~LinePattern();

 private:
  struct Compiled;
  explicit LinePattern(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace horus::os
