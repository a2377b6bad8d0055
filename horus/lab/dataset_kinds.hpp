// SPDX-License-Identifier: Apache-2.0
#pragma once
// The public data sets that can be read, by name.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/lab/row.hpp"

namespace horus::lab {

/// A file of a data set as its folder has it.
struct DataFile {
  std::string name;    ///< Without folder, e.g. "single_profile.csv".
  std::string text;    ///< Unpacked.
  std::string sha256;  ///< Of the file as it lies.
};

/// How a data set is read. Errors name file, line and column.
struct DatasetKind {
  std::string_view name;     ///< "lucid", "gpumemnet-timm", "pgb", ...
  std::string_view folder;   ///< Its usual folder name, e.g. "gpumemnet".
  std::string_view summary;  ///< One line for --help.
  std::vector<std::string_view> files;
  Result<Dataset> (*read)(std::span<const DataFile> files);
};

/// All kinds, by name.
[[nodiscard]] std::span<const DatasetKind> dataset_kinds();

}  // namespace horus::lab
