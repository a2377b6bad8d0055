// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows from records of horus profile and of the GPU campaign.

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/domain/graph_features.hpp"
#include "horus/domain/run_record.hpp"
#include "horus/lab/row.hpp"

namespace horus::lab {

/// Builds the graph at a row's batch.
using FeaturesSource = std::function<Result<GraphFeatures>()>;

/// The graph of a record, absent where there is none for it.
using GraphOfRecord = std::function<std::optional<FeaturesSource>(const RunRecord& record)>;

/// The graph in the zoo that has the model's name.
[[nodiscard]] std::optional<FeaturesSource> zoo_graph_of(const RunRecord& record);

/// One row per run alone that was measured undisturbed, or ran out of memory; one pair per set of
/// two whose members have rows. Licence: Permissive, since they are the user's own; whoever fits
/// decides. Errors name the line: two runs of one id, a precision, optimizer, attention or
/// checkpointing that is not known.
[[nodiscard]] Result<Dataset> rows_of_records(std::span<const RunRecord> records,
                                              const GraphOfRecord& graph_of);

}  // namespace horus::lab
