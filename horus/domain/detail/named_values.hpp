// SPDX-License-Identifier: Apache-2.0
#pragma once
// Enumerators and the words that users write for them, as one table for both directions.

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "horus/base/result.hpp"
#include "horus/base/text.hpp"

namespace horus::detail {

template <class Enum>
using Names = std::span<const std::pair<Enum, std::string_view>>;

template <class Enum>
[[nodiscard]] std::string_view lookup(Names<Enum> names, Enum value) {
  for (const auto& [key, name] : names) {
    if (key == value) return name;
  }
  return "unknown";
}

/// The words, in the order of the table.
template <class Enum>
[[nodiscard]] std::vector<std::string> words(Names<Enum> names) {
  std::vector<std::string> all;
  for (const auto& [key, name] : names) all.emplace_back(name);
  return all;
}

/// The enumerator that `text` names, letter case ignored. Error InvalidArgument: an unknown `what`,
/// with the known ones.
template <class Enum>
[[nodiscard]] Result<Enum> parse(Names<Enum> names, std::string_view what, std::string_view text) {
  for (const auto& [key, name] : names) {
    if (name == to_lower(text)) return key;
  }
  return fail(Errc::InvalidArgument, fmt::format("unknown {} '{}': expected one of {}", what,
                                                 printable(text), fmt::join(words(names), ", ")));
}

}  // namespace horus::detail
