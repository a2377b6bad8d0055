// SPDX-License-Identifier: Apache-2.0
#pragma once
// Peak device memory of one training process.

#include <span>

#include "horus/domain/gpu.hpp"
#include "horus/domain/graph_features.hpp"
#include "horus/domain/prediction.hpp"
#include "horus/predict/memory_constants.hpp"

namespace horus::predict {

/// What is alive at the peak, the end of the forward pass and the start of the backward pass, in
/// bytes. All parts are never negative.
struct MemoryParts {
  double context{};      ///< CUDA context and library code.
  double parameters{};   ///< Weights and untrained buffers.
  double gradients{};    ///< Of parameters.
  double states{};       ///< Of the optimizer.
  double copies{};       ///< Low-precision copies of weights.
  double activations{};  ///< Kept from forward to backward, inputs and outputs included.
  double transient{};    ///< Gradients of activations around the largest operator.
  double workspace{};    ///< Of convolution algorithms.
};

/// `ops` are the operators of `features`, or what fuse_attention made of them; those without usable
/// cost are left out.
[[nodiscard]] MemoryParts memory_parts(const GraphFeatures& features, std::span<const OpWork> ops,
                                       const TrainingSetup& setup, const GpuSpec& gpu);

/// Tensors with the allocator's losses, the interval and the bound. `uncosted` is the share of
/// operators (0 to below 1) that the parts do not contain.
[[nodiscard]] MemoryPrediction memory_interval(const MemoryParts& parts, double uncosted,
                                               const MemoryConstants& constants = {});

/// `bytes` as an integer number of bytes; what exceeds the type is its maximum.
[[nodiscard]] Bytes to_bytes(double bytes);

}  // namespace horus::predict
