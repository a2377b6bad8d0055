// SPDX-License-Identifier: Apache-2.0
#pragma once
// The unit of the roofline: what one launch on the GPU computes and moves.

#include <cstddef>
#include <vector>

namespace horus::predict {

/// Kernels grouped by what limits them; time_constants.hpp has one row of efficiencies for each.
enum class KernelClass {
  Convolution,
  Winograd,  ///< 3 x 3 convolutions of stride 1 outside tensor cores.
  DepthwiseConvolution,
  GroupedConvolution,  ///< With FLOPs as padded to whole tiles.
  MatrixProduct,
  RecurrentStep,
  Attention,  ///< Fused: products whose intermediate matrix stays on chip.
  Normalization,
  Pointwise,  ///< Also reductions, lookups and copies: bandwidth only.
  Update,     ///< The optimizer and everything else that runs per parameter tensor.
};
inline constexpr std::size_t kKernelClasses = 10;

/// `launches` equal kernels, one after the other.
struct Kernel {
  KernelClass kind{KernelClass::Pointwise};
  double launches{};
  double flops{};   ///< Per launch.
  double bytes{};   ///< Read and written in device memory, per launch.
  double blocks{};  ///< Thread blocks that can run at once, per launch; 0: enough for any GPU.
  friend bool operator==(const Kernel&, const Kernel&) = default;
};

/// One training step as the GPU and the host see it.
struct Step {
  std::vector<Kernel> kernels;
  double host_ops_forward{};  ///< Framework operators dispatched by the host.
  double host_ops_backward{};
  double host_ops_update{};  ///< In-place operators of the optimizer's loop over tensors.
  double host_launches{};    ///< Kernels of the passes: what each adds to its operator's dispatch.
  double library_calls{};    ///< Of cuDNN: descriptors, the choice of an algorithm, a workspace.
  double samples{};          ///< Fetched by the input pipeline.
  double input_elements{};   ///< Of the fetched samples, copied to the GPU in 4 bytes each.
  double epochs{};           ///< Passes over the data that end with the step; 0: not known.
  int ops_without_cost{};    ///< Operators whose numbers are not usable (negative or not finite).
};

/// `step` with equal kernels in one record: what fits evaluate thousands of times. The order is
/// that of class and sizes. Cost: n log n in kernels.
[[nodiscard]] Step merged(Step step);

/// `step` at `share` of its batch, as far as kernels tell: all but updates work in proportion to
/// the batch, and the host as before. For shares near 1: weights that products read are scaled too.
[[nodiscard]] Step at_share_of_batch(Step step, double share);

}  // namespace horus::predict
