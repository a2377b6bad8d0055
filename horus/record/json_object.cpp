// SPDX-License-Identifier: Apache-2.0
#include "horus/record/json_object.hpp"

#include <cmath>

#include <fmt/format.h>

#include "horus/base/utf8.hpp"

namespace horus::record {
namespace {

/// Moves one character of `text` to the end of `out`, escaped.
void escape_front(std::string_view& text, std::string& out) {
  const std::size_t length = front_character(text).length;
  const char first = text.front();
  if (length == 0) {
    out += "\\ufffd";
  } else if (first == '"' || first == '\\') {
    out += '\\';
    out += first;
  } else if (length == 1 && (first < ' ' || first == 0x7f)) {
    out += fmt::format("\\u{:04x}", static_cast<unsigned>(first));
  } else {
    out += text.substr(0, length);
  }
  text.remove_prefix(length == 0 ? 1 : length);
}

}  // namespace

std::string json_text(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) escape_front(text, out);
  return out + "\"";
}

std::string json_array(std::span<const std::string> items) {
  std::string out = "[";
  for (const std::string& item : items) {
    if (out.size() > 1) out += ',';
    out += item;
  }
  return out + "]";
}

JsonObject& JsonObject::json(std::string_view key, std::string_view value) {
  if (!members_.empty()) members_ += ',';
  members_ += json_text(key);
  members_ += ':';
  members_ += value;
  return *this;
}

JsonObject& JsonObject::text(std::string_view key, const std::optional<std::string>& value) {
  return json(key, value ? json_text(*value) : "null");
}

JsonObject& JsonObject::number(std::string_view key, std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return json(key, "null");
  constexpr double kDecimals = 1e4;
  constexpr double kExact = 1e11;  // Beyond it four decimals are more than a double holds.
  const double rounded =
      std::abs(*value) < kExact ? std::round(*value * kDecimals) / kDecimals : *value;
  return json(key, fmt::format("{}", rounded + 0.0));  // -0.0 + 0.0 is 0.0.
}

JsonObject& JsonObject::integer(std::string_view key, std::optional<std::int64_t> value) {
  return json(key, value ? fmt::format("{}", *value) : "null");
}

JsonObject& JsonObject::truth(std::string_view key, std::optional<bool> value) {
  return json(key, !value ? "null" : (*value ? "true" : "false"));
}

}  // namespace horus::record
