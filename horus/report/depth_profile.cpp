// SPDX-License-Identifier: Apache-2.0
#include "horus/report/depth_profile.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "horus/base/check.hpp"

namespace horus::report {
namespace {

// In the order of OpKind.
constexpr auto kGroups = std::to_array<CostGroup>({
    CostGroup::Convolution,        // Convolution
    CostGroup::NarrowConvolution,  // DepthwiseConvolution
    CostGroup::NarrowConvolution,  // GroupedConvolution
    CostGroup::Linear,             // Linear
    CostGroup::MatMul,             // MatMul
    CostGroup::Recurrent,          // Recurrent
    CostGroup::Normalization,      // BatchNorm
    CostGroup::Normalization,      // LayerNorm
    CostGroup::Pointwise,          // Softmax
    CostGroup::Pointwise,          // Activation
    CostGroup::Pointwise,          // Elementwise
    CostGroup::Pointwise,          // Dropout
    CostGroup::Other,              // Pool
    CostGroup::Other,              // Reduction
    CostGroup::Other,              // Embedding
    CostGroup::Other,              // DataMovement
    CostGroup::Other,              // Free
});
static_assert(kGroups.size() == static_cast<std::size_t>(OpKind::Free) + 1);

/// A cost that can be drawn: sizes beyond reason give costs beyond any axis.
double drawable(double cost) {
  constexpr double kMost = 1e30;
  return cost >= 0.0 ? std::min(cost, kMost) : 0.0;
}

bool runs_a_kernel(const wire::NodeRow& row) { return row.kind != OpKind::Free; }

/// The first `depth` parts of a name, without the last one if there are several.
std::string_view prefix_of(std::string_view name, std::size_t depth) {
  constexpr std::string_view kSeparators = "/.";
  const std::size_t start = std::min(name.find_first_not_of(kSeparators), name.size());
  std::size_t end = name.size();
  std::size_t place = start;
  for (std::size_t part = 0; part < depth; ++part) {
    const std::size_t separator = name.find_first_of(kSeparators, place);
    if (separator == std::string_view::npos) break;
    end = separator;
    place = separator + 1;
  }
  return name.substr(start, end - start);
}

}  // namespace

CostGroup group_of(OpKind kind) {
  const auto place = static_cast<std::size_t>(kind);
  HORUS_CHECK(place < kGroups.size(), "every kind has a group");
  return kGroups[place];
}

double DepthBar::flops_total() const { return std::accumulate(flops.begin(), flops.end(), 0.0); }

DepthProfile depth_profile(const std::vector<wire::NodeRow>& rows, std::size_t bars_max) {
  HORUS_CHECK(bars_max > 0, "a profile without bars shows nothing");
  DepthProfile profile;
  profile.operators = static_cast<std::size_t>(std::ranges::count_if(rows, runs_a_kernel));
  profile.operators_per_bar =
      std::max<std::size_t>(1, (profile.operators + bars_max - 1) / bars_max);
  std::size_t position = 0;
  double kept_bytes = 0.0;
  double parameters = 0.0;
  for (const wire::NodeRow& row : rows) {
    // What runs no kernel takes no place, but what it brings along is there.
    kept_bytes += drawable(as_double(row.activation_bytes));
    parameters += drawable(row.parameters);
    if (runs_a_kernel(row)) {
      if (position % profile.operators_per_bar == 0) profile.bars.push_back({.first = row.name});
      const auto group = static_cast<std::size_t>(group_of(row.kind));
      profile.bars.back().flops[group] += drawable(row.flops_training());
      ++position;
    }
    if (profile.bars.empty()) continue;
    profile.bars.back().kept_bytes = kept_bytes;
    profile.bars.back().parameters = parameters;
  }
  return profile;
}

std::vector<Stage> stages_at(const std::vector<wire::NodeRow>& rows, std::size_t depth) {
  std::vector<Stage> stages;
  std::size_t position = 0;
  for (const wire::NodeRow& row : rows) {
    if (!runs_a_kernel(row)) continue;
    const std::string_view name = prefix_of(row.name, depth);
    if (stages.empty() || stages.back().name != name) {
      stages.push_back({.name = std::string{name}, .begin = position, .end = position});
    }
    stages.back().end = ++position;
  }
  return stages;
}

}  // namespace horus::report
