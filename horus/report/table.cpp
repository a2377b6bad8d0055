// SPDX-License-Identifier: Apache-2.0
#include "horus/report/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "horus/base/text.hpp"

namespace horus::report {
namespace {

/// UTF-8 continuation bytes begin no character and take no column.
bool begins_character(char c) { return (static_cast<unsigned>(c) & 0xc0U) != 0x80U; }

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

/// Where the character with the number `letter`, from 0, begins; the end of `text` beyond the last.
std::size_t place_of(std::string_view text, std::size_t letter) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (begins_character(text[i]) && letter-- == 0) return i;
  }
  return text.size();
}

std::string padded(std::string_view text, std::size_t width, Align align) {
  const std::size_t used = width_of(text);
  const std::string blanks(width > used ? width - used : 0, ' ');
  return align == Align::Left ? std::string{text} + blanks : blanks + std::string{text};
}

std::vector<std::size_t> widths_of(const Table& table) {
  std::vector<std::size_t> widths;
  for (const Column& column : table.columns) {
    widths.push_back(width_of(without_controls(column.title)));
  }
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < std::min(row.size(), widths.size()); ++i) {
      widths[i] = std::max(widths[i], width_of(without_controls(row[i].text)));
    }
  }
  return widths;
}

void append_line(std::string& out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + '\n';
}

}  // namespace

Cell yes_or_no(bool is_good) {
  return {.text = is_good ? "yes" : "no", .tone = is_good ? Tone::Good : Tone::Bad};
}

std::string toned(std::string_view text, Tone tone, Colour colour) {
  constexpr std::array<std::string_view, 6> kCodes{"",         "\x1b[1m",  "\x1b[2m",
                                                   "\x1b[32m", "\x1b[33m", "\x1b[31m"};
  const std::string_view code = kCodes[static_cast<std::size_t>(tone)];
  if (colour == Colour::Off || code.empty()) return std::string{text};
  return fmt::format("{}{}\x1b[0m", code, text);
}

std::string render(const Table& table, Colour colour) {
  const std::vector<std::size_t> widths = widths_of(table);
  const auto line = [&](auto&& cell_at, Tone fallback) {
    std::string text;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const Cell cell = cell_at(i);
      const Tone tone = cell.tone == Tone::Plain ? fallback : cell.tone;
      if (i > 0) text += "  ";
      const std::string shown = without_controls(cell.text);
      text += toned(padded(shown, widths[i], table.columns[i].align), tone, colour);
    }
    return text;
  };
  std::string out;
  append_line(
      out, line([&](std::size_t i) { return Cell{.text = table.columns[i].title}; }, Tone::Bold));
  std::size_t total = 0;
  for (const std::size_t width : widths) total += width + 2;
  append_line(out, toned(std::string(total > 2 ? total - 2 : 0, '-'), Tone::Faint, colour));
  for (const auto& row : table.rows) {
    append_line(out,
                line([&](std::size_t i) { return i < row.size() ? row[i] : Cell{}; }, Tone::Plain));
  }
  return out;
}

std::string with_commas(double count) {
  std::string digits = fmt::format("{:.0f}", count);
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", with_commas(static_cast<double>(count)), noun,
                     count == 1 ? "" : "s");
}

std::string with_prefix(double count) {
  constexpr std::array<std::string_view, 7> kPrefixes{"", " k", " M", " G", " T", " P", " E"};
  std::size_t step = 0;
  // 999.5 would be rounded to "1000": the next prefix takes over just before.
  while (std::abs(count) >= 999.5 && step + 1 < kPrefixes.size()) {
    count /= 1000.0;
    ++step;
  }
  if (step == 0) return fmt::format("{:.0f}", count);
  const int decimals = std::abs(count) < 9.995 ? 2 : (std::abs(count) < 99.95 ? 1 : 0);
  return fmt::format("{:.{}f}{}", count, decimals, kPrefixes[step]);
}

std::string memory_text(Bytes bytes) {
  constexpr std::array<std::string_view, 6> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = as_double(bytes);
  std::size_t unit = 0;
  while (std::abs(value) >= 1023.95 && unit + 1 < kUnits.size()) {
    value /= 1024.0;
    ++unit;
  }
  if (unit == 0) return fmt::format("{:.0f} B", value);
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string time_text(double seconds) {
  const double magnitude = std::abs(seconds);
  if (magnitude < 1e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  if (magnitude < 1.0) return fmt::format("{:.1f} ms", seconds * 1e3);
  if (magnitude < 60.0) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  const std::int64_t minutes = (whole + 30) / 60;
  if (minutes < 48 * 60) return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
  const std::int64_t hours = (whole + 1800) / 3600;
  return fmt::format("{} d {:02} h", hours / 24, hours % 24);
}

std::string percent_text(double fraction) { return fmt::format("{:.1f} %", fraction * 100.0); }

std::string shortened(std::string_view text, std::size_t width) {
  constexpr std::string_view kGap = "...";
  const std::string shown = without_controls(text);
  const std::size_t letters = width_of(shown);
  if (letters <= width || width < kGap.size() + 2) return shown;
  const std::size_t kept = width - kGap.size();
  const std::size_t tail = kept / 2;
  return fmt::format("{}{}{}", shown.substr(0, place_of(shown, kept - tail)), kGap,
                     shown.substr(place_of(shown, letters - tail)));
}

std::string progress_bar(std::string_view label, double fraction, int width) {
  fraction = std::clamp(fraction, 0.0, 1.0);
  const std::string percent = fmt::format("{:3.0f} %", fraction * 100.0);
  const int room = width - static_cast<int>(label.size() + percent.size()) - 6;
  if (room < 5) return fmt::format("{}  {}", label, percent);
  const int done = static_cast<int>(fraction * room);
  return fmt::format("{}  [{}{}]  {}", label, std::string(static_cast<std::size_t>(done), '#'),
                     std::string(static_cast<std::size_t>(room - done), '.'), percent);
}

}  // namespace horus::report
