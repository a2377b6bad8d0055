// SPDX-License-Identifier: Apache-2.0
#pragma once
// The unit of the roofline: what one launch on the GPU computes and moves.

#include <cstddef>
#include <vector>

namespace horus::predict {

/// Kernels grouped by what limits them; constants.hpp has one row of efficiencies for each.
enum class KernelClass {
  Convolution,  ///< Also grouped, with FLOPs as padded to whole tiles.
  Winograd,     ///< 3 x 3 convolutions of stride 1 outside tensor cores.
  DepthwiseConvolution,
  MatrixProduct,
  RecurrentStep,
  Normalization,
  Pointwise,  ///< Also reductions, lookups and copies: bandwidth only.
  Update,     ///< The optimizer and everything else that runs per parameter tensor.
};
inline constexpr std::size_t kKernelClasses = 8;

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
  int ops_without_cost{};    ///< Operators whose numbers are not usable (negative or not finite).
};

}  // namespace horus::predict
