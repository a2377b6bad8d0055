// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/datasets/family_table.hpp"

#include <array>

#include "horus/lab/datasets/data_file.hpp"
#include "horus/lab/datasets/mapping_text.hpp"
#include "horus/zoo/zoo.hpp"

namespace horus::lab {

Result<FamilyTable> FamilyTable::load(std::string_view name, std::string_view value) {
  HORUS_TRY(table::Reader reader, open_mapping(name));
  const std::array<std::string_view, 3> names{"zoo_family", "prefix", value};
  HORUS_TRY(const auto columns, columns_of(reader, names));
  FamilyTable table;
  while (auto next = reader.next()) {
    HORUS_TRY(const table::Row row, std::move(*next));
    if (row.text(columns[2]).empty()) {
      return tl::make_unexpected(row.bad_cell(columns[2], "a value"));
    }
    table.entries_.push_back({.family = std::string{row.text(columns[0])},
                              .prefix = std::string{row.text(columns[1])},
                              .value = std::string{row.text(columns[2])}});
  }
  return table;
}

const std::string* FamilyTable::find(std::string_view architecture) const {
  const zoo::Architecture* known = zoo::known(architecture);
  const Entry* found = nullptr;
  for (const Entry& entry : entries_) {
    const bool fits =
        known != nullptr && entry.family == known->family && known->name.starts_with(entry.prefix);
    if (fits && (found == nullptr || entry.prefix.size() > found->prefix.size())) found = &entry;
  }
  return found == nullptr ? nullptr : &found->value;
}

}  // namespace horus::lab
