// SPDX-License-Identifier: Apache-2.0
#pragma once
// How jobs share one GPU, and what Horus believes that does to them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/domain/interval.hpp"

namespace horus {

/// Ways to give one GPU to several processes.
enum class SharingMode {
  Exclusive,  ///< One job at a time.
  TimeSlice,  ///< What the driver does unasked: contexts take turns.
  Mps,        ///< Multi-Process Service: kernels of all processes run side by side.
  Mig,        ///< Multi-Instance GPU: each job has an instance, cut off from the others.
};

/// Laws for what jobs cost each other in TimeSlice and Mps.
enum class Interference {
  Default,       ///< Overlap of demand, as far as the GPU allows any; calibrated where measured.
  Paper,         ///< All jobs alike: the sum of utilizations, where it exceeds one GPU.
  Conservation,  ///< A job waits whenever another one runs: nothing hides in gaps.
};

/// Whether the numbers of a law were measured on this type of GPU in this mode.
enum class Calibration { Uncalibrated, Calibrated };

[[nodiscard]] std::string_view name_of(SharingMode mode);
[[nodiscard]] std::string_view name_of(Interference law);
[[nodiscard]] std::string_view name_of(Calibration calibration);
/// What parse_...() reads, in the order of the enumerators.
[[nodiscard]] std::vector<std::string> sharing_mode_words();
[[nodiscard]] std::vector<std::string> interference_words();
[[nodiscard]] Result<SharingMode> parse_sharing_mode(std::string_view text);
[[nodiscard]] Result<Interference> parse_interference(std::string_view text);

/// What happens when jobs share one GPU in one mode.
struct SharedPrediction {
  SharingMode mode{SharingMode::TimeSlice};
  /// Why the mode cannot be had on this GPU or for these jobs; empty: it can. Slowdowns are empty
  /// where it cannot.
  std::string obstacle;
  /// Per job, same order: step time in this mode over step time alone on the whole GPU, >= 1.
  std::vector<Interval> slowdowns;
  MemoryPrediction memory;  ///< Of all processes together.
  /// The sum of the bounds is within the GPU's memory; Mig: each within its instance.
  bool fits{};
  Origin origin{Origin::Unknown};
  Calibration calibration{Calibration::Uncalibrated};
  bool extrapolated{};  ///< More jobs than any measurement behind the law had.
  /// The chance, 0 to 1, that no job is slowed beyond what is tolerated, as a law says; absent
  /// where there is no law, and for a job alone.
  std::optional<double> chance_tolerated;
  /// Mig: the profile that each job gets, e.g. "3g.20gb", same order. Empty in other modes.
  std::vector<std::string> instances;

  /// Work done per unit of time, in jobs that have the GPU alone: the sum of 1 / slowdown, and 1
  /// for Exclusive, where one job runs at a time. 0 where the mode cannot be had.
  [[nodiscard]] double throughput() const;
  /// The expected slowdown of the job that suffers most; 1 without jobs.
  [[nodiscard]] double slowdown_max() const;
};

}  // namespace horus
