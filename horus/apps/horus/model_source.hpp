// SPDX-License-Identifier: Apache-2.0
#pragma once
// Models by reference: an ONNX file, or "zoo:NAME" for an architecture of the zoo.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/graph/analysis.hpp"

namespace horus::apps {

/// Loads and analyses. Errors name the reference.
[[nodiscard]] Result<graph::Analysis> analyse_source(const std::string& reference,
                                                     const graph::AnalysisOptions& options);

/// Parses "name=value" pairs of --dim. Errors: InvalidArgument.
[[nodiscard]] Result<std::map<std::string, std::int64_t>> parse_dims(
    const std::vector<std::string>& pairs);

/// A model with its own batch: "net.onnx@64". Without "@", or when what follows is no positive
/// number, the whole text is the reference.
struct SourceWithBatch {
  std::string reference;
  std::optional<std::int64_t> batch;
};
[[nodiscard]] SourceWithBatch split_batch(const std::string& text);

}  // namespace horus::apps
