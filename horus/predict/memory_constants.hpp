// SPDX-License-Identifier: Apache-2.0
#pragma once
// The numbers of the memory model, each with its reason. Those of MemoryConstants can be fitted;
// their initial values are the priors.

#include <array>
#include <string_view>

#include "horus/base/quantity.hpp"
#include "horus/predict/belief_limits.hpp"

namespace horus::predict {

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

/// Tensors are counted from the graph; frameworks keep more (copies for layout) or less (in-place).
inline constexpr double kSigmaTensors = 0.20;
/// The context depends on CUDA version and libraries loaded. The public reports of kContexts span
/// 300 to 1008 MiB on one architecture (Volta); taken as the middle 80 % of a log-normal spread,
/// ln(1008 / 300) / (2 x 1.28) = 0.47, rounded.
inline constexpr double kSigmaContext = 0.50;

/// What a fit may move.
struct MemoryConstants {
  double fragmentation{kFragmentation};
  double sigma_tensors{kSigmaTensors};
  double sigma_context{kSigmaContext};
};

}  // namespace horus::predict
