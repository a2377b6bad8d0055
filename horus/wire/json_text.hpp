// SPDX-License-Identifier: Apache-2.0
#pragma once
// The one way in which this room spells JSON. For this room only: it sees nlohmann/json.

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace horus::wire {

/// `json` with that many blanks per level, on one line where `indent` is -1; no line end behind it.
/// Names in foreign files may hold any bytes: what is no UTF-8 is replaced, never thrown at, and
/// what is no ASCII is escaped, so that no terminal obeys it.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json, int indent);

}  // namespace horus::wire
