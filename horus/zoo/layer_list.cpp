// SPDX-License-Identifier: Apache-2.0
#include "horus/zoo/layer_list.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "horus/base/text.hpp"

namespace horus::zoo {
namespace {

constexpr std::size_t kKindBytesMax = 64;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Reads the text from left to right; blanks before each part are skipped.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_{text} {}

  /// Whether `c` comes next; it is then read.
  bool take(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }

  Result<Done> expect(char c) {
    if (take(c)) return Done{};
    return wrong(fmt::format("'{}'", c));
  }

  Result<Done> expect_end() {
    if (next() == '\0' && at_ == text_.size()) return Done{};
    return wrong("the end of the list");
  }

  /// A word in single quotes.
  Result<std::string> word() {
    HORUS_TRY_DONE(expect('\''));
    const std::string_view found = run_of(is_word);
    if (found.empty() || found.size() > kKindBytesMax) return wrong("the name of a layer");
    HORUS_TRY_DONE(expect('\''));
    return std::string{found};
  }

  Result<std::int64_t> number(std::int64_t min) {
    next();
    const std::size_t start = at_;
    const auto value = parse_integer(run_of(is_word));
    if (value && *value >= min && *value <= kListNumberMax) return *value;
    at_ = start;
    return wrong(fmt::format("a whole number from {} to {}", min, kListNumberMax));
  }

 private:
  /// The character after the blanks, 0 at the end.
  char next() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  std::string_view run_of(bool (*belongs)(char)) {
    const std::size_t start = at_;
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  [[nodiscard]] tl::unexpected<Error> wrong(const std::string& expected) const {
    const std::string found =
        at_ < text_.size() ? fmt::format("'{}'", printable(text_.substr(at_), 20)) : "the end";
    return fail(Errc::Corrupt,
                fmt::format("the layer list has {} where {} was expected", found, expected),
                fmt::format("character {}", at_ + 1));
  }

  std::string_view text_;
  std::size_t at_{0};
};

Result<ListedLayer> read_layer(Cursor& cursor) {
  ListedLayer layer;
  HORUS_TRY_DONE(cursor.expect('('));
  HORUS_TRY(layer.kind, cursor.word());
  HORUS_TRY_DONE(cursor.expect(','));
  HORUS_TRY(layer.outputs, cursor.number(1));
  HORUS_TRY_DONE(cursor.expect(','));
  HORUS_TRY(layer.parameters, cursor.number(0));
  HORUS_TRY_DONE(cursor.expect(')'));
  return layer;
}

/// The value after "KEY:" where the key stands at the front or after "_"; it ends at the next "_".
/// The first of several counts: "dropout:0.3_..._dropout:True" means the rate.
std::optional<std::string_view> field(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    const std::size_t end = at + key.size();
    const bool starts = at == 0 || text[at - 1] == '_';
    if (!starts || end >= text.size() || text[end] != ':') continue;
    const std::string_view value = text.substr(end + 1);
    return value.substr(0, value.find('_'));
  }
  return std::nullopt;
}

Result<std::int64_t> size_field(std::string_view text, const char* key, std::int64_t max) {
  const auto found = field(text, key);
  if (!found) {
    return fail(Errc::Corrupt, fmt::format("the run's name has no '{}:'", key), key);
  }
  const auto value = parse_integer(*found);
  if (value && *value >= 1 && *value <= max) return *value;
  return fail(Errc::Corrupt,
              fmt::format("the run's name has '{}' where a whole number from 1 to {} was expected",
                          printable(*found, 20), max),
              key);
}

Result<Wiring> wiring_field(std::string_view text) {
  struct Arch {
    std::string_view name;
    Wiring wiring;
  };
  // The others differ in their widths, which the list tells.
  constexpr auto kArchs = std::to_array<Arch>({{"bottleneck", Wiring::Chain},
                                               {"dense", Wiring::Dense},
                                               {"gradual", Wiring::Chain},
                                               {"hourglass", Wiring::Chain},
                                               {"pyramid", Wiring::Chain},
                                               {"residual", Wiring::Residual},
                                               {"uniform", Wiring::Chain}});
  const std::string_view found = field(text, "arch").value_or("");
  for (const Arch& arch : kArchs) {
    if (arch.name == found) return arch.wiring;
  }
  return fail(Errc::Unsupported,
              fmt::format("the run's name has arch '{}'; known are bottleneck, dense, gradual, "
                          "hourglass, pyramid, residual and uniform",
                          printable(found, 20)),
              "arch");
}

Result<double> dropout_field(std::string_view text) {
  const auto found = field(text, "dropout");
  if (!found) return 0.0;
  const auto value = parse_number(*found);
  if (value && *value >= 0 && *value < 1) return *value;
  return fail(Errc::Corrupt,
              fmt::format("the run's name has '{}' where a rate from 0 to below 1 was expected",
                          printable(*found, 20)),
              "dropout");
}

}  // namespace

Result<std::vector<ListedLayer>> parse_layer_list(std::string_view text) {
  if (text.size() > kListBytesMax) {
    return fail(Errc::Unsupported, fmt::format("the layer list has {} bytes; the limit is {}",
                                               text.size(), kListBytesMax));
  }
  std::vector<ListedLayer> layers;
  Cursor cursor{text};
  HORUS_TRY_DONE(cursor.expect('['));
  while (!cursor.take(']')) {
    if (layers.size() == kListLayersMax) {
      return fail(Errc::Unsupported,
                  fmt::format("the layer list has more than {} layers", kListLayersMax));
    }
    if (!layers.empty()) HORUS_TRY_DONE(cursor.expect(','));
    HORUS_TRY(layers.emplace_back(), read_layer(cursor));
  }
  HORUS_TRY_DONE(cursor.expect_end());
  return layers;
}

Result<ListedInput> parse_run_name(std::string_view text) {
  if (text.size() > kRunNameBytesMax) {
    return fail(Errc::Unsupported, fmt::format("the run's name has {} bytes; the limit is {}",
                                               text.size(), kRunNameBytesMax));
  }
  constexpr std::string_view kEnding = ".out";
  if (text.ends_with(kEnding)) text.remove_suffix(kEnding.size());
  ListedInput input;
  const bool reads_image = field(text, "input_channels").has_value();
  const char* const width = reads_image ? "input_channels" : "input";
  const std::int64_t width_max = reads_image ? kListImageMax : kListNumberMax;
  HORUS_TRY(input.channels, size_field(text, width, width_max));
  if (reads_image) {
    HORUS_TRY(input.image, size_field(text, "input_size", kListImageMax));
  }
  HORUS_TRY(input.batch, size_field(text, "batch", kListNumberMax));
  HORUS_TRY(input.wiring, wiring_field(text));
  HORUS_TRY(input.dropout, dropout_field(text));
  return input;
}

}  // namespace horus::zoo
