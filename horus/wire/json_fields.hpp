// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads the members of a JSON object that somebody else wrote, field by field. For this room only:
// it sees nlohmann/json.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "horus/base/result.hpp"

namespace horus::wire {

/// Numbers that a field may have, both ends included.
struct NumberRange {
  double least{-1e300};
  double most{1e300};
};

/// What a document may be at most.
struct JsonLimits {
  std::size_t bytes{};
  int depth{};
};

/// Parses `text`. Errors: Unsupported beyond the limits, Corrupt with the place for what is no
/// JSON.
[[nodiscard]] Result<nlohmann::ordered_json> parse_json(std::string_view text,
                                                        const JsonLimits& limits);

/// Takes over a value; `where` is its path in the document.
using JsonTaker =
    std::function<Result<Done>(const nlohmann::ordered_json& value, const std::string& where)>;

/// The members of one object. The first error stays, and later calls do nothing; finish() tells it,
/// or that a member was not asked for: what a newer version wrote must not be ignored.
class JsonFields {
 public:
  /// `json` must outlive this; `where` is its path in the document, "" for the document itself.
  JsonFields(const nlohmann::ordered_json& json, std::string where);

  void read(std::string_view key, std::string& out, std::size_t length_max);
  void read(std::string_view key, double& out, const NumberRange& range = {});
  void read(std::string_view key, std::int64_t& out, const NumberRange& range = {});
  void read(std::string_view key, bool& out);
  void read_if_there(std::string_view key, std::optional<double>& out,
                     const NumberRange& range = {});
  void read_if_there(std::string_view key, std::string& out, std::size_t length_max);

  /// Calls `take` for the value, whatever it is.
  void read_child(std::string_view key, const JsonTaker& take);
  /// Calls `take` for the elements of an array of at most `count_max`.
  void read_array(std::string_view key, std::size_t count_max, const JsonTaker& take);
  /// Reads an array of at most `count_max` numbers.
  void read_numbers(std::string_view key, std::size_t count_max, std::vector<double>& out,
                    const NumberRange& range = {});
  /// Reads an object of at most `count_max` members, all numbers, in their order.
  void read_named_numbers(std::string_view key, std::size_t count_max,
                          std::vector<std::pair<std::string, double>>& out);

  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] Result<Done> finish();

 private:
  const nlohmann::ordered_json* demand(std::string_view key);
  const nlohmann::ordered_json* demand_array(std::string_view key, std::size_t count_max);
  void complain(std::string_view key, std::string message);
  [[nodiscard]] std::string path(std::string_view key) const;

  const nlohmann::ordered_json& json_;
  std::string where_;
  std::set<std::string, std::less<>> asked_;
  std::optional<Error> error_;
};

/// A finite number within `range`, or an error with `where`.
[[nodiscard]] Result<double> number_of(const nlohmann::ordered_json& json, const std::string& where,
                                       const NumberRange& range = {});
/// Numbers of an array of at most `count_max`, or an error with `where`.
[[nodiscard]] Result<std::vector<double>> numbers_of(const nlohmann::ordered_json& json,
                                                     const std::string& where,
                                                     std::size_t count_max,
                                                     const NumberRange& range = {});
/// True or false, or an error with `where`.
[[nodiscard]] Result<bool> truth_of(const nlohmann::ordered_json& json, const std::string& where);
/// A text of at most `length_max` bytes, or an error with `where`.
[[nodiscard]] Result<std::string> text_of(const nlohmann::ordered_json& json,
                                          const std::string& where, std::size_t length_max);

}  // namespace horus::wire
