// SPDX-License-Identifier: Apache-2.0
#pragma once
// The laws of sharing one GPU, each with its reason.

namespace horus::predict {

/// slowdown = 1 + gain x own^own_exponent x others^others_exponent, where `own` is the job's solo
/// utilization and `others` the share of time that the other jobs keep the GPU busy.
struct SharingLaw {
  double gain;
  double own_exponent;
  double others_exponent;
};

/// UNCALIBRATED prior for Volta and later. Gain 1: two jobs that each fill the GPU run at half
/// speed. Own exponent above 1: a job with idle gaps hides part of its waiting in them.
inline constexpr SharingLaw kOverlapping{1.0, 1.5, 1.0};
/// Before Volta: time slices are long against kernels, so even a job with gaps waits whenever the
/// others run, and gains nothing from overlap. Gavel's public measurements agree (Narayanan et al.,
/// OSDI 2020): the normalized speeds of a pair sum to 1.05 on K80 and 1.13 on P100 (medians).
inline constexpr SharingLaw kSliced{1.0, 0.0, 1.0};

/// Log-normal spread of the excess (slowdown - 1), which is uncalibrated.
inline constexpr double kSigmaExcess = 0.50;
/// Added for each job beyond two, up to a limit: no public measurement covers more than pairs.
inline constexpr double kSigmaExtrapolated = 0.25;
inline constexpr double kSigmaExtrapolatedMax = 1.0;

/// What a fit may move.
struct SharingConstants {
  SharingLaw overlapping{kOverlapping};
  SharingLaw sliced{kSliced};
  double sigma_excess{kSigmaExcess};
};

}  // namespace horus::predict
