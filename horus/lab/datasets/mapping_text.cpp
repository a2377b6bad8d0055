// SPDX-License-Identifier: Apache-2.0
#include "horus/lab/datasets/mapping_text.hpp"

#include <string>

#include <fmt/format.h>

#include "horus/base/embedded_text.hpp"

namespace horus::lab {

namespace detail {
std::span<const EmbeddedText> embedded_mappings();
}  // namespace detail

Result<table::Reader> open_mapping(std::string_view name) {
  for (const EmbeddedText& file : detail::embedded_mappings()) {
    if (file.name == name) {
      return table::Reader::open(file.text, "data/mappings/" + std::string{name});
    }
  }
  return fail(Errc::NotFound, fmt::format("data/mappings has no table {}", name));
}

}  // namespace horus::lab
