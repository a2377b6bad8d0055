// SPDX-License-Identifier: Apache-2.0
#pragma once
// Constants of the memory model from measured jobs.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horus/base/quantity.hpp"
#include "horus/lab/method.hpp"
#include "horus/predict/memory_constants.hpp"

namespace horus::lab {

/// Memory of a process before its first tensor, which depends on GPU and framework.
struct MemorySite {
  std::string gpu;
  std::string framework;
  Bytes context;
  std::size_t jobs{};
  friend bool operator==(const MemorySite&, const MemorySite&) = default;
};

struct MemoryFit {
  predict::MemoryConstants constants;  ///< context_bytes is 0: contexts belong to sites.
  std::vector<MemorySite> sites;       ///< By GPU, framework.

  /// The constants with the context of that site, if it is known.
  [[nodiscard]] predict::MemoryConstants at(std::string_view gpu, std::string_view framework) const;
};

/// How much jobs may teach: contexts alone, or every factor.
enum class MemoryMoves { Everything, SitesOnly };

/// Fits contexts and factors to the measured peaks of `samples`; runs that ended out of memory,
/// samples without a measured peak and records that count tensors alone say nothing. `start` are
/// the centres of the priors; the search begins at `nearby`, a fit of nearly the same samples, if
/// there is one. Errors count by the size of their logarithm. With enough families the ends of the
/// interval and the 95 % bound come from families held out in turn.
[[nodiscard]] MemoryFit fit_memory(std::span<const Sample* const> samples,
                                   const predict::MemoryConstants& start = {},
                                   MemoryMoves moves = MemoryMoves::Everything,
                                   const MemoryFit* nearby = nullptr);

}  // namespace horus::lab
