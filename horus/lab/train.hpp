// SPDX-License-Identifier: Apache-2.0
#pragma once
// From measured jobs to a predictor with its papers: as much is fitted as the jobs can bear.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/domain/predictor_file.hpp"
#include "horus/lab/joint_judgement.hpp"
#include "horus/lab/method.hpp"
#include "horus/lab/residual_fit.hpp"
#include "horus/predict/constants.hpp"

namespace horus::lab {

/// The methods that say how wrong such fits are.
struct TrainingMethods {
  const Method* time{};       ///< Utilization and step time, without learned corrections.
  const Method* corrected{};  ///< The same with them.
  const Method* memory{};
  const SharingMethod* sharing{};
};

/// Jobs from which on more is fitted.
inline constexpr std::size_t kJobsForSites = 3;
inline constexpr std::size_t kJobsForConstants = 20;

/// What of sites goes into the file.
enum class SitesKept {
  Machines,  ///< Factors of GPU, host and input pipeline: for predictions on these machines.
  GpusOnly,  ///< Factors of GPU types: machines of others say nothing of the user's.
};

struct TrainingOptions {
  predict::Constants start;  ///< What is believed before: the centres of priors.
  std::string command;       ///< As the file shall say it.
  std::string date;          ///< YYYY-MM-DD, or "".
  SitesKept sites{SitesKept::Machines};
  std::uint64_t seed{1};
  std::size_t folds_max{10};    ///< Models, families and GPUs are held out in at most so many fits.
  std::size_t resamples{1000};  ///< Behind intervals of errors.
  /// Told what is being done and how much of it, 0 to 1.
  std::function<void(std::string_view label, double share)> progress;
};

/// Fits sites (from kJobsForSites jobs), all constants (from kJobsForConstants), corrections (where
/// they pass the gate), laws of sharing (where a GPU has pairs enough), and judges each data set by
/// models, families, GPUs and rows held out.
/// Errors: InvalidArgument with fewer than kJobsForSites measured jobs.
/// Deterministic: the same sets and options give the same file.
[[nodiscard]] Result<PredictorFile> train(std::span<const TrainingSet> sets,
                                          const TrainingMethods& methods,
                                          const TrainingOptions& options);

}  // namespace horus::lab
