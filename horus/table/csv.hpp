// SPDX-License-Identifier: Apache-2.0
#pragma once
// Comma-separated text (RFC 4180) as a stream of rows: nothing is copied that need not be, memory
// does not grow with the file, and every complaint names file, line and column.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"

namespace horus::table {

/// What foreign text may ask of us.
struct Limits {
  std::size_t columns_max{1024};
  std::size_t row_bytes_max{std::size_t{64} << 10U};  ///< Of one row, line breaks included.
  std::uint64_t rows_max{20'000'000};                 ///< Data rows of one file.
};

/// A column of the header: where it stands and how it is called.
struct Column {
  std::size_t index{};
  std::string_view name;
};

/// One data row. Valid until the reader reads the next one.
class Row {
 public:
  Row(std::string_view source, std::uint64_t line, std::span<const std::string_view> cells)
      : source_{source}, line_{line}, cells_{cells} {}

  /// Line of the file on which the row begins, counted from 1.
  [[nodiscard]] std::uint64_t line() const { return line_; }
  [[nodiscard]] std::span<const std::string_view> cells() const { return cells_; }
  /// "file:line".
  [[nodiscard]] std::string where() const;

  /// The cell without surrounding blanks; may be empty.
  [[nodiscard]] std::string_view text(const Column& column) const;
  /// A finite number in [min, max]. Error Corrupt: file:line, column, what was found and expected.
  [[nodiscard]] Result<double> number(const Column& column, double min, double max) const;
  /// An integer in [min, max]. Errors as number().
  [[nodiscard]] Result<std::int64_t> integer(const Column& column, std::int64_t min,
                                             std::int64_t max) const;
  /// The error of a cell that is not what it should be.
  [[nodiscard]] Error bad_cell(const Column& column, std::string_view expected) const;

 private:
  std::string_view source_;
  std::uint64_t line_;
  std::span<const std::string_view> cells_;
};

/// Reads CSV text row by row. The first row that is not blank is the header. Accepts a UTF-8 byte
/// order mark, LF and CRLF, quoted cells with doubled quotes and line breaks inside; skips blank
/// lines.
class Reader {
 public:
  /// Reads the header. `text` must outlive the reader; `source` names it in errors.
  /// Errors: no header, a header that breaks the limits, a column name that occurs twice.
  [[nodiscard]] static Result<Reader> open(std::string_view text, std::string source,
                                           const Limits& limits = {});

  [[nodiscard]] std::span<const std::string> header() const { return header_; }
  [[nodiscard]] const std::string& source() const { return source_; }

  /// The column called `name`. Error NotFound lists the columns and the nearest name.
  [[nodiscard]] Result<Column> column(std::string_view name) const;
  [[nodiscard]] std::optional<Column> find_column(std::string_view name) const;

  /// The next row, an error, or nothing at the end. After Corrupt (one bad row: ragged, too long,
  /// a stray quote) reading goes on with the next line; Unsupported (too many rows) is the end.
  [[nodiscard]] std::optional<Result<Row>> next();

 private:
  Reader(std::string_view text, std::string source, const Limits& limits);

  [[nodiscard]] Result<Done> read_header();
  [[nodiscard]] Result<Done> read_cells();
  [[nodiscard]] Result<std::string_view> read_quoted(std::size_t row_end_max);
  [[nodiscard]] std::string_view read_plain(std::size_t row_end_max);
  [[nodiscard]] bool skip_blank_lines();
  void skip_line_from(std::size_t start);
  [[nodiscard]] tl::unexpected<Error> bad_row(std::string message) const;

  std::string_view text_;
  std::string source_;
  Limits limits_;
  std::vector<std::string> header_;
  std::vector<std::string_view> cells_;
  std::vector<std::string> unquoted_;  ///< Cells with doubled quotes, rewritten. One per column.
  std::size_t unquoted_used_{};
  std::size_t at_{};           ///< Next byte to read.
  std::uint64_t line_{1};      ///< Line of `at_`.
  std::uint64_t row_line_{1};  ///< Line on which the row in hand began.
  std::uint64_t rows_{};
};

}  // namespace horus::table
