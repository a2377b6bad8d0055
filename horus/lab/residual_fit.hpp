// SPDX-License-Identifier: Apache-2.0
#pragma once
// From errors of the analytical model to a learned correction, if one is worth having.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "horus/domain/predictor_file.hpp"
#include "horus/lab/method.hpp"
#include "horus/predict/residual.hpp"

namespace horus::lab {

struct ResidualOptions {
  std::size_t jobs_min{80};       ///< Measured jobs without which nothing is learned of new models.
  std::size_t jobs_seen_min{30};  ///< The same for models that were in training.
  std::size_t folds{5};           ///< Of jobs held out, for labels and for the gate.
  int trees{100};  ///< Of few jobs; many jobs (residual_fit.cpp says how many) bear more, deeper.
  int depth{2};
  std::uint64_t seed{1};
};

/// A measured job with what a fit that had not seen it said.
struct ResidualJob {
  std::vector<double> inputs;  ///< As predict::tree_inputs() names them.
  std::string group;           ///< Its model: what is held out together.
  std::string place;           ///< Its model, GPU and precision: what novelty knows by one row.
  double predicted{};          ///< Utilization (0 to 1) or seconds.
  double measured{};
};

/// How jobs are held out, and thereby which jobs a correction is for.
enum class HeldOut {
  Groups,  ///< Whole models: the correction reaches models that were never measured.
  Jobs,    ///< Single jobs: it reaches only as far as other jobs of measured models.
};

/// The fold of each job, 0 to folds - 1: groups or jobs dealt at random, about equal in number.
[[nodiscard]] std::vector<std::size_t> deal(std::span<const ResidualJob> jobs, HeldOut held_out,
                                            std::size_t folds, std::uint64_t seed);

/// A correction of `target` from all `jobs`, whether or not it is worth having. Nothing where jobs
/// are too few to tell novelty from habit, or training fails.
[[nodiscard]] std::optional<ResidualTable> learn_correction(predict::ResidualTarget target,
                                                            std::span<const ResidualJob> jobs,
                                                            HeldOut held_out,
                                                            const ResidualOptions& options);

/// What corrections learned without a fold are worth in that fold, over all folds. Squared errors
/// are of ln(1 + percent) for utilization and of ln(seconds) for step time.
[[nodiscard]] GateEvidence judge_correction(predict::ResidualTarget target,
                                            std::span<const ResidualJob> jobs, HeldOut held_out,
                                            const ResidualOptions& options);

/// Whether the error falls, over all jobs and by more than one standard error of the mean gain of a
/// model.
[[nodiscard]] bool passes_gate(const GateEvidence& evidence);

/// Learns and judges: nothing unless the gate is passed.
[[nodiscard]] std::optional<ResidualTable> learn_residual(predict::ResidualTarget target,
                                                          std::span<const ResidualJob> jobs,
                                                          HeldOut held_out,
                                                          const ResidualOptions& options);

}  // namespace horus::lab
