// SPDX-License-Identifier: Apache-2.0
#include "horus/wire/json_fields.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "horus/base/text.hpp"

namespace horus::wire {
namespace {

using Json = nlohmann::ordered_json;

/// The largest nesting of `text`, brackets in strings left out. The parser recurses, so this is
/// known before it runs.
int depth_of(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
      continue;
    }
    in_string = c == '"';
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if (c == ']' || c == '}') --depth;
  }
  return deepest;
}

/// What a value is, for people.
std::string kind_of(const Json& json) {
  if (json.is_string()) return fmt::format("\"{}\"", printable(json.get_ref<const std::string&>()));
  if (json.is_number() || json.is_boolean()) return json.dump();
  return json.type_name();
}

/// How many elements or members a value has, for people; what it is where it has none.
std::string counted(const Json& json) {
  if (json.is_array()) return fmt::format("{} elements", json.size());
  if (json.is_object()) return fmt::format("{} members", json.size());
  return kind_of(json);
}

/// What is expected of a number.
std::string spelled(const NumberRange& range) {
  const NumberRange any;
  if (range.least == any.least && range.most == any.most) return "a number";
  if (range.most == any.most) return fmt::format("a number of at least {}", range.least);
  return fmt::format("a number from {} to {}", range.least, range.most);
}

}  // namespace

Result<Json> parse_json(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    return fail(Errc::Unsupported,
                fmt::format("has {} bytes, expected at most {}", text.size(), limits.bytes));
  }
  if (const int depth = depth_of(text); depth > limits.depth) {
    return fail(Errc::Unsupported, fmt::format("has objects and arrays nested {} deep, expected at "
                                               "most {}",
                                               depth, limits.depth));
  }
  // The parser would take it for the end of the text, and what follows for nothing.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    return fail(Errc::Corrupt, fmt::format("is no JSON: byte {} is 0", zero + 1));
  }
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    return fail(Errc::Corrupt, fmt::format("is no JSON at byte {} of {}; expected a whole document",
                                           std::min(error.byte, text.size()), text.size()));
  } catch (const Json::out_of_range& error) {
    const std::string_view words{error.what()};
    const std::string_view number = words.substr(std::min(words.find('\''), words.size()));
    return fail(Errc::Corrupt, "has a number that no double holds: " + printable(number, 60));
  } catch (const Json::exception& error) {
    return fail(Errc::Corrupt, printable(error.what(), 200));
  }
}

Result<double> number_of(const Json& json, const std::string& where, const NumberRange& range) {
  if (json.is_number()) {
    const auto value = json.get<double>();
    if (std::isfinite(value) && value >= range.least && value <= range.most) return value;
  }
  return fail(Errc::Corrupt, fmt::format("found {}, expected {}", kind_of(json), spelled(range)),
              where);
}

Result<std::vector<double>> numbers_of(const Json& json, const std::string& where,
                                       std::size_t count_max, const NumberRange& range) {
  if (!json.is_array() || json.size() > count_max) {
    return fail(
        Errc::Corrupt,
        fmt::format("found {}, expected an array of at most {} numbers", counted(json), count_max),
        where);
  }
  std::vector<double> numbers;
  numbers.reserve(json.size());
  for (const Json& element : json) {
    HORUS_TRY(const double number,
              number_of(element, fmt::format("{}[{}]", where, numbers.size()), range));
    numbers.push_back(number);
  }
  return numbers;
}

Result<bool> truth_of(const Json& json, const std::string& where) {
  if (json.is_boolean()) return json.get<bool>();
  return fail(Errc::Corrupt, fmt::format("found {}, expected true or false", kind_of(json)), where);
}

Result<std::string> text_of(const Json& json, const std::string& where, std::size_t length_max) {
  if (!json.is_string()) {
    return fail(Errc::Corrupt, fmt::format("found {}, expected a text", kind_of(json)), where);
  }
  const auto& text = json.get_ref<const std::string&>();
  if (text.size() > length_max) {
    return fail(Errc::Unsupported,
                fmt::format("found {} bytes, expected at most {}", text.size(), length_max), where);
  }
  return text;
}

JsonFields::JsonFields(const Json& json, std::string where)
    : json_{json}, where_{std::move(where)} {
  if (!json_.is_object()) {
    error_ = Error{.code = Errc::Corrupt,
                   .message = fmt::format("found {}, expected an object", kind_of(json_)),
                   .where = where_};
  }
}

std::string JsonFields::path(std::string_view key) const {
  const std::string shown = printable(key);
  return where_.empty() ? shown : where_ + "." + shown;
}

void JsonFields::complain(std::string_view key, std::string message) {
  error_ = Error{.code = Errc::Corrupt, .message = std::move(message), .where = path(key)};
}

bool JsonFields::has(std::string_view key) const {
  return json_.is_object() && json_.find(std::string{key}) != json_.end();
}

const Json* JsonFields::demand(std::string_view key) {
  if (error_) return nullptr;
  asked_.emplace(key);
  const auto found = json_.find(std::string{key});
  if (found != json_.end()) return &*found;
  complain(key, "is missing");
  return nullptr;
}

void JsonFields::read(std::string_view key, std::string& out, std::size_t length_max) {
  const Json* json = demand(key);
  if (json == nullptr) return;
  auto text = text_of(*json, path(key), length_max);
  if (!text)
    error_ = text.error();
  else
    out = *std::move(text);
}

void JsonFields::read(std::string_view key, double& out, const NumberRange& range) {
  const Json* json = demand(key);
  if (json == nullptr) return;
  const auto number = number_of(*json, path(key), range);
  if (!number)
    error_ = number.error();
  else
    out = *number;
}

void JsonFields::read(std::string_view key, std::int64_t& out, const NumberRange& range) {
  constexpr double kExactIntegers = 9007199254740992.0;
  double number = 0;
  read(key, number,
       {.least = std::max(range.least, -kExactIntegers),
        .most = std::min(range.most, kExactIntegers)});
  if (error_) return;
  out = static_cast<std::int64_t>(number);
  if (static_cast<double>(out) != number) {
    complain(key, fmt::format("found {}, expected a whole number", number));
  }
}

void JsonFields::read_if_there(std::string_view key, std::optional<double>& out,
                               const NumberRange& range) {
  if (!has(key)) return;
  double number = 0;
  read(key, number, range);
  if (!error_) out = number;
}

void JsonFields::read_if_there(std::string_view key, std::string& out, std::size_t length_max) {
  if (has(key)) read(key, out, length_max);
}

void JsonFields::read(std::string_view key, bool& out) {
  const Json* json = demand(key);
  if (json == nullptr) return;
  const auto truth = truth_of(*json, path(key));
  if (!truth)
    error_ = truth.error();
  else
    out = *truth;
}

void JsonFields::read_child(std::string_view key, const JsonTaker& take) {
  const Json* json = demand(key);
  if (json == nullptr) return;
  const auto taken = take(*json, path(key));
  if (!taken) error_ = taken.error();
}

const Json* JsonFields::demand_array(std::string_view key, std::size_t count_max) {
  const Json* json = demand(key);
  if (json == nullptr || (json->is_array() && json->size() <= count_max)) return json;
  complain(key,
           fmt::format("found {}, expected an array of at most {}", counted(*json), count_max));
  return nullptr;
}

void JsonFields::read_array(std::string_view key, std::size_t count_max, const JsonTaker& take) {
  const Json* json = demand_array(key, count_max);
  if (json == nullptr) return;
  for (std::size_t i = 0; i < json->size() && !error_; ++i) {
    const auto taken = take((*json)[i], fmt::format("{}[{}]", path(key), i));
    if (!taken) error_ = taken.error();
  }
}

void JsonFields::read_numbers(std::string_view key, std::size_t count_max, std::vector<double>& out,
                              const NumberRange& range) {
  read_child(key, [&](const Json& json, const std::string& where) -> Result<Done> {
    HORUS_TRY(out, numbers_of(json, where, count_max, range));
    return Done{};
  });
}

void JsonFields::read_named_numbers(std::string_view key, std::size_t count_max,
                                    std::vector<std::pair<std::string, double>>& out) {
  const Json* json = demand(key);
  if (json == nullptr) return;
  if (!json->is_object() || json->size() > count_max) {
    return complain(
        key, fmt::format("found {}, expected an object of at most {}", counted(*json), count_max));
  }
  for (const auto& [name, value] : json->items()) {
    const auto number = number_of(value, path(key) + "." + printable(name));
    if (!number) {
      error_ = number.error();
      return;
    }
    out.emplace_back(name, *number);
  }
}

Result<Done> JsonFields::finish() {
  if (error_) return tl::make_unexpected(*error_);
  const std::vector<std::string> known(asked_.begin(), asked_.end());
  for (const auto& [name, value] : json_.items()) {
    if (asked_.contains(name)) continue;
    return fail(Errc::Unsupported,
                "is a key that this version does not know." + did_you_mean(name, known),
                path(name));
  }
  return Done{};
}

}  // namespace horus::wire
