// SPDX-License-Identifier: Apache-2.0
#pragma once
// The laws of sharing one GPU, each with its reason.

#include <string>
#include <vector>

#include "horus/base/quantity.hpp"
#include "horus/domain/sharing.hpp"

namespace horus::predict {

/// slowdown = 1 + gain x own^own_exponent x others^others_exponent, where `own` is the job's solo
/// utilization and `others` the share of the GPU that the other jobs keep busy.
struct SharingLaw {
  double gain{};
  double own_exponent{};
  double others_exponent{};
  friend bool operator==(const SharingLaw&, const SharingLaw&) = default;
};

/// UNCALIBRATED prior for contexts that take turns on Volta and later. Jobs that run unaware of
/// each other want the GPU at once for own x others of the time; the gain of 1 makes two jobs that
/// each fill it run at half speed. Launches are asynchronous, so that a wait no longer than a gap
/// is made up for in the gap: the busier both are, the fewer gaps there are, hence the collisions
/// times their square root.
inline constexpr SharingLaw kOverlapping{1.0, 1.5, 1.5};
/// Before Volta: time slices are long against kernels, so even a job with gaps waits whenever the
/// others run, and gains nothing from overlap. Gavel's public measurements agree (Narayanan et al.,
/// OSDI 2020): the normalized speeds of a pair sum to 1.05 on K80 and 1.13 on P100 (medians).
inline constexpr SharingLaw kSliced{1.0, 0.0, 1.0};
/// UNCALIBRATED prior for Multi-Process Service: the same collisions, but of multiprocessors and
/// not of time, since kernels of several processes run side by side where they leave room.
inline constexpr SharingLaw kSideBySide{1.0, 1.5, 1.5};

/// A slowdown that people tolerate: a quarter.
inline constexpr double kToleranceDefault = 1.25;

/// Log-normal spread of the excess (slowdown - 1), which is uncalibrated.
inline constexpr double kSigmaExcess = 0.50;
/// Added for each job beyond two, up to a limit: no public measurement covers more than pairs.
inline constexpr double kSigmaExtrapolated = 0.25;
inline constexpr double kSigmaExtrapolatedMax = 1.0;

/// Device memory of the server of Multi-Process Service, which nvidia-smi lists with 25 to 30 MiB.
/// Clients keep contexts of their own: from Volta on MPS saves storage of contexts "to a much
/// lesser degree" than before (NVIDIA, Multi-Process Service, "Reduced on-GPU context storage"),
/// so nothing is taken off.
inline constexpr Bytes kMpsServer{32 << 20};

/// A law that was fitted to pairs measured on one type of GPU in one mode.
struct CalibratedLaw {
  std::string gpu;  ///< Catalogue name.
  SharingMode mode{SharingMode::TimeSlice};
  SharingLaw law{kOverlapping};
  double sigma_slowdown{0.1};  ///< Log-normal spread of measured slowdowns around the law.
  int pairs{};                 ///< Measured pairs behind it.
  friend bool operator==(const CalibratedLaw&, const CalibratedLaw&) = default;
};

/// What a fit may move.
struct SharingConstants {
  SharingLaw overlapping{kOverlapping};
  SharingLaw sliced{kSliced};
  SharingLaw side_by_side{kSideBySide};
  std::vector<CalibratedLaw> calibrated;  ///< At most one per GPU and mode.
};

}  // namespace horus::predict
