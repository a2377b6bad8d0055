// SPDX-License-Identifier: Apache-2.0
#include "horus/base/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace horus {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replace});
    }
  }
  return row[b.size()];
}

/// Bytes of a UTF-8 sequence by its first byte; 0 for a byte that begins none.
std::size_t sequence_length(unsigned first) {
  if (first < 0x80U) return 1;
  if (first >= 0xc2U && first < 0xe0U) return 2;
  if (first >= 0xe0U && first < 0xf0U) return 3;
  if (first >= 0xf0U && first < 0xf5U) return 4;
  return 0;
}

/// What a terminal obeys instead of showing it: C0 and C1 controls, and the marks that turn the
/// direction of writing around (Unicode 15.0, 2.12 and 23.1).
bool is_obeyed(std::uint32_t code) {
  return code < 0x20U || (code >= 0x7fU && code < 0xa0U) || (code >= 0x202aU && code <= 0x202eU) ||
         (code >= 0x2066U && code <= 0x2069U);
}

/// Bytes of the character at the front of `text`; 0 where it is obeyed or no UTF-8.
std::size_t harmless_prefix(std::string_view text) {
  const auto byte_at = [text](std::size_t i) {
    return static_cast<unsigned>(static_cast<unsigned char>(text[i]));
  };
  const std::size_t length = sequence_length(byte_at(0));
  if (length == 0 || length > text.size()) return 0;
  std::uint32_t code = length == 1 ? byte_at(0) : byte_at(0) & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(i) & 0xc0U) != 0x80U) return 0;
    code = code << 6U | (byte_at(i) & 0x3fU);
  }
  return is_obeyed(code) ? 0 : length;
}

}  // namespace

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::optional<double> parse_number(std::string_view text) {
  text = trim(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  text = trim(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string to_lower(std::string_view text) {
  std::string lower{text};
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> candidates) {
  // A name longer than any of ours is not a typing mistake; the limit keeps the cost bounded.
  constexpr std::size_t kLongestName = 100;
  if (name.size() > kLongestName) return std::nullopt;
  const std::string wanted = to_lower(name);
  std::optional<std::string> nearest;
  std::size_t best = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t longer = std::max(name.size(), candidate.size());
    const std::size_t allowed = std::max<std::size_t>(1, longer / 3);
    // The lengths alone differ by more: a foreign header or table may offer megabytes of these.
    if (longer - std::min(name.size(), candidate.size()) > allowed) continue;
    const std::size_t distance = edit_distance(wanted, to_lower(candidate));
    if (distance <= allowed && (!nearest || distance < best)) {
      nearest = candidate;
      best = distance;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const auto nearest = nearest_name(name, candidates);
  return nearest ? fmt::format(" Did you mean '{}'?", *nearest) : std::string{};
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  for (const char c : text) {
    if (out.size() >= limit) return out + "...";
    if (c >= 0x20 && c < 0x7f) {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

std::string without_controls(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = harmless_prefix(text);
    if (length == 0) {
      const auto byte = static_cast<unsigned>(static_cast<unsigned char>(text.front()));
      out += fmt::format("\\x{:02x}", byte);
      text.remove_prefix(1);
    } else {
      out += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return out;
}

}  // namespace horus
