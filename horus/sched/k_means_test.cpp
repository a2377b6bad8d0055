// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/k_means.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace horus::sched {
namespace {

FeaturePoint point(double x, double y = 0.0) { return {x, y, 0, 0, 0, 0, 0}; }

std::vector<FeaturePoint> three_clouds(std::size_t each) {
  std::vector<FeaturePoint> points;
  Rng rng{5};
  for (const double center : {0.0, 0.5, 1.0}) {
    for (std::size_t i = 0; i < each; ++i) {
      points.push_back(point(center + 0.05 * rng.uniform(), 0.05 * rng.uniform()));
    }
  }
  return points;
}

TEST(KMeans, SeparatesWhatIsFarApartWhateverTheSeed) {
  const auto points = three_clouds(30);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Clustering found = k_means(points, {}, Rng{seed});
    ASSERT_THAT((std::vector{found.labels[0], found.labels[30], found.labels[60]}),
                ::testing::UnorderedElementsAre(0U, 1U, 2U))
        << "seed " << seed;
    for (std::size_t i = 0; i < points.size(); ++i) {
      ASSERT_EQ(found.labels[i], found.labels[i / 30 * 30]) << "seed " << seed;
    }
  }
}

TEST(KMeans, PutsCentroidsIntoTheMeanOfTheirPoints) {
  const std::vector points{point(0), point(2), point(10), point(14)};
  Clustering found = k_means(points, {.clusters = 2}, Rng{1});
  std::ranges::sort(found.centroids);
  EXPECT_DOUBLE_EQ(found.centroids[0][0], 1.0);
  EXPECT_DOUBLE_EQ(found.centroids[1][0], 12.0);
}

TEST(KMeans, RepeatsItselfForTheSameSeed) {
  const auto points = three_clouds(50);
  const Clustering once = k_means(points, {}, Rng{9});
  const Clustering again = k_means(points, {}, Rng{9});
  EXPECT_EQ(once.labels, again.labels);
  EXPECT_EQ(once.centroids, again.centroids);
}

TEST(KMeans, LeavesClustersEmptyWhenPointsCoincide) {
  const std::vector<FeaturePoint> points(10, point(0.3));
  const Clustering found = k_means(points, {}, Rng{2});
  EXPECT_EQ(found.centroids.size(), 3U);
  EXPECT_THAT(found.labels, ::testing::Each(0U));
}

TEST(KMeans, StopsAfterTheIterationsItMayTake) {
  // Seeds that fall on 0 and 1 need more than one turn to find the clusters {0, 1} and {10, 14}.
  const std::vector points{point(0), point(1), point(10), point(14)};
  bool stopped_early = false;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Clustering one = k_means(points, {.clusters = 2, .max_iterations = 1}, Rng{seed});
    const Clustering full = k_means(points, {.clusters = 2}, Rng{seed});
    ASSERT_EQ(full.labels[0], full.labels[1]);
    ASSERT_EQ(full.labels[2], full.labels[3]);
    stopped_early = stopped_early || one.labels != full.labels;
  }
  EXPECT_TRUE(stopped_early);
}

TEST(NearestCentroid, GivesTiesToTheFirst) {
  const std::vector centroids{point(0), point(2), point(0)};
  EXPECT_EQ(nearest_centroid(point(1), centroids), 0U);
  EXPECT_EQ(nearest_centroid(point(1.5), centroids), 1U);
}

}  // namespace
}  // namespace horus::sched
