// SPDX-License-Identifier: Apache-2.0
#pragma once
// What jobs that share the multiprocessors, the time and the bandwidth of one GPU cost each other.

#include <cstddef>
#include <span>
#include <vector>

#include "horus/domain/gpu.hpp"
#include "horus/domain/sharing.hpp"
#include "horus/predict/sharing_constants.hpp"

namespace horus::predict {

/// What one job asks of the GPU while it has it alone, each 0 to 1.
struct Demand {
  double busy{};       ///< Share of its time with a kernel running.
  double sms{};        ///< Multiprocessors with work, averaged over its time; at most `busy`.
  double bandwidth{};  ///< Of the peak, averaged over its time.
};

/// How the demands of a set of jobs become slowdowns.
struct LawInUse {
  /// What the other jobs take from one: the share of time in which any of them runs, that of
  /// multiprocessors which they hold, or the sum of their busy times.
  enum class Others { Time, Multiprocessors, Sum };
  enum class Form { Product, PaperSum };
  Form form{Form::Product};
  SharingLaw law;
  Others others{Others::Time};
  Calibration calibration{Calibration::Uncalibrated};
  double sigma_excess{};    ///< Log-normal spread of slowdown - 1.
  double sigma_slowdown{};  ///< Log-normal spread of the slowdown itself.
};

/// The law for this GPU in TimeSlice or Mps: what was calibrated on this very type, or the prior of
/// its generation. Before Volta both modes take turns: Multi-Process Service shares one context
/// there, and nothing public says how well.
[[nodiscard]] LawInUse law_for(const GpuSpec& gpu, SharingMode mode, Interference interference,
                               const SharingConstants& constants = {});

/// Log-normal spread that is added to that of the excess of `jobs` jobs: none for pairs.
[[nodiscard]] double extrapolation(std::size_t jobs);

/// Slowdown of each of `jobs` (same order), at least 1. Not lower if any demand is higher or a job
/// joins; 1 for a job alone. A prior is never below what fair shares of time, multiprocessors and
/// bandwidth cost: none of them can be spent twice. Cost: quadratic in jobs.
[[nodiscard]] std::vector<double> slowdowns_of(std::span<const Demand> jobs, const LawInUse& law);

}  // namespace horus::predict
