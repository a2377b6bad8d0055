// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measured data sets from their folders.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/lab/dataset_kinds.hpp"
#include "horus/lab/samples.hpp"

namespace horus::apps {

/// All that can be read, in order of name: the data sets of the room lab, and records of runs.
[[nodiscard]] std::span<const lab::DatasetKind> all_dataset_kinds();
[[nodiscard]] std::vector<std::string> dataset_names();

/// Errors: InvalidArgument with the nearest name.
[[nodiscard]] Result<const lab::DatasetKind*> find_dataset_kind(std::string_view name);

/// Whether `path` is a folder of `kind`, or has one under its usual name, with its first file; or
/// is itself such a file, where `kind` leaves its name free.
[[nodiscard]] bool has_dataset(const lab::DatasetKind& kind, const std::string& path);

/// Reads `kind` from `path`: the folder itself, a folder that has it under its usual name, or one
/// file of records, with what lies beside it. Files are unpacked as they lie: "x.csv" may be
/// "x.csv.gz", and the other way round.
/// Errors: NotFound (no such folder; a missing file, by name), and those of the files.
[[nodiscard]] Result<lab::Dataset> load_dataset(const lab::DatasetKind& kind,
                                                const std::string& path);

/// Told what is being done and how much of it, 0 to 1.
using Progress = std::function<void(std::string_view label, double share)>;

/// The samples of the rows of `dataset`, which they point into: their graphs are built.
[[nodiscard]] Result<std::vector<lab::Sample>> load_samples(const lab::Dataset& dataset,
                                                            const Progress& progress);

}  // namespace horus::apps
