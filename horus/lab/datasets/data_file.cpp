// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/datasets/data_file.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "horus/base/text.hpp"

namespace horus::lab {
namespace {

std::string_view without_gz(std::string_view name) {
  constexpr std::string_view kEnding = ".gz";
  if (name.ends_with(kEnding)) name.remove_suffix(kEnding.size());
  return name;
}

}  // namespace

Result<table::Reader> open_table(std::span<const DataFile> files, std::string_view name) {
  std::string given;
  for (const DataFile& file : files) {
    if (without_gz(file.name) == name) return table::Reader::open(file.text, std::string{name});
    given += (given.empty() ? "" : ", ") + printable(file.name);
  }
  return fail(Errc::NotFound, fmt::format("the data set has no file {}; it has {}", name,
                                          given.empty() ? "none" : given));
}

Result<std::vector<table::Column>> columns_of(const table::Reader& reader,
                                              std::span<const std::string_view> names) {
  std::vector<table::Column> columns;
  for (const std::string_view name : names) {
    HORUS_TRY(const table::Column column, reader.column(name));
    columns.push_back(column);
  }
  return columns;
}

void add_unused(std::vector<Unmapped>& list, std::string_view model, std::string_view reason,
                std::size_t rows) {
  const auto is_same = [&](const Unmapped& each) {
    return each.model == model && each.reason == reason;
  };
  auto place = std::ranges::find_if(list, is_same);
  if (place == list.end()) {
    const auto is_before = [&](const Unmapped& each) {
      return each.model != model ? each.model < model : each.reason < reason;
    };
    place = std::ranges::find_if_not(list, is_before);
    place = list.insert(place, {.model = std::string{model}, .reason = std::string{reason}});
  }
  place->rows += rows;
}

std::vector<Source> sources_of(std::span<const DataFile> files) {
  std::vector<Source> sources;
  for (const DataFile& file : files) {
    sources.push_back({.file = file.name, .sha256 = file.sha256});
  }
  return sources;
}

}  // namespace horus::lab
