// SPDX-License-Identifier: Apache-2.0
#pragma once
// The predictor: a roofline over kernels, host launch cost, input pipeline, memory, and on top of
// them what was learned.

#include <span>
#include <vector>

#include "horus/base/result.hpp"
#include "horus/domain/gpu.hpp"
#include "horus/domain/graph_features.hpp"
#include "horus/domain/prediction.hpp"
#include "horus/domain/sharing.hpp"
#include "horus/predict/predictor_model.hpp"

namespace horus::predict {

/// Predicts one process of training alone on `gpu`. Never fails: what is unknown widens the
/// intervals.
///   Confidence. Without sites and residuals in `model` the numbers are physics and public
/// specifications, not calibrated to any machine; a residual that reaches the job makes it
/// Origin::Learned. Operators without cost (features.ops_without_cost, or numbers that are negative
/// or not finite) widen the intervals with their share; Origin::Analytic then stands for little.
///   Nothing known (no operator with a cost, or unusable totals): Origin::Unknown, utilization 0 to
/// 1, memory up to the whole GPU, and a step time that carries no information.
///   Input pipeline. A rate that is not positive counts as absent; callers check what users typed.
///   Not modelled: collective communication.
/// Cost: linear in operators, and what the residuals take (Residual::correction).
[[nodiscard]] Prediction predict(const GraphFeatures& features, const TrainingSetup& setup,
                                 const GpuSpec& gpu, const Model& model = shipped_model());

/// How the jobs of a set share their GPU.
struct SharingOptions {
  SharingMode mode{SharingMode::TimeSlice};
  Interference interference{Interference::Default};
  double tolerance{kToleranceDefault};  ///< SharedPrediction::chance_tolerated is about it.
};

/// Predicts sharing of one `gpu` by the jobs whose solo predictions are `jobs` (at least one), in
/// any mode but Mig (mig_partition.hpp). The laws are in interference.hpp; what is not calibrated
/// or reaches beyond pairs says so, and is wider for more than two jobs. Memory is the sum, as each
/// process has its own context; adding bounds is safe, since not all are reached at once.
///   Origin is that of the least known job, and Origin::Analytic at best.
/// Cost: quadratic in the number of jobs.
[[nodiscard]] SharedPrediction predict_shared(std::span<const Prediction> jobs, const GpuSpec& gpu,
                                              const Model& model = shipped_model(),
                                              const SharingOptions& options = {});

}  // namespace horus::predict
