// SPDX-License-Identifier: Apache-2.0
// Any bytes are read or refused, and what was read is written and read again the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "horus/base/check.hpp"
#include "horus/wire/predictor_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto file = horus::wire::read_predictor(text);
  if (!file) return 0;
  const auto again = horus::wire::read_predictor(horus::wire::to_json(*file));
  HORUS_CHECK(again.has_value() && *again == *file, "a predictor reads back as it was written");
  return 0;
}
