// SPDX-License-Identifier: Apache-2.0
#pragma once
// k-means over the features of waiting jobs, the same on every compiler.
// Sources: Lloyd, "Least squares quantization in PCM", 1982; seeding: Arthur and Vassilvitskii,
// "k-means++", SODA 2007.

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "horus/base/rng.hpp"

namespace horus::sched {

/// One job as a point. Components of comparable scale, finite.
using FeaturePoint = std::array<double, 7>;

struct Clustering {
  std::vector<FeaturePoint> centroids;
  std::vector<std::size_t> labels;  ///< Per point: its centroid.
};

struct KMeansOptions {
  std::size_t clusters{3};  ///< At least 1.
  int max_iterations{20};   ///< At least 1.
};

/// The centroid nearest to `point` by Euclidean distance, ties to the first. Requires centroids.
[[nodiscard]] std::size_t nearest_centroid(const FeaturePoint& point,
                                           std::span<const FeaturePoint> centroids);

/// Alternates between labels and means until no label changes. A cluster that loses all its points
/// keeps its centroid. Where there are fewer distinct points than clusters, some stay empty. The
/// answer depends on the order of `points`. Requires points. Cost: O(points x clusters x
/// iterations).
[[nodiscard]] Clustering k_means(std::span<const FeaturePoint> points, const KMeansOptions& options,
                                 Rng rng);

}  // namespace horus::sched
