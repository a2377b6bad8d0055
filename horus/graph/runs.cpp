// SPDX-License-Identifier: Apache-2.0
// From values that decide over regions to numbers of runs.

#include "horus/graph/runs.hpp"

#include <algorithm>
#include <optional>

namespace horus::graph {
namespace {

/// Contents of the one output of the node that controls a region.
std::optional<std::int64_t> decision(const Region& region, const GraphIndex& index,
                                     const Inference& inference) {
  const auto& fact = inference.facts[index.outputs[region.control][0]];
  const auto* numbers = fact ? integers_of(*fact) : nullptr;
  if (numbers == nullptr || numbers->size() != 1) return std::nullopt;
  return numbers->front();
}

/// What branches are compared by, the weightiest first.
struct Weight {
  double flops{};
  double elements{};
  double kernels{};

  void add(const OpWork& work) {
    flops += work.flops_forward + work.flops_backward;
    elements += work.elements_read + work.elements_written + work.elements_read_backward +
                work.elements_written_backward;
    kernels += work.kernels_forward + work.kernels_backward;
  }
  void add(const Weight& other) {
    flops += other.flops;
    elements += other.elements;
    kernels += other.kernels;
  }
  friend auto operator<=>(const Weight&, const Weight&) = default;
};

}  // namespace

Runs::Runs(const Structure& structure, const GraphIndex& index, const Inference& inference)
    : structure_{&structure},
      own_(structure.regions.size(), 1.0),
      of_region_(structure.regions.size(), 1.0) {
  for (std::uint32_t r = 1; r < structure.regions.size(); ++r) {
    const Region& region = structure.regions[r];
    const auto decided = decision(region, index, inference);
    if (!decided) {
      if (region.kind != RegionKind::Else) undecided_.push_back(r);
      continue;
    }
    const bool is_taken = (*decided != 0) == (region.kind == RegionKind::Then);
    const double trips = static_cast<double>(*decided);
    own_[r] = region.kind == RegionKind::Repeated ? trips : (is_taken ? 1.0 : 0.0);
  }
  spread();
}

void Runs::spread() {
  endless_.clear();
  for (std::uint32_t r = 1; r < own_.size(); ++r) {
    // Loops in loops in loops can ask for more runs than a double can tell apart.
    constexpr double kMost = 9007199254740992.0;  // 2^53
    const double runs = own_[r] * of_region_[structure_->regions[r].parent];
    of_region_[r] = std::min(runs, kMost);
    if (runs > kMost) endless_.push_back(r);
  }
}

std::vector<std::uint32_t> Runs::drop_cheaper_branches(const std::vector<NodeWork>& works) {
  std::vector<bool> is_open(own_.size(), false);
  for (const std::uint32_t r : undecided_) {
    if (structure_->regions[r].kind == RegionKind::Then) is_open[r] = true;
  }
  std::vector<Weight> weights(own_.size());
  for (const NodeWork& entry : works) weights[structure_->region(entry.node)].add(entry.work);
  std::vector<std::uint32_t> differing;
  // Inner regions come last. An else-branch stands behind its then-branch, so it waits for it.
  for (auto r = static_cast<std::uint32_t>(own_.size()); r-- > 1;) {
    const Region& region = structure_->regions[r];
    const bool is_else = region.kind == RegionKind::Else;
    if (is_else && is_open[region.sibling]) continue;
    if (!is_open[r]) {
      weights[region.parent].add(weights[r]);
      continue;
    }
    const bool takes_then = weights[r] >= weights[region.sibling];
    const std::uint32_t kept = takes_then ? r : region.sibling;
    if (weights[r] != weights[region.sibling]) differing.push_back(r);
    own_[takes_then ? region.sibling : r] = 0;
    weights[region.parent].add(weights[kept]);
  }
  spread();
  return {differing.rbegin(), differing.rend()};
}

void repeat(double runs, OpWork& work) {
  if (runs == 1.0) return;
  for (double* amount :
       {&work.macs, &work.flops_forward, &work.flops_backward, &work.elements_read,
        &work.elements_written, &work.elements_read_backward, &work.elements_written_backward,
        &work.kernels_forward, &work.kernels_backward, &work.host_ops_forward,
        &work.host_ops_backward, &work.sequential_steps}) {
    *amount *= runs;
  }
  const double bytes = static_cast<double>(work.index_bytes.count()) * runs;
  work.index_bytes = Bytes{};
  add_bytes(bytes, work.index_bytes);
}

void add_bytes(double bytes, Bytes& sum) {
  constexpr double kMost = 9e18;
  const double total = static_cast<double>(sum.count()) + bytes;
  sum = Bytes{static_cast<std::int64_t>(std::min(total, kMost))};
}

}  // namespace horus::graph
