// SPDX-License-Identifier: Apache-2.0
#include "horus/table/csv.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "horus/base/text.hpp"

namespace horus::table {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kBlanks = " \t\r";

/// Whether a cell ends at `at`. A carriage return is a line break only in front of a line feed or
/// the end of the text.
bool ends_cell(std::string_view text, std::size_t at) {
  if (at == text.size() || text[at] == ',' || text[at] == '\n') return true;
  return text[at] == '\r' && (at + 1 == text.size() || text[at + 1] == '\n');
}

}  // namespace

// --- Row --------------------------------------------------------------------------------------

std::string Row::where() const { return fmt::format("{}:{}", source_, line_); }

std::string_view Row::text(const Column& column) const { return trim(cells_[column.index]); }

Error Row::bad_cell(const Column& column, std::string_view expected) const {
  return Error{Errc::Corrupt,
               fmt::format("column '{}': found '{}', expected {}", printable(column.name),
                           printable(cells_[column.index]), expected),
               where()};
}

Result<double> Row::number(const Column& column, double min, double max) const {
  const auto value = parse_number(cells_[column.index]);
  if (value && *value >= min && *value <= max) return *value;
  return tl::make_unexpected(bad_cell(column, fmt::format("a number from {:g} to {:g}", min, max)));
}

Result<std::int64_t> Row::integer(const Column& column, std::int64_t min, std::int64_t max) const {
  const auto value = parse_integer(cells_[column.index]);
  if (value && *value >= min && *value <= max) return *value;
  return tl::make_unexpected(bad_cell(column, fmt::format("an integer from {} to {}", min, max)));
}

// --- Reader -----------------------------------------------------------------------------------

Reader::Reader(std::string_view text, std::string source, const Limits& limits)
    : text_{text}, source_{std::move(source)}, limits_{limits} {
  if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
}

Result<Reader> Reader::open(std::string_view text, std::string source, const Limits& limits) {
  Reader reader{text, std::move(source), limits};
  HORUS_TRY_DONE(reader.read_header());
  return reader;
}

Result<Done> Reader::read_header() {
  if (!skip_blank_lines()) {
    return fail(Errc::Corrupt, "found no header row, expected one with the names of the columns",
                source_);
  }
  HORUS_TRY_DONE(read_cells());
  for (const std::string_view cell : cells_) header_.emplace_back(trim(cell));
  std::vector<std::string_view> names(header_.begin(), header_.end());
  std::sort(names.begin(), names.end());
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (names[i].empty() || names[i] != names[i - 1]) continue;
    return bad_row(fmt::format("the column '{}' occurs twice", printable(names[i])));
  }
  return Done{};
}

std::optional<Column> Reader::find_column(std::string_view name) const {
  for (std::size_t i = 0; i < header_.size(); ++i) {
    if (header_[i] == name) return Column{i, header_[i]};
  }
  return std::nullopt;
}

Result<Column> Reader::column(std::string_view name) const {
  if (const auto found = find_column(name)) return *found;
  std::string names;
  for (const std::string& column : header_) {
    names += (names.empty() ? "" : ",") + printable(column, 40);
    if (names.size() > 200) break;
  }
  return fail(Errc::NotFound,
              fmt::format("found no column '{}' in the header '{}'.{}", name, printable(names, 240),
                          did_you_mean(name, header_)),
              fmt::format("{}:{}", source_, row_line_));
}

std::optional<Result<Row>> Reader::next() {
  if (!skip_blank_lines()) return std::nullopt;
  const std::size_t start = at_;
  if (++rows_ > limits_.rows_max) {
    at_ = text_.size();
    return fail(Errc::Unsupported, fmt::format("found more than {} rows", limits_.rows_max),
                fmt::format("{}:{}", source_, line_));
  }
  if (auto read = read_cells(); !read) {
    skip_line_from(start);
    return tl::make_unexpected(std::move(read).error());
  }
  if (cells_.size() != header_.size()) {
    return bad_row(
        fmt::format("found {} cells, expected {} as in the header", cells_.size(), header_.size()));
  }
  return Row{source_, row_line_, cells_};
}

/// Reads one row into cells_ and stands behind its line break.
Result<Done> Reader::read_cells() {
  cells_.clear();
  unquoted_used_ = 0;
  row_line_ = line_;
  const std::size_t end_max = std::min(text_.size(), at_ + limits_.row_bytes_max);
  const auto row_too_long = [&] { return at_ == end_max && end_max < text_.size(); };
  while (true) {
    const bool is_quoted = at_ < end_max && text_[at_] == '"';
    if (is_quoted) {
      HORUS_TRY(const std::string_view cell, read_quoted(end_max));
      cells_.push_back(cell);
    } else {
      cells_.push_back(read_plain(end_max));
    }
    if (row_too_long()) {
      return bad_row(fmt::format("the row is longer than {} bytes", limits_.row_bytes_max));
    }
    if (cells_.size() > limits_.columns_max) {
      return bad_row(fmt::format("found more than {} columns", limits_.columns_max));
    }
    if (at_ == text_.size()) return Done{};
    if (text_[at_] == '"') return bad_row("found a quote inside a cell that is not quoted");
    const char separator = text_[at_++];
    if (separator == ',') continue;
    if (separator == '\r' && at_ < text_.size() && text_[at_] == '\n') ++at_;
    ++line_;
    return Done{};
  }
}

/// Everything up to a separator, a quote or the limit.
std::string_view Reader::read_plain(std::size_t row_end_max) {
  const std::size_t start = at_;
  while (at_ < row_end_max && text_[at_] != '"' && !ends_cell(text_, at_)) ++at_;
  return text_.substr(start, at_ - start);
}

/// A quoted cell, without its quotes. Copies only where a doubled quote has to become a single one.
Result<std::string_view> Reader::read_quoted(std::size_t row_end_max) {
  const std::size_t start = ++at_;
  bool has_doubled_quotes = false;
  for (; at_ < row_end_max; ++at_) {
    if (text_[at_] == '\n') ++line_;
    if (text_[at_] != '"') continue;
    if (at_ + 1 == row_end_max || text_[at_ + 1] != '"') break;
    has_doubled_quotes = true;
    ++at_;
  }
  if (at_ >= row_end_max) {
    return bad_row(row_end_max < text_.size()
                       ? fmt::format("the row is longer than {} bytes, or a quote is not closed",
                                     limits_.row_bytes_max)
                       : std::string{"the quote is not closed before the end of the file"});
  }
  const std::string_view raw = text_.substr(start, at_ - start);
  ++at_;
  if (!ends_cell(text_, at_)) {
    return bad_row("found text behind a closing quote, expected a comma or the end of the line");
  }
  if (!has_doubled_quotes) return raw;
  if (unquoted_.size() < limits_.columns_max) unquoted_.resize(limits_.columns_max);
  if (unquoted_used_ == unquoted_.size()) {
    return bad_row(fmt::format("found more than {} columns", limits_.columns_max));
  }
  std::string& cell = unquoted_[unquoted_used_++];
  cell.clear();
  for (std::size_t i = 0; i < raw.size(); ++i) {
    cell += raw[i];
    if (raw[i] == '"') ++i;
  }
  return std::string_view{cell};
}

/// False at the end of the text.
bool Reader::skip_blank_lines() {
  while (at_ < text_.size()) {
    const std::size_t end = text_.find_first_not_of(kBlanks, at_);
    if (end == std::string_view::npos) {
      at_ = text_.size();
      break;
    }
    if (text_[end] != '\n') return true;
    at_ = end + 1;
    ++line_;
  }
  return false;
}

/// Stands behind the first line break after `start`: where reading goes on after a bad row.
void Reader::skip_line_from(std::size_t start) {
  const std::size_t end = text_.find('\n', start);
  at_ = end == std::string_view::npos ? text_.size() : end + 1;
  line_ = row_line_ + 1;
}

tl::unexpected<Error> Reader::bad_row(std::string message) const {
  return fail(Errc::Corrupt, std::move(message), fmt::format("{}:{}", source_, row_line_));
}

}  // namespace horus::table
