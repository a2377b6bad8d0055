// SPDX-License-Identifier: Apache-2.0
#pragma once
// Peak device memory of one training process.

#include <span>

#include "horus/domain/gpu.hpp"
#include "horus/domain/graph_features.hpp"
#include "horus/domain/prediction.hpp"
#include "horus/predict/memory_constants.hpp"

namespace horus::predict {

/// What is alive at the moment of a step at which most is, in bytes. All parts are never negative.
struct MemoryParts {
  double context{};      ///< CUDA context and library code.
  double parameters{};   ///< Weights and untrained buffers.
  double gradients{};    ///< Of parameters, as far as the backward pass has come.
  double states{};       ///< Of the optimizer.
  double copies{};       ///< Low-precision copies of weights.
  double activations{};  ///< Kept from forward to backward, inputs and outputs included.
  double transient{};    ///< Gradients of activations, or what the forward pass does not keep.
  double workspace{};    ///< Of convolutions and products.
  double temporaries{};  ///< Of the optimizer, which then counts for the moment.
  /// What the framework keeps beside it: blocks of other sizes that other moments needed.
  double held{};
};

/// Walks through one step as PyTorch runs it: forward, loss, backward, update. Every tensor is
/// freed after its last use, and gradients of parameters are dropped before the forward pass
/// (zero_grad(set_to_none=True), the default since PyTorch 2.0) unless several passes add to them.
/// Tensors that autograd keeps and how long the others live is in `ops`: the operators of
/// `features`, or what fuse_attention made of them; those without usable cost are left out.
///   NVML counts what the framework took from the driver. Its allocator gives nothing back, and a
/// free block serves a larger request only together with neighbours that it was cut from. Therefore
/// the most of each kind (kept, transient, workspace) counts, whenever it stood: `held` is what
/// this is above the moment.
///   With Checkpointing::Blocks the graph is cut where one tensor is all that later operators need,
/// into blocks that keep kBlockGain times as much as enters them.
/// Cost: linear in operators.
[[nodiscard]] MemoryParts memory_parts(const GraphFeatures& features, std::span<const OpWork> ops,
                                       const TrainingSetup& setup, const GpuSpec& gpu);

/// Bytes expected of `parts`, the allocator's losses included.
[[nodiscard]] double expected_bytes(const MemoryParts& parts,
                                    const MemoryConstants& constants = {});

/// How far this job's memory may be off, of its logarithm, relative to a job without workspaces and
/// what is held beside them: 1 or more.
[[nodiscard]] double memory_doubt(const MemoryParts& parts, const MemoryConstants& constants = {});

/// The interval and the bound around expected_bytes. `uncosted` is the share of operators (0 to
/// below 1) that the parts do not contain.
[[nodiscard]] MemoryPrediction memory_interval(const MemoryParts& parts, double uncosted,
                                               const MemoryConstants& constants = {});

/// What processes need together, each with a context of its own. Bounds add up safely: not all are
/// reached at once.
[[nodiscard]] MemoryPrediction sum_of(std::span<const MemoryPrediction> processes);

/// `bytes` as an integer number of bytes; what exceeds the type is its maximum.
[[nodiscard]] Bytes to_bytes(double bytes);

}  // namespace horus::predict
