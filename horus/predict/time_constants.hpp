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
};

/// Start and drain of one kernel. The shortest kernels in the published V100 profiles of Orion
/// (Strati et al., EuroSys 2024) run 2.6 to 3.2 us; the gap before a dependent kernel adds 1 us.
inline constexpr double kKernelLatencySeconds = 4e-6;

/// What a monitor sees of a kernel that waits for no other, in units of that latency: 3 of 4 us by
/// the same profiles. The rest passes between kernels, which is idle time where the GPU waits for
/// the host, and hidden where kernels are queued. Above 1 where the GPU wakes up and falls idle
/// around a lone kernel and the counters behind NVML's utilization take that for activity.
inline constexpr double kResidentShare = 0.75;

/// One step of a recurrence is two dependent kernels: the product with the hidden state and the
/// gates (Appleyard et al., "Optimizing Performance of Recurrent Neural Networks on GPUs", 2016).
inline constexpr double kRecurrentStepLatencySeconds = 2 * kKernelLatencySeconds;

/// In the order of KernelClass. Roofline practice: streaming kernels sustain 70 to 80 % of the
/// specified bandwidth, large dense products 70 to 90 % of the peak of the units that compute them.
/// Rounded so that the training throughput of image models in timm's published results (RTX 3090,
/// mixed precision) and of torchvision models in ryujaehun/pytorch-gpu-benchmark is met on average.
inline constexpr std::array<ClassEfficiency, kKernelClasses> kEfficiency{{
    // Convolution: implicit GEMM; tensor cores lose to layout changes and short reductions.
    {0.85, 0.70, 0.70},
    // Winograd: F(2x2,3x3) needs 2.25 times fewer multiplications (Lavin and Gray, CVPR 2016) and
    // its transforms leave most of that gain. Counted in direct FLOPs it passes the peak.
    {1.70, 0.70, 0.70},
    // DepthwiseConvolution: no reduction over channels, a few percent of the peak at best.
    {0.06, 0.00, 0.70},
    // GroupedConvolution: one narrow product per group, far below what a wide one reaches
    // (soumith/cudnn.torch and pytorch/pytorch#18631 report grouped layers slower than dense ones).
    {0.40, 0.15, 0.70},
    // MatrixProduct.
    {0.90, 0.90, 0.70},
    // RecurrentStep: batch x hidden is a thin product, and its weights are read again every step.
    {0.40, 0.20, 0.60},
    // Attention: half of the tensor cores' peak (Dao et al., "FlashAttention", NeurIPS 2022; 30 to
    // 50 % on A100 by Dao, "FlashAttention-2", 2023).
    {0.60, 0.40, 0.70},
    // Normalization: a reduction between two passes.
    {0.50, 0.00, 0.70},
    // Pointwise.
    {0.50, 0.00, 0.75},
    // Update.
    {0.50, 0.00, 0.75},
}};

/// What TF32 reaches of its own peak where FP16 reaches the share above: the same units.
inline constexpr double kTf32Share = 1.0;

/// What FP16 reaches of the FP32 rate where the chip has no fast FP16: the numbers are widened,
/// computed in FP32 and narrowed again.
inline constexpr double kHalfShare = 0.8;

/// Bandwidth of the framework's own normalization kernels against cuDNN's. Models cast to two bytes
/// as a whole need them: cuDNN wants FP32 weights beside FP16 data (ATen/native/Normalization.cpp).
inline constexpr double kNativeNormShare = 0.5;

/// Convolutions in tensor cores want channels last. Where the framework keeps them second, cuDNN
/// rewrites operands and results (its nchwToNhwc kernels), each read and written once more: up to
/// twice the bytes of the convolution itself.
inline constexpr double kLayoutTraffic = 1.0;

/// FLOPs that a tiled product does per byte it loads: a tile of 128 x 128 two-byte elements does
/// 64, and caches serve three of four loads. The rate of a product is the harmonic sum of its
/// units' rate and this intensity times the bandwidth, so that chips with many FLOPs per byte reach
/// less of their peak. Half of it for four-byte elements.
inline constexpr double kTileIntensity = 256.0;

/// Columns of the narrowest tile: a group with fewer output channels computes padding.
inline constexpr double kNarrowestTile = 32.0;

/// Output elements per thread block of a dense product where blocks are scarce: a 32 x 32 tile, the
/// smallest that cuBLAS and CUTLASS offer.
inline constexpr double kTileElements = 32.0 * 32.0;

/// Tiles that libraries choose where blocks are scarce, in units of that one: 64 x 64. Smaller ones
/// would fill more processors, but load more per FLOP.
inline constexpr double kTileArea = 4.0;

/// Filling the pipeline of a tiled product and writing its result: a round trip to device memory of
/// about 600 ns (Jia et al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking",
/// 2018) at each end.
inline constexpr double kProductLatencySeconds = 1e-6;

/// Rows and columns of the narrowest operand that a tile computes in full.
inline constexpr double kNarrowestOperand = 16.0;

/// What a thread block of a pointwise kernel moves: 128 threads with 4 elements each (PyTorch's
/// vectorized loops), read and written in 4 bytes.
inline constexpr double kBytesPerBlock = 128.0 * 4.0 * 2.0 * 4.0;

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

/// Reads plus writes of a gradient: to zero it, and to add a pass to it.
inline constexpr double kZeroAccesses = 1;
inline constexpr double kAccumulateAccesses = 3;

/// Multi-tensor kernels (PyTorch's multi_tensor_apply) take 110 tensors a launch where they touch
/// one list, 36 where they touch four, and at most 320 chunks of 65,536 elements.
inline constexpr double kTensorsPerLaunch = 48;
inline constexpr double kParametersPerLaunch = 320.0 * 65536.0;
/// Sorting a tensor into the lists, against the dispatch of one in-place operator.
inline constexpr double kHostOpsPerListedTensor = 0.25;
/// Loss scaling divides all gradients: one read and one write.
inline constexpr double kUnscaleAccesses = 2;

/// Cross entropy: log-softmax and gather forward, scatter and log-softmax backward.
inline constexpr double kLossLaunchesPerPass = 2;
inline constexpr double kLossFlopsPerElement = 5;

// ---- Host ---------------------------------------------------------------------------------------

/// Eager dispatch of one framework operator: interpreter, dispatcher, autograd record, allocation.
/// The simplest eager PyTorch operator costs 7 us from Python with gradients
/// (pytorch/pytorch#41383), layers with their modules and checks 20 to 60 us on recent hosts. On
/// those of ryujaehun/pytorch-gpu-benchmark (2018 to 2020) DenseNet-121, whose kernels are small,
/// takes 50 to 110 us per dispatched operator, all that follows included.
inline constexpr double kHostForwardSeconds = 30e-6;
/// The backward pass runs in C++: a node is found, allocates, and hands its result on.
inline constexpr double kHostBackwardSeconds = 30e-6;
/// One launch: 3 to 5 us in the driver, as much again in the framework around it.
inline constexpr double kHostLaunchSeconds = 8e-6;
/// Of that, what a launch from within a library costs: the driver's part.
inline constexpr double kLibraryLaunchShare = 0.5;
/// One call of cuDNN beside its launch.
inline constexpr double kHostLibrarySeconds = 15e-6;
/// In-place pointwise operators of the optimizer, without autograd.
inline constexpr double kHostUpdateSeconds = 8e-6;
/// Once per step: fetching the batch, reading the loss, the loop itself.
inline constexpr double kHostStepSeconds = 1e-3;

/// Copying inputs from pageable memory to the GPU: 6 GB/s, half of what PCIe 3.0 x16 gives to
/// pinned memory (NVIDIA's bandwidthTest on hosts of 2018 to 2020 shows 3 to 9 GB/s).
inline constexpr double kCopySecondsPerByte = 1 / 6e9;

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
  double latency_s{kKernelLatencySeconds};  ///< Of a launch, before and after its work.
  double recurrent_latency_s{kRecurrentStepLatencySeconds};  ///< Of a step of a recurrence.
  double product_latency_s{kProductLatencySeconds};          ///< Beyond that, of a product.
  double tile_area{kTileArea};
  double tf32_share{kTf32Share};
  double half_share{kHalfShare};
  double native_norm_share{kNativeNormShare};
  double layout_traffic{kLayoutTraffic};
  double tile_intensity{kTileIntensity};
  double resident_share{kResidentShare};
  double host_step_s{kHostStepSeconds};  ///< host_factor does not apply: it is the loop's own.
  double host_forward_s{kHostForwardSeconds};
  double host_backward_s{kHostBackwardSeconds};
  double host_update_s{kHostUpdateSeconds};
  double host_launch_s{kHostLaunchSeconds};
  double host_library_s{kHostLibrarySeconds};
  double copy_s_per_byte{kCopySecondsPerByte};
  /// Of an input pipeline whose rate is not stated: per sample and per element of its tensors.
  /// 0: it never waits. Known only from measurements of the site.
  double loader_sample_s{0};
  double loader_element_s{0};
  /// Of one way to measure, and nothing that a job can change: seconds between two passes over the
  /// data (processes of the loader end and begin), seconds before and after all steps per second of
  /// steps, and the share of copies that counts as use of the GPU (above 1 where copies are slower
  /// than copy_s_per_byte says).
  double epoch_s{0};
  double outside_steps{0};
  double copy_share_seen{0};
  double overlap_norm{kOverlapNorm};
  /// Of one site, against the rest: what its kernels and its host take longer.
  double gpu_factor{1};
  double host_factor{1};
  double sigma_gpu{kSigmaGpu};
  double sigma_host{kSigmaHost};
  double sigma_loader{kSigmaLoader};
};

}  // namespace horus::predict
