// SPDX-License-Identifier: Apache-2.0
#pragma once
// The numbers of the step-time model that are neither in the graph nor in the GPU's data sheet,
// each with its reason. Those of TimeConstants can be fitted; their initial values are the priors,
// from public specifications and published practice.

#include <array>

#include "horus/predict/belief_limits.hpp"
#include "horus/predict/kernel.hpp"

namespace horus::predict {

// ---- Kernels ------------------------------------------------------------------------------------

/// What a class of kernels reaches of the GPU's peaks once it fills the machine.
struct ClassEfficiency {
  double plain_flops;   ///< Share of the FP32 (or plain FP16) peak, outside tensor cores.
  double tensor_flops;  ///< Share of the tensor core peak; 0: the class cannot use tensor cores.
  double bandwidth;     ///< Share of the memory bandwidth.
  double latency_s;     ///< From launch to first work and from last work to the next kernel.
};

/// Start and drain of one kernel. The shortest kernels in the published V100 profiles of Orion
/// (Strati et al., EuroSys 2024) run 2.6 to 3.2 us; the gap before a dependent kernel adds 1 us.
inline constexpr double kKernelLatencySeconds = 4e-6;

/// One step of a recurrence is two dependent kernels: the product with the hidden state and the
/// gates (Appleyard et al., "Optimizing Performance of Recurrent Neural Networks on GPUs", 2016).
inline constexpr double kRecurrentStepLatencySeconds = 2 * kKernelLatencySeconds;

/// In the order of KernelClass. Roofline practice: streaming kernels sustain 70 to 80 % of the
/// specified bandwidth, large dense products 70 to 90 % of the peak of the units that compute them.
/// Rounded so that the training throughput of image models in timm's published results (RTX 3090,
/// mixed precision) and of torchvision models in ryujaehun/pytorch-gpu-benchmark is met on average.
inline constexpr std::array<ClassEfficiency, kKernelClasses> kEfficiency{{
    // Convolution: implicit GEMM; tensor cores lose to layout changes and short reductions.
    {0.85, 0.70, 0.70, kKernelLatencySeconds},
    // Winograd: F(2x2,3x3) needs 2.25 times fewer multiplications (Lavin and Gray, CVPR 2016) and
    // its transforms leave most of that gain. Counted in direct FLOPs it passes the peak.
    {1.70, 0.70, 0.70, kKernelLatencySeconds},
    // DepthwiseConvolution: no reduction over channels, a few percent of the peak at best.
    {0.06, 0.00, 0.70, kKernelLatencySeconds},
    // MatrixProduct.
    {0.90, 0.90, 0.70, kKernelLatencySeconds},
    // RecurrentStep: batch x hidden is a thin product, and its weights are read again every step.
    {0.40, 0.20, 0.60, kRecurrentStepLatencySeconds},
    // Normalization: a reduction between two passes.
    {0.50, 0.00, 0.70, kKernelLatencySeconds},
    // Pointwise.
    {0.50, 0.00, 0.75, kKernelLatencySeconds},
    // Update.
    {0.50, 0.00, 0.75, kKernelLatencySeconds},
}};

/// FLOPs that a tiled product does per byte it loads: a tile of 128 x 128 two-byte elements does
/// 64, and caches serve three of four loads. The rate of a product is the harmonic sum of its
/// units' rate and this intensity times the bandwidth, so that chips with many FLOPs per byte reach
/// less of their peak. Half of it for four-byte elements.
inline constexpr double kTileIntensity = 256.0;

/// Columns of the narrowest tile: a group with fewer output channels computes padding.
inline constexpr double kNarrowestTile = 32.0;

/// Output elements per thread block of a dense product: a 64 x 64 tile, the small end of the tiles
/// that CUTLASS documents (64 to 256 a side), which libraries choose when blocks are scarce.
inline constexpr double kTileElements = 64.0 * 64.0;

/// Depth that one block reduces alone before a library splits the reduction over blocks (split-K).
inline constexpr double kSplitDepth = 1024.0;

/// Kernel area over stride squared, as multiply-accumulates per input element and output channel,
/// of a 3 x 3 convolution of stride 1: 9, less where the border is not padded.
inline constexpr double kWinogradTapsMin = 7.0;
inline constexpr double kWinogradTapsMax = 9.5;

/// Fused attention recomputes the scores in its backward pass: five products instead of four
/// (Dao et al., "FlashAttention", NeurIPS 2022, algorithm 4).
inline constexpr double kFusedBackwardFlops = 5.0 / 4.0;

/// BF16 on a GPU without BF16 units: inputs are widened to FP32 and results rounded back, which
/// takes about as long again as the FP32 product.
inline constexpr double kEmulatedBf16 = 0.5;

// ---- Optimizer and loss -------------------------------------------------------------------------

/// One optimizer step over one parameter tensor as a loop of pointwise kernels, one tensor after
/// the other (a fused or multi-tensor optimizer launches fewer): counted from the update rules.
struct UpdateCost {
  double kernels;   ///< Launches.
  double accesses;  ///< Reads plus writes of a parameter-sized tensor, all launches together.
  double states;    ///< Parameter-sized tensors kept between steps.
};

inline constexpr UpdateCost kNoUpdate{0, 0, 0};
inline constexpr UpdateCost kSgd{1, 3, 0};        // p -= lr g
inline constexpr UpdateCost kMomentum{4, 11, 1};  // g += wd p; v *= mu; v += g; p -= lr v
inline constexpr UpdateCost kAdam{8, 20, 2};      // m: 2 launches, v: 2, denominator: 3, p: 1
inline constexpr UpdateCost kAdamW{9, 22, 2};     // Adam, and the decoupled decay p *= 1 - lr wd

/// Gradients are zeroed in place (1 access) and then accumulated into (3 accesses).
inline constexpr UpdateCost kZeroGrad{2, 4, 0};

/// Multi-tensor kernels take at most 110 tensors a launch (the argument table of PyTorch's
/// multi_tensor_apply at depth 1). Loss scaling divides all gradients this way.
inline constexpr double kTensorsPerUnscale = 110;

/// Cross entropy: log-softmax and gather forward, scatter and log-softmax backward.
inline constexpr double kLossLaunchesPerPass = 2;
inline constexpr double kLossFlopsPerElement = 5;

// ---- Host ---------------------------------------------------------------------------------------

/// Eager dispatch of one framework operator: interpreter, dispatcher, autograd record, allocation
/// and a launch of 3 to 5 us. The simplest eager PyTorch operator costs 7 us from Python with
/// gradients (pytorch/pytorch#41383), layers with their modules and checks 20 to 60 us on recent
/// hosts. On those of ryujaehun/pytorch-gpu-benchmark (2018 to 2020) DenseNet-121, whose kernels
/// are small, takes 50 to 110 us per dispatched operator.
inline constexpr double kHostForwardSeconds = 40e-6;
/// The backward pass runs in C++, but one node allocates, launches several kernels, accumulates.
inline constexpr double kHostBackwardSeconds = 60e-6;
/// In-place pointwise operators of the optimizer, without autograd.
inline constexpr double kHostUpdateSeconds = 8e-6;
/// Once per step: fetching the batch, reading the loss, the loop itself.
inline constexpr double kHostStepSeconds = 1e-3;

/// How GPU, host and input pipeline overlap: the step is the p-norm of the three. 1 would be no
/// overlap, infinity a perfect one; 4 costs 19 % where two of them are equal.
inline constexpr double kOverlapNorm = 4.0;

// ---- Spread -------------------------------------------------------------------------------------

/// Log-normal spreads (0.35: one job in three is off by more than a factor 1.42). Kernel
/// efficiency varies that much between library versions and shapes.
inline constexpr double kSigmaGpu = 0.35;
/// The same framework code takes 0.5 to 2 times the time on hosts of different years.
inline constexpr double kSigmaHost = 0.60;
/// Stated rates of input pipelines are averages of something that varies.
inline constexpr double kSigmaLoader = 0.20;
/// Added where precision is emulated: the way depends on the library version.
inline constexpr double kSigmaEmulated = 0.35;

/// What a fit may move.
struct TimeConstants {
  std::array<ClassEfficiency, kKernelClasses> efficiency{kEfficiency};  ///< By KernelClass.
  double tile_intensity{kTileIntensity};
  double narrowest_tile{kNarrowestTile};
  double host_step_s{kHostStepSeconds};
  double host_forward_s{kHostForwardSeconds};
  double host_backward_s{kHostBackwardSeconds};
  double host_update_s{kHostUpdateSeconds};
  double overlap_norm{kOverlapNorm};
  double sigma_gpu{kSigmaGpu};
  double sigma_host{kSigmaHost};
  double sigma_loader{kSigmaLoader};
  double sigma_emulated{kSigmaEmulated};
};

}  // namespace horus::predict
