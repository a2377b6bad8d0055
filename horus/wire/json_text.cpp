// SPDX-License-Identifier: Apache-2.0
#include "horus/wire/json_text.hpp"

#include <nlohmann/json.hpp>

namespace horus::wire {

std::string json_text(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace horus::wire
