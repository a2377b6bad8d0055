// SPDX-License-Identifier: Apache-2.0
#pragma once
// How often the parts of a flat graph run in one step: trips of loops, branches that are taken.

#include <cstdint>
#include <vector>

#include "horus/domain/graph_features.hpp"
#include "horus/graph/flatten.hpp"
#include "horus/graph/graph_index.hpp"
#include "horus/graph/inference.hpp"
#include "horus/graph/node_work.hpp"

namespace horus::graph {

/// Runs of each region of a structure. Without any, every node runs once.
class Runs {
 public:
  Runs() = default;

  /// Trips and branches as the values say that decide over them. A loop whose trips are unknown
  /// runs once; of a branch whose condition is unknown both sides run, until one is dropped.
  Runs(const Structure& structure, const GraphIndex& index, const Inference& inference);

  /// 0: it does not run at all.
  [[nodiscard]] double of(NodeIndex n) const {
    return of_region_.empty() ? 1.0 : of_region_[structure_->region(n)];
  }
  [[nodiscard]] double of_region(std::uint32_t region) const { return of_region_[region]; }
  /// Regions that run more often than can be counted; 2^53 times counts for them.
  [[nodiscard]] const std::vector<std::uint32_t>& endless() const { return endless_; }
  /// Repeated regions whose trips are unknown, and then-branches whose condition is, in order.
  [[nodiscard]] const std::vector<std::uint32_t>& undecided() const { return undecided_; }

  /// Of each If whose condition is unknown, the branch of less work stops running. `works` are
  /// those of all nodes that run. Returns the then-branches of every If whose sides differ in work.
  std::vector<std::uint32_t> drop_cheaper_branches(const std::vector<NodeWork>& works);

 private:
  void spread();

  const Structure* structure_{nullptr};
  std::vector<double> own_;  ///< Relative to the region around.
  std::vector<double> of_region_;
  std::vector<std::uint32_t> undecided_;
  std::vector<std::uint32_t> endless_;
};

/// Multiplies what `work` does in one run. Left alone: weights, which are there once; the product
/// behind it; and what is kept for backward, which the graph accounts for.
void repeat(double runs, OpWork& work);

/// Adds to a sum of bytes that stays at 9 EB, about what 64 bits hold: no machine has as many, but
/// a file may ask for more.
void add_bytes(double bytes, Bytes& sum);

}  // namespace horus::graph
