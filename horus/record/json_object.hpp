// SPDX-License-Identifier: Apache-2.0
#pragma once
// One JSON object on one line, spelled without a library. What is absent is null, never left out
// and never 0.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace horus::record {

/// `text` in quotes, escaped (RFC 8259). Bytes that are no UTF-8 become U+FFFD, one for each.
[[nodiscard]] std::string json_text(std::string_view text);

/// `items`, each JSON already, between brackets.
[[nodiscard]] std::string json_array(std::span<const std::string> items);

class JsonObject {
 public:
  JsonObject& text(std::string_view key, const std::optional<std::string>& value);
  /// Rounded to 4 decimals. A number that is not finite is null.
  JsonObject& number(std::string_view key, std::optional<double> value);
  JsonObject& integer(std::string_view key, std::optional<std::int64_t> value);
  JsonObject& truth(std::string_view key, std::optional<bool> value);
  /// `value` is JSON already.
  JsonObject& json(std::string_view key, std::string_view value);

  /// The object with its braces.
  [[nodiscard]] std::string str() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

}  // namespace horus::record
