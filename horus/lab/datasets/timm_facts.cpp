// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/datasets/timm_facts.hpp"

#include <array>
#include <map>
#include <string>
#include <utility>

#include "horus/lab/datasets/data_file.hpp"
#include "horus/lab/datasets/family_table.hpp"
#include "horus/lab/datasets/mapping_text.hpp"

namespace horus::lab {
namespace {

using Images = std::map<std::string, std::int64_t, std::less<>>;

Result<Images> read_images() {
  HORUS_TRY(table::Reader reader, open_mapping("timm_images.csv"));
  constexpr auto kNames = std::to_array<std::string_view>({"model", "image"});
  HORUS_TRY(const auto columns, columns_of(reader, kNames));
  Images images;
  while (auto next = reader.next()) {
    HORUS_TRY(const table::Row row, std::move(*next));
    HORUS_TRY(images[std::string{row.text(columns[0])}], row.integer(columns[1], 1, 4096));
  }
  return images;
}

}  // namespace

Result<Attention> timm_attention(std::string_view model, Attention usual) {
  static const Result<FamilyTable> table = FamilyTable::load("timm_attention.csv", "attention");
  if (!table) return tl::make_unexpected(table.error());
  const std::string* listed = table->find(model);
  if (listed == nullptr) return usual;
  return parse_attention(*listed);
}

Result<std::optional<std::int64_t>> timm_image(std::string_view model) {
  static const Result<Images> images = read_images();
  if (!images) return tl::make_unexpected(images.error());
  const auto found = images->find(model);
  if (found == images->end()) return std::nullopt;
  return found->second;
}

}  // namespace horus::lab
