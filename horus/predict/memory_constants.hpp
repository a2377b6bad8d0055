// SPDX-License-Identifier: Apache-2.0
#pragma once
// The numbers of the memory model, each with its reason. Those of MemoryConstants can be fitted;
// their initial values are the priors.

#include <array>
#include <string_view>

#include "horus/base/quantity.hpp"
#include "horus/domain/prediction.hpp"
#include "horus/predict/belief_limits.hpp"

namespace horus::predict {

/// CUDA context with the code of framework, cuBLAS and cuDNN, before any tensor.
struct ContextSize {
  std::string_view architecture;
  Bytes size;
};

/// Reports: 200 to 700 MB on a K40 (pytorch/pytorch#28113); 300 to 400 MB on a V100 (#20532) and
/// 1008 MiB on a Titan V (#28394); 879 MiB on an RTX 2080 Ti and 1488 MiB on an RTX 3090 (#49877: a
/// tensor of 156 MiB taken off), 1001 (#54564) and 1687 MiB (#55277) on others. Since CUDA 11.7
/// kernels are loaded when first used, about 300 MB before any (#107667); how much a training run
/// then loads is not reported, so that newer chips are taken to be no better than Ampere.
inline constexpr std::array<ContextSize, 8> kContexts{{
    {"Kepler", Bytes{450 << 20}},
    {"Maxwell", Bytes{450 << 20}},
    {"Pascal", Bytes{550 << 20}},
    {"Volta", Bytes{700 << 20}},
    {"Turing", Bytes{880 << 20}},
    {"Ampere", Bytes{1488 << 20}},
    {"Ada", Bytes{1488 << 20}},
    {"Hopper", Bytes{1488 << 20}},
}};
/// For architectures that the table does not know: newer ones.
inline constexpr Bytes kContextElsewhere{1488 << 20};

/// Without tensor cores, convolution libraries unfold their input when memory allows; frameworks
/// choose algorithms whose workspace stays within a few hundred MiB.
inline constexpr Bytes kWorkspaceMax{256 << 20};

/// PyTorch's caching allocator ("CUDA semantics", memory management): blocks are multiples of
/// 512 B, large segments of 2 MiB.
inline constexpr Bytes kBlockBytes{512};
inline constexpr Bytes kSegmentBytes{2 << 20};

/// cuBLAS, through PyTorch: ":4096:2:16:8" (CUBLAS_WORKSPACE_CONFIG, PyTorch's default before
/// Hopper) is 2 x 4 MiB and 8 x 16 KiB.
inline constexpr Bytes kProductWorkspace{(2 * 4096 + 8 * 16) << 10};

/// Tensors of the size of all parameters that the optimizer makes beside its states: since 2.0,
/// PyTorch updates all parameters at once (foreach), and Adam then holds the roots of all second
/// moments; momentum with weight decay holds the decayed gradients.
[[nodiscard]] constexpr double update_temporaries(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::None:
    case Optimizer::Sgd:
      return 0;
    case Optimizer::Momentum:
    case Optimizer::Adam:
    case Optimizer::AdamW:
      break;
  }
  return 1;
}

/// A block that is computed again keeps at least this many times what enters it. A layer of a
/// transformer keeps 17 times its input (Korthikanti et al., "Reducing Activation Recomputation in
/// Large Transformer Models", 2022: 34 bytes per element of 2 bytes, attention matrices aside), its
/// attention alone 11 of 34.
inline constexpr double kBlockGain = 8;

/// Share of tensor memory lost between blocks of different sizes.
inline constexpr double kFragmentation = 0.05;

/// Tensors are counted from the graph; frameworks keep more (copies for layout) or less (in-place).
inline constexpr double kSigmaTensors = 0.20;
/// The context depends on CUDA version and libraries loaded. The public reports of kContexts span
/// 300 to 1008 MiB on one architecture (Volta); taken as the middle 80 % of a log-normal spread,
/// ln(1008 / 300) / (2 x 1.28) = 0.47, rounded.
inline constexpr double kSigmaContext = 0.50;

/// Workspaces are what no graph shows: libraries choose them by rules of their own. The logarithms
/// of errors are taken to grow with their share of the memory, and to be twice as large at this
/// share.
inline constexpr double kDoubtShare = 0.2;

/// What a fit may move. Factors multiply what memory_parts counts.
struct MemoryConstants {
  double context_bytes{0};             ///< 0: by kContexts.
  double lasting{1 + kFragmentation};  ///< Parameters and all of their size.
  double activations{1 + kFragmentation};
  double transient{1 + kFragmentation};
  double workspace{1};  ///< And what the allocator holds.
  double sigma_tensors{kSigmaTensors};
  double sigma_context{kSigmaContext};
  /// Ends of the interval and the bound over what is expected, from measured jobs whose family took
  /// no part in the fit, for a job of memory_doubt() 1; 0: by the sigmas.
  double low_factor{0};
  double high_factor{0};
  double bound_factor{0};
};

}  // namespace horus::predict
