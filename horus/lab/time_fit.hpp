// SPDX-License-Identifier: Apache-2.0
#pragma once
// Constants of the step-time model from measured jobs.

#include <span>
#include <string>
#include <vector>

#include "horus/domain/predictor_file.hpp"
#include "horus/lab/method.hpp"
#include "horus/predict/step_time.hpp"
#include "horus/predict/time_constants.hpp"

namespace horus::lab {

/// What only one machine can tell.
struct TimeSite {
  std::string gpu;  ///< As rows name it.
  std::string host;
  double gpu_factor{1};
  double host_factor{1};
  double host_step_s{};       ///< Of the loop itself.
  double loader_sample_s{0};  ///< 0 where no rows told.
  double loader_element_s{0};
  double epoch_s{0};  ///< As TimeConstants has these three.
  double outside_steps{0};
  double copy_share_seen{0};
  std::size_t jobs{};
  friend bool operator==(const TimeSite&, const TimeSite&) = default;
};

struct TimeFit {
  predict::TimeConstants constants;  ///< Factors of sites are 1 in them.
  std::vector<TimeSite> sites;       ///< By gpu, host.

  /// The constants with what is known of that site; of a known host with another GPU, or of a known
  /// GPU in another host, that half.
  [[nodiscard]] predict::TimeConstants at(std::string_view gpu, std::string_view host) const;
};

/// What a fit may change.
enum class Moves {
  Everything,
  SitesOnly,  ///< The constants stay: for a handful of jobs of one machine.
};

/// Fits constants and factors of every site to the measured step times and utilizations of
/// `samples`. `start` are the centres of the priors. `nearby`, if given, is where the search
/// begins: the fit of nearly the same samples, which spares most of the cost.
///   Of a site with more than a few hundred rows, a regular part is used: rows of one site err
/// alike, and more of them would not tell more.
/// Cost: 0.2 s for 300 rows of six sites from the priors, a part of it from nearby. Deterministic.
[[nodiscard]] TimeFit fit_time(std::span<const Sample* const> samples,
                               const predict::TimeConstants& start = {},
                               Moves moves = Moves::Everything, const TimeFit* nearby = nullptr);

/// The parts of a step of `sample`, whose GPU the catalogue must have, under `constants`.
[[nodiscard]] predict::StepParts parts_at(const Sample& sample,
                                          const predict::TimeConstants& constants);

}  // namespace horus::lab
