// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/k_means.hpp"

#include <algorithm>

#include "horus/base/check.hpp"

namespace horus::sched {
namespace {

double squared_distance(const FeaturePoint& a, const FeaturePoint& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

/// A point drawn with a probability proportional to its weight; the last of those with any when
/// rounding leaves the draw beyond the end, and the first point when no weight is positive.
std::size_t draw(std::span<const double> weights, Rng& rng) {
  double total = 0.0;
  for (const double weight : weights) total += weight;
  double rest = rng.uniform() * total;
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0.0) continue;
    if (rest < weights[i]) return i;
    rest -= weights[i];
    last = i;
  }
  return last;
}

/// Far points are likelier to become centroids: each by the square of its distance to those chosen.
std::vector<FeaturePoint> seed_centroids(std::span<const FeaturePoint> points, std::size_t count,
                                         Rng& rng) {
  std::vector<FeaturePoint> centroids{points[static_cast<std::size_t>(rng.below(points.size()))]};
  std::vector<double> weights(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    weights[i] = squared_distance(points[i], centroids.back());
  }
  while (centroids.size() < count) {
    centroids.push_back(points[draw(weights, rng)]);
    for (std::size_t i = 0; i < points.size(); ++i) {
      weights[i] = std::min(weights[i], squared_distance(points[i], centroids.back()));
    }
  }
  return centroids;
}

/// True when a label changed.
bool relabel(std::span<const FeaturePoint> points, Clustering& clustering) {
  bool changed = false;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t label = nearest_centroid(points[i], clustering.centroids);
    changed = changed || label != clustering.labels[i];
    clustering.labels[i] = label;
  }
  return changed;
}

void recenter(std::span<const FeaturePoint> points, Clustering& clustering) {
  std::vector<FeaturePoint> sums(clustering.centroids.size(), FeaturePoint{});
  std::vector<double> counts(sums.size(), 0.0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t label = clustering.labels[i];
    for (std::size_t f = 0; f < points[i].size(); ++f) sums[label][f] += points[i][f];
    counts[label] += 1.0;
  }
  for (std::size_t c = 0; c < sums.size(); ++c) {
    if (counts[c] == 0.0) continue;
    for (double& component : sums[c]) component /= counts[c];
    clustering.centroids[c] = sums[c];
  }
}

}  // namespace

std::size_t nearest_centroid(const FeaturePoint& point, std::span<const FeaturePoint> centroids) {
  HORUS_CHECK(!centroids.empty(), "nothing is nearest among none");
  std::size_t nearest = 0;
  double least = squared_distance(point, centroids[0]);
  for (std::size_t c = 1; c < centroids.size(); ++c) {
    const double distance = squared_distance(point, centroids[c]);
    if (distance < least) {
      nearest = c;
      least = distance;
    }
  }
  return nearest;
}

Clustering k_means(std::span<const FeaturePoint> points, const KMeansOptions& options, Rng rng) {
  HORUS_CHECK(!points.empty() && options.clusters >= 1 && options.max_iterations >= 1,
              "clustering needs points, clusters and a turn");
  Clustering clustering{.centroids = seed_centroids(points, options.clusters, rng),
                        .labels = std::vector<std::size_t>(points.size(), options.clusters)};
  for (int i = 0; i < options.max_iterations && relabel(points, clustering); ++i) {
    recenter(points, clustering);
  }
  return clustering;
}

}  // namespace horus::sched
