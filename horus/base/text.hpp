// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text at the edge: strict numbers, splitting, and the nearest name for a typing mistake.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace horus {

/// A finite number that fills the whole of `text` (surrounding blanks allowed), or nothing:
/// "nan", "inf", "1e999", "0x10", "12 kg" and "" are not numbers here.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

/// An integer that fills the whole of `text` (surrounding blanks allowed) and fits, or nothing.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);

[[nodiscard]] std::string_view trim(std::string_view text);

/// The parts of `text` between separators; empty parts are kept, "" gives one empty part.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

[[nodiscard]] std::string to_lower(std::string_view text);

/// The candidate with the smallest edit distance to `name` (letter case ignored), if it is near
/// enough to be a typing mistake (at most a third of the longer length, and at least one).
/// Ties go to the earlier candidate. Cost: O(|name| x total length of candidates).
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view name,
                                                      std::span<const std::string> candidates);

/// " Did you mean 'X'?" for the nearest candidate, or "".
[[nodiscard]] std::string did_you_mean(std::string_view name,
                                       std::span<const std::string> candidates);

/// `text` as without_controls() shows it, cut to `limit` characters of it with "...": what a
/// foreign file said, safe to print on a terminal.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 80);

/// `text` with control characters, characters that nobody sees (marks of direction, zero widths,
/// tags) and bytes that are no UTF-8 shown as \xNN, and everything else as it is: for names of
/// foreign files on their way to a terminal.
[[nodiscard]] std::string without_controls(std::string_view text);

}  // namespace horus
