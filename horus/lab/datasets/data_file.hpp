// SPDX-License-Identifier: Apache-2.0
#pragma once
// What readers of data sets share: finding a file among those given, and its table.

#include <span>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/lab/dataset_kinds.hpp"
#include "horus/table/csv.hpp"

namespace horus::lab {

/// The table in the file called `name`, whether or not its name ends in ".gz" as it lies; in errors
/// and ids it is called `name`. Errors: NotFound lists the files given; as table::Reader::open.
[[nodiscard]] Result<table::Reader> open_table(std::span<const DataFile> files,
                                               std::string_view name);

/// The columns called `names`, in that order. Errors: as table::Reader::column.
[[nodiscard]] Result<std::vector<table::Column>> columns_of(
    const table::Reader& reader, std::span<const std::string_view> names);

/// Notes that `rows` rows of `model` are not used, beside those already listed for `reason`.
void add_unused(std::vector<Unmapped>& list, std::string_view model, std::string_view reason,
                std::size_t rows = 1);

inline constexpr std::string_view kNoArchitecture = "no such architecture in the zoo";

/// Name and SHA-256 of each file, in the order given.
[[nodiscard]] std::vector<Source> sources_of(std::span<const DataFile> files);

}  // namespace horus::lab
