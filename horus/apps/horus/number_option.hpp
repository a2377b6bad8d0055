// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers on the command line: finite, in decimal, and within bounds.

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

}  // namespace horus::apps
