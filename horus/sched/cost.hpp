// SPDX-License-Identifier: Apache-2.0
#pragma once
// What it costs to put one more task on a GPU, and where it may go at all.
// Source: Yeung et al., "Horus: Interference-Aware and Prediction-Based Scheduling in Deep Learning
// Systems", TPDS 2022, in its intended form: memory is a share of the capacity, and the current
// utilization is the sum of the residents' means, not a sample.

#include <cstdint>

#include "horus/base/quantity.hpp"
#include "horus/domain/job.hpp"

namespace horus::sched {

inline constexpr double kUtilizationCost = 1.6;  ///< Per GPU of overload; idleness costs 1.
inline constexpr double kMemoryCost = 1.3;       ///< Per whole memory booked.
inline constexpr double kResidentCost = 1.0;     ///< Per job that is already there.
inline constexpr int kMaxResidents = 3;
inline constexpr Bytes kMemoryMargin{std::int64_t{500} << 20};  ///< Must stay free, and a bit more.
inline constexpr Permille kWholeGpu{1000};

/// What the cost sees of a GPU: a pure function of integers, so that every search agrees to the
/// last bit.
struct GpuLoad {
  Bytes memory;          ///< Booked.
  Permille utilization;  ///< Sum of the residents' means, not above 1000.
  int residents{};
};

/// The distance from a GPU that is exactly full, in GPUs: overload is dearer than idleness.
/// Falls while `current` grows up to 1000 - `task_max`, and rises from there on.
[[nodiscard]] constexpr double utilization_cost(Permille current, Permille task_max) {
  const Permille excess = current + task_max - kWholeGpu;
  const double gpus = static_cast<double>(excess.count()) / 1000.0;
  return gpus > 0.0 ? kUtilizationCost * gpus : -gpus;
}

/// Lower is better; dimensionless. Grows with memory, never falls with it after rounding.
[[nodiscard]] constexpr double placement_cost(const GpuLoad& load, const TaskDemand& task,
                                              Bytes capacity) {
  const double memory = as_double(load.memory + task.memory_bound) / as_double(capacity);
  return kMemoryCost * memory + utilization_cost(load.utilization, task.utilization_max) +
         kResidentCost * load.residents;
}

/// The most that may be booked on a GPU before a task joins it: more than the margin stays free.
[[nodiscard]] constexpr Bytes memory_limit(const TaskDemand& task, Bytes capacity) {
  return capacity - task.memory_bound - kMemoryMargin - Bytes{1};
}

}  // namespace horus::sched
