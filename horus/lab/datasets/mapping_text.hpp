// SPDX-License-Identifier: Apache-2.0
#pragma once
// The committed tables of data/mappings: facts about how the jobs of a data set were trained.

#include <string_view>

#include "horus/base/result.hpp"
#include "horus/table/csv.hpp"

namespace horus::lab {

/// The table `name`, e.g. "lucid.csv". Errors: NotFound; as table::Reader::open.
[[nodiscard]] Result<table::Reader> open_mapping(std::string_view name);

}  // namespace horus::lab
