// SPDX-License-Identifier: Apache-2.0
#pragma once
// One reader per data set: from the text of its files to rows. Errors name file, line and column.
// Rows that no architecture stands for are listed in Dataset::unmapped, rows that a stated rule
// leaves out in Dataset::left_out; none is dropped in silence.

#include <span>

#include "horus/base/result.hpp"
#include "horus/lab/dataset_kinds.hpp"
#include "horus/lab/row.hpp"

namespace horus::lab {

[[nodiscard]] Result<Dataset> read_elasticflow(std::span<const DataFile> files);
[[nodiscard]] Result<Dataset> read_gavel(std::span<const DataFile> files);
[[nodiscard]] Result<Dataset> read_gpumemnet_cnn(std::span<const DataFile> files);
[[nodiscard]] Result<Dataset> read_gpumemnet_mlp(std::span<const DataFile> files);
[[nodiscard]] Result<Dataset> read_lucid(std::span<const DataFile> files);
[[nodiscard]] Result<Dataset> read_miso(std::span<const DataFile> files);
[[nodiscard]] Result<Dataset> read_named_runs(std::span<const DataFile> files);
[[nodiscard]] Result<Dataset> read_pgb(std::span<const DataFile> files);
[[nodiscard]] Result<Dataset> read_pollux(std::span<const DataFile> files);
[[nodiscard]] Result<Dataset> read_salus(std::span<const DataFile> files);
[[nodiscard]] Result<Dataset> read_timm_memory(std::span<const DataFile> files);
[[nodiscard]] Result<Dataset> read_timm_training(std::span<const DataFile> files);

}  // namespace horus::lab
