// SPDX-License-Identifier: Apache-2.0
#pragma once
// Every number of the analytical model that is neither in the graph nor in the GPU's data sheet,
// each with its reason. They are priors from public specifications and published practice, rounded;
// the spreads at the end say how far off they may be.

#include <array>
#include <string_view>

#include "horus/base/quantity.hpp"
#include "horus/domain/interval.hpp"
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

// ---- Memory -------------------------------------------------------------------------------------

/// CUDA context with the code of framework, cuBLAS and cuDNN, before any tensor.
struct ContextSize {
  std::string_view architecture;
  Bytes size;
};

/// Reports: 200 to 700 MB on a K40 (pytorch/pytorch#28113), 300 to 400 MB on a V100 (#20532),
/// 1008 MiB on a Titan V (#28394), over 1000 MB before CUDA 11.7 and about 300 MB since, kernels
/// being loaded when first used (#107667). Newer chips have more SMs to keep stacks for.
inline constexpr std::array<ContextSize, 8> kContexts{{
    {"Kepler", Bytes{450 << 20}},
    {"Maxwell", Bytes{450 << 20}},
    {"Pascal", Bytes{550 << 20}},
    {"Volta", Bytes{700 << 20}},
    {"Turing", Bytes{700 << 20}},
    {"Ampere", Bytes{900 << 20}},
    {"Ada", Bytes{900 << 20}},
    {"Hopper", Bytes{1000 << 20}},
}};
/// For architectures that the table does not know: newer ones.
inline constexpr Bytes kContextElsewhere{1000 << 20};

/// Convolution libraries unfold their input when memory allows; frameworks choose algorithms whose
/// workspace stays within a few hundred MiB.
inline constexpr Bytes kWorkspaceMax{256 << 20};

/// PyTorch's caching allocator ("CUDA semantics", memory management): blocks are multiples of
/// 512 B, large segments of 2 MiB.
inline constexpr Bytes kBlockBytes{512};
inline constexpr Bytes kSegmentBytes{2 << 20};
/// Share of tensor memory lost between blocks of different sizes.
inline constexpr double kFragmentation = 0.05;

// ---- Spread -------------------------------------------------------------------------------------

/// No step is believed to take longer, seconds: keeps absurd rates finite.
inline constexpr double kStepMostSeconds = 1e12;

/// No count, size or number of operations is believed beyond this, which no machine comes near:
/// keeps sums and products of costs finite.
inline constexpr double kMostOfAnything = 1e40;

/// Quantiles of the standard normal: 90 % (both ends of an Interval) and 95 % (memory bound).
inline constexpr double kZ90 = 1.2816;
inline constexpr double kZ95 = 1.6449;

/// Log-normal spreads (0.35: one job in three is off by more than a factor 1.42). Kernel
/// efficiency varies that much between library versions and shapes.
inline constexpr double kSigmaGpu = 0.35;
/// The same framework code takes 0.5 to 2 times the time on hosts of different years.
inline constexpr double kSigmaHost = 0.60;
/// Stated rates of input pipelines are averages of something that varies.
inline constexpr double kSigmaLoader = 0.20;
/// Added where precision is emulated: the way depends on the library version.
inline constexpr double kSigmaEmulated = 0.35;
/// Tensors are counted from the graph; frameworks keep more (copies for layout) or less (in-place).
inline constexpr double kSigmaTensors = 0.20;
/// The context depends on CUDA version and libraries loaded. The public reports of kContexts span
/// 300 to 1008 MiB on one architecture (Volta); taken as the middle 80 % of a log-normal spread,
/// ln(1008 / 300) / (2 x 1.28) = 0.47, rounded.
inline constexpr double kSigmaContext = 0.50;
/// Added per share of operators that could not be costed: if half of a graph is unknown, its cost
/// may be off by a further factor of e^(0.5 x 2) = 2.7 at one sigma.
inline constexpr double kSigmaUncosted = 2.0;

/// A step of which nothing is known, seconds: a finite stand-in for "anything" that calls itself
/// Origin::Unknown. From the dispatch of a trivial graph to a step that takes minutes.
inline constexpr Interval kUnknownStepSeconds{1.0, 1e-3, 1e3};

// ---- Sharing ------------------------------------------------------------------------------------

/// slowdown = 1 + gain x own^own_exponent x others^others_exponent, where `own` is the job's solo
/// utilization and `others` the share of time that the other jobs keep the GPU busy.
struct SharingLaw {
  double gain;
  double own_exponent;
  double others_exponent;
};

/// UNCALIBRATED prior for Volta and later. Gain 1: two jobs that each fill the GPU run at half
/// speed. Own exponent above 1: a job with idle gaps hides part of its waiting in them.
inline constexpr SharingLaw kOverlapping{1.0, 1.5, 1.0};
/// Before Volta: time slices are long against kernels, so even a job with gaps waits whenever the
/// others run, and gains nothing from overlap. Gavel's public measurements agree (Narayanan et al.,
/// OSDI 2020): the normalized speeds of a pair sum to 1.05 on K80 and 1.13 on P100 (medians).
inline constexpr SharingLaw kSliced{1.0, 0.0, 1.0};

/// Log-normal spread of the excess (slowdown - 1), which is uncalibrated.
inline constexpr double kSigmaExcess = 0.50;
/// Added for each job beyond two, up to a limit: no public measurement covers more than pairs.
inline constexpr double kSigmaExtrapolated = 0.25;
inline constexpr double kSigmaExtrapolatedMax = 1.0;

}  // namespace horus::predict
