// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where along its depth a network costs what: the numbers behind the picture of room report.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "horus/wire/reports.hpp"

namespace horus::report {

/// Kinds of operators as a reader of a picture tells them apart.
enum class CostGroup {
  Convolution,
  NarrowConvolution,  ///< Depthwise and grouped.
  Linear,
  MatMul,
  Recurrent,
  Normalization,
  Pointwise,
  Other,
};
inline constexpr std::size_t kCostGroups = 8;

[[nodiscard]] CostGroup group_of(OpKind kind);

/// One or several operators that follow each other.
struct DepthBar {
  std::string first;                        ///< Name of the first operator in it.
  std::array<double, kCostGroups> flops{};  ///< Forward and backward, by group.
  double kept_bytes{};  ///< Kept for the backward pass by this and all earlier operators.
  double parameters{};  ///< Of this and all earlier operators.

  [[nodiscard]] double flops_total() const;
};

/// Neighbouring operators whose names begin alike: "layer1", "encoder.layer.3".
struct Stage {
  std::string name;
  std::size_t begin{};  ///< Position of the first operator.
  std::size_t end{};    ///< Behind the last one.
};

struct DepthProfile {
  std::size_t operators{};
  std::size_t operators_per_bar{1};
  std::vector<DepthBar> bars;
};

/// The operators that run a kernel, in topological order, in at most `bars_max` bars of equally
/// many.
[[nodiscard]] DepthProfile depth_profile(const std::vector<wire::NodeRow>& rows,
                                         std::size_t bars_max);

/// The operators that run a kernel, cut where the first `depth` parts of their names change. The
/// parts of a name end at "/" or "."; the last part names the operator and is dropped, unless it is
/// the only one.
[[nodiscard]] std::vector<Stage> stages_at(const std::vector<wire::NodeRow>& rows,
                                           std::size_t depth);

}  // namespace horus::report
