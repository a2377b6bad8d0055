// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tables, numbers and bars for people. Pure: what the terminal can do is a parameter.

#include <string>
#include <string_view>
#include <vector>

#include "horus/base/quantity.hpp"

namespace horus::report {

enum class Colour { Off, On };
enum class Align { Left, Right };
enum class Tone { Plain, Bold, Faint, Good, Warn, Bad };

/// Whether a column holds our words and numbers, or names that a file gave.
enum class Wording { Prose, Name };

struct Column {
  std::string title;
  Align align{Align::Right};
  Wording wording{Wording::Prose};  ///< Names are set as code where that can be told.
};

struct Cell {
  std::string text;
  Tone tone{Tone::Plain};
};

/// "yes" and "no", in the tones of good and bad news.
[[nodiscard]] Cell yes_or_no(bool is_good);

/// A table of text: columns as wide as their widest cell, two blanks apart, a rule below the
/// titles. Rows shorter than the columns are filled up. Control characters of foreign names are
/// shown, never sent.
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
};

[[nodiscard]] std::string render(const Table& table, Colour colour);

/// `text` in `tone`, or as it is without colour.
[[nodiscard]] std::string toned(std::string_view text, Tone tone, Colour colour);

/// "25,557,032".
[[nodiscard]] std::string with_commas(double count);

/// "1 node", "25,557 nodes": `noun` in the singular, its plural with an "s".
[[nodiscard]] std::string counted(std::size_t count, std::string_view noun);

/// Three significant digits with a decimal prefix: "25.6 M", "4.09 G", "999".
[[nodiscard]] std::string with_prefix(double count);

/// Binary units as memory is sold and reported: "512 B", "98.2 MiB", "15.9 GiB".
[[nodiscard]] std::string memory_text(Bytes bytes);

/// "2.1 ms", "43.0 s", "12 min 05 s", "3 h 20 min", "12 d 4 h".
[[nodiscard]] std::string time_text(double seconds);

/// "12.3 %".
[[nodiscard]] std::string percent_text(double fraction);

/// The name of a node or file as it is shown, cut to `width` characters, its middle replaced by
/// "...". What a terminal would obey counts as the \xNN that stands for it.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t width);

/// One line, no line end: "horus  [#####.....]  50 %". `fraction` is clamped to 0 to 1.
[[nodiscard]] std::string progress_bar(std::string_view label, double fraction, int width);

}  // namespace horus::report
