// SPDX-License-Identifier: Apache-2.0
#pragma once
// The best few of many offers.

#include <compare>
#include <cstddef>
#include <span>
#include <vector>

#include "horus/domain/job.hpp"

namespace horus::sched {

/// A GPU and what it would cost to place a task there. Ordered by cost, then by number.
struct PricedGpu {
  double cost{};  ///< Finite.
  GpuIndex gpu{};
  friend auto operator<=>(const PricedGpu&, const PricedGpu&) = default;
};

/// Keeps the `wanted` cheapest of the GPUs offered to it, whatever the order of the offers.
class CheapestGpus {
 public:
  /// Requires wanted >= 1.
  explicit CheapestGpus(std::size_t wanted);

  /// False when the offer is not among the cheapest so far. Cost: O(log wanted).
  bool offer(PricedGpu offered);

  /// An offer that costs more than this is refused; one that costs the same may not be.
  [[nodiscard]] double limit() const;

  [[nodiscard]] bool complete() const { return heap_.size() == wanted_; }
  /// In no order.
  [[nodiscard]] std::span<const PricedGpu> kept() const { return heap_; }
  /// Cheapest first; nothing is kept afterwards.
  [[nodiscard]] std::vector<PricedGpu> take_sorted();

 private:
  std::size_t wanted_;
  std::vector<PricedGpu> heap_;  // the dearest on top
};

}  // namespace horus::sched
