// SPDX-License-Identifier: Apache-2.0
#pragma once
// The models that jobs of a trace train: a weighted list of configurations, each with what the
// predictor is told about it and, apart from that, what it really does to a GPU.
// Format: docs/reference/traces-and-truth.md.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/quantity.hpp"
#include "horus/base/result.hpp"
#include "horus/base/rng.hpp"
#include "horus/domain/job.hpp"
#include "horus/domain/prediction.hpp"

namespace horus::sim {

/// What one task of a configuration really does to the GPU type on which the mix is stated.
/// The predictor never sees it.
struct ConfigTruth {
  double utilization{};  ///< Alone on the GPU, in (0, 1].
  Bytes memory;          ///< Peak of the process, CUDA context included.
  double
      compute_share{};  ///< Share of busy time limited by arithmetic, 0 to 1; the rest by memory.
  friend bool operator==(const ConfigTruth&, const ConfigTruth&) = default;
};

/// One configuration: a zoo model and how it is trained.
struct MixEntry {
  std::string name;   ///< Unique, e.g. "resnet18-cifar:b64:fp32".
  std::string model;  ///< Name of a zoo architecture.
  std::int64_t batch{1};
  std::int64_t sequence{};  ///< 0: the architecture's default, or it has none.
  TrainingSetup setup;
  double weight{};  ///< Relative share of jobs; 0: never drawn.
  ConfigTruth truth;
  friend bool operator==(const MixEntry&, const MixEntry&) = default;
};

/// Never empty; the weights have a positive sum.
struct Mix {
  std::vector<MixEntry> entries;
};

inline constexpr std::size_t kMixEntriesMax = 10'000;

/// The GPU type on which the true_* columns of a mix are stated.
inline constexpr std::string_view kMixGpu = "V100-16GB";

/// Errors: Corrupt with file:line, column and expectation; NotFound for a missing column.
[[nodiscard]] Result<Mix> parse_mix(std::string_view text, const std::string& source);

/// The mix that is used when none is given, as text in the mix format.
[[nodiscard]] std::string_view default_mix_text();

/// Position of the configuration of `job`, drawn by weight. Depends on the seed of `rng` and on the
/// job alone: not on other jobs, nor on what was drawn before. Cost: O(entries).
[[nodiscard]] std::uint32_t draw_config(const Mix& mix, JobId job, const Rng& rng);

}  // namespace horus::sim
