// SPDX-License-Identifier: Apache-2.0
#pragma once
// How fast jobs really run. The scheduler never asks it; only the world does. Code and numbers of a
// truth are apart from those of the predictor, so that a policy can be wrong.

#include <cstdint>
#include <optional>
#include <span>

#include "horus/base/quantity.hpp"
#include "horus/domain/job.hpp"

namespace horus::sim {

/// What one task of a job really does to a GPU that it has to itself.
struct TaskLoad {
  double utilization{};     ///< Share of time with a kernel running, in (0, 1].
  Bytes memory;             ///< Peak, CUDA context included.
  double step_ratio{1.0};   ///< Step time here / step time on the reference GPU, above 0.
  double sensitivity{1.0};  ///< How much more than others this job suffers from company.
  std::uint32_t config{};   ///< Position in the mix.
  friend bool operator==(const TaskLoad&, const TaskLoad&) = default;
};

/// Where slowdowns come from.
enum class TruthSource { Measured, Parametric };

class Truth {
 public:
  Truth() = default;
  Truth(const Truth&) = delete;
  Truth& operator=(const Truth&) = delete;
  virtual ~Truth() = default;

  /// The load of a task of `job` on a GPU of `type` (position in the cluster's types). Depends on
  /// its arguments only. Requires a config of the mix and a type of the cluster.
  [[nodiscard]] virtual TaskLoad load(JobId job, std::uint32_t config,
                                      std::uint16_t type) const = 0;

  /// Slowdown of each of `residents` (two or more) that share a GPU of `type`: shared step time /
  /// step time alone, dimensionless. `slowdowns` has the size and order of `residents`.
  virtual TruthSource slowdowns(std::uint16_t type, std::span<const TaskLoad> residents,
                                std::span<double> slowdowns) const = 0;

  /// The most residents of one GPU about which this truth can speak; nothing: any number.
  [[nodiscard]] virtual std::optional<int> max_residents() const { return std::nullopt; }
};

}  // namespace horus::sim
