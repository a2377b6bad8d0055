// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers on the command line: finite, in decimal, and within bounds.

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "horus/base/text.hpp"

namespace horus::apps {

/// Accepts what parse_number() reads and `low` <= number <= `high`; CLI::Range lets NaN through.
[[nodiscard]] inline CLI::Validator number_between(double low, double high) {
  const auto check = [low, high](std::string& text) {
    const auto number = parse_number(text);
    if (number && *number >= low && *number <= high) return std::string{};
    return fmt::format("found '{}', expected a number from {:g} to {:g}", printable(text), low,
                       high);
  };
  return CLI::Validator{check, fmt::format("{:g} to {:g}", low, high)};
}

/// Accepts decimal integers, `low` <= number <= `high`, and hands them on in plain form: CLI11
/// itself reads "010" as octal, "" as 0 and what does not fit as the largest number.
[[nodiscard]] inline CLI::Validator integer_between(std::int64_t low, std::int64_t high) {
  const auto check = [low, high](std::string& text) {
    const auto number = parse_integer(text);
    if (!number || *number < low || *number > high) {
      return fmt::format("found '{}', expected a whole number from {} to {}", printable(text), low,
                         high);
    }
    text = fmt::format("{}", *number);
    return std::string{};
  };
  return CLI::Validator{check, fmt::format("{} to {}", low, high)};
}

}  // namespace horus::apps
