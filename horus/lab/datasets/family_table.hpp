// SPDX-License-Identifier: Apache-2.0
#pragma once
// A table of data/mappings that says one thing about each family of the zoo, or about those of its
// architectures whose names begin alike.

#include <string>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"

namespace horus::lab {

class FamilyTable {
 public:
  /// Columns zoo_family and prefix, and the one called `value`. Errors name file, line and column.
  [[nodiscard]] static Result<FamilyTable> load(std::string_view name, std::string_view value);

  /// The value of the row with the longest prefix that fits `architecture` (a name that
  /// zoo::known() answers to); null where none fits.
  [[nodiscard]] const std::string* find(std::string_view architecture) const;

 private:
  struct Entry {
    std::string family;
    std::string prefix;
    std::string value;
  };
  std::vector<Entry> entries_;
};

}  // namespace horus::lab
