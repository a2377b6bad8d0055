// SPDX-License-Identifier: Apache-2.0
#pragma once
// Jobs on instances of one GPU (Multi-Instance GPU): which instance for whom.

#include <span>
#include <vector>

#include "horus/domain/gpu.hpp"
#include "horus/domain/graph_features.hpp"
#include "horus/domain/prediction.hpp"
#include "horus/domain/sharing.hpp"
#include "horus/predict/predictor_model.hpp"

namespace horus::predict {

/// What one job does alone on a whole GPU, and on each of its instances.
struct InstancePredictions {
  Prediction whole;
  std::vector<Prediction> by_profile;  ///< Same order as mig_profiles(whole.gpu).
};

/// Predicts a job on every instance that `gpu` can be cut into; none where it cannot.
[[nodiscard]] InstancePredictions predict_on_instances(const GraphFeatures& features,
                                                       const TrainingSetup& setup,
                                                       const GpuSpec& gpu,
                                                       const Model& model = shipped_model());

/// The partition of `gpu` that gives each of `jobs` (at least one) an instance of its own: of those
/// in which every job's bound of memory is within its instance, the one whose slowest job is slowed
/// least, and of these the one with the highest throughput. Ties: small profiles for the jobs in
/// front. Jobs on instances do not slow each other: a slowdown is that of the smaller GPU.
///   Memory is the sum over jobs. Where there is no such partition, `obstacle` says why.
/// Cost: jobs x places x subsets of memory slices, some microseconds a job.
[[nodiscard]] SharedPrediction partition(std::span<const InstancePredictions> jobs,
                                         const GpuSpec& gpu);

/// For a job that has the GPU to itself: the smallest instance in which its bound of memory fits
/// and that slows it at most to `tolerance`, so that the others are left for other jobs. `obstacle`
/// says where there is none.
[[nodiscard]] SharedPrediction smallest_instance(const InstancePredictions& job, const GpuSpec& gpu,
                                                 double tolerance);

}  // namespace horus::predict
