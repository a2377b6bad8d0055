// SPDX-License-Identifier: Apache-2.0
#include "horus/base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "horus/base/utf8.hpp"

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

/// A range of characters, both ends included.
struct CodeRange {
  std::uint32_t first;
  std::uint32_t last;
};

/// What is obeyed or not seen at all instead of being shown (Unicode 15.0, 2.12, 23.1 to 23.9).
constexpr auto kUnseen = std::to_array<CodeRange>({
    {0x0000, 0x001f},    // C0 controls
    {0x007f, 0x009f},    // delete and C1 controls
    {0x00ad, 0x00ad},    // soft hyphen
    {0x061c, 0x061c},    // Arabic letter mark
    {0x180e, 0x180e},    // Mongolian vowel separator
    {0x200b, 0x200f},    // zero width, left-to-right and right-to-left marks
    {0x2028, 0x202e},    // line and paragraph separators, embeddings and overrides of direction
    {0x2060, 0x206f},    // invisible operators, isolates of direction
    {0xfeff, 0xfeff},    // byte order mark
    {0xfff9, 0xfffb},    // interlinear annotation
    {0xfffe, 0xffff},    // no characters, and not allowed in XML
    {0xe0000, 0xe007f},  // tags
});

bool is_unseen(std::uint32_t code) {
  if (code >= 0x20U && code < 0x7fU) return false;  // Most text: no need to search.
  return std::ranges::any_of(
      kUnseen, [code](CodeRange range) { return code >= range.first && code <= range.last; });
}

/// Bytes of the character at the front of `text`; 0 where it is unseen or no UTF-8.
std::size_t harmless_prefix(std::string_view text) {
  const auto [length, code] = front_character(text);
  return is_unseen(code) ? 0 : length;
}

/// Moves the first character of `text`, which is not empty, to the end of `out`: as it is, or its
/// first byte as \xNN.
void show_front(std::string_view& text, std::string& out) {
  const std::size_t length = harmless_prefix(text);
  if (length == 0) {
    const auto byte = static_cast<unsigned>(static_cast<unsigned char>(text.front()));
    out += fmt::format("\\x{:02x}", byte);
  } else {
    out += text.substr(0, length);
  }
  text.remove_prefix(std::max<std::size_t>(length, 1));
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
  for (std::size_t letters = 0; !text.empty(); ++letters) {
    if (letters >= limit) return out + "...";
    show_front(text, out);
  }
  return out;
}

std::string without_controls(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) show_front(text, out);
  return out;
}

}  // namespace horus
