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

/// More samples per step than any machine takes.
inline constexpr std::int64_t kMaxBatch = std::int64_t{1} << 30;

struct AnalysedModel {
  graph::Model model;
  graph::Analysis analysis;
};

/// Loads and analyses. For a zoo architecture the dimension "sequence" is its sequence length and
/// "image" the side of its image in pixels. Errors name the reference.
[[nodiscard]] Result<AnalysedModel> load_and_analyse(const std::string& reference,
                                                     graph::AnalysisOptions options);

/// The same for whom the model itself is of no further use.
[[nodiscard]] Result<graph::Analysis> analyse_source(const std::string& reference,
                                                     graph::AnalysisOptions options);

/// Parses "name=value" pairs of --dim. Errors: InvalidArgument.
[[nodiscard]] Result<std::map<std::string, std::int64_t>> parse_dims(
    const std::vector<std::string>& pairs);

/// One job of --with: "net.onnx", "net.onnx@64" with a batch size of its own, or "net.onnx@64:200"
/// with what its input pipeline can deliver, samples/s.
struct JobSource {
  std::string reference;
  std::optional<std::int64_t> batch;
  std::optional<double> samples_per_second;
};
/// Text whose part behind the last "@" does not begin with a digit is a reference as a whole.
/// Errors: InvalidArgument.
[[nodiscard]] Result<JobSource> parse_job_source(const std::string& text);

}  // namespace horus::apps
