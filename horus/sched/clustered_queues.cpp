// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/clustered_queues.hpp"

#include <algorithm>
#include <numeric>

#include "horus/base/check.hpp"
#include "horus/sched/credit.hpp"

namespace horus::sched {
namespace {

constexpr KMeansOptions kClusteringOptions{.clusters = ClusteredQueues::kQueues,
                                           .max_iterations = 20};
constexpr std::size_t kChangedShare = 10;    // cluster anew when one in ten has changed
constexpr std::size_t kMeanUtilization = 1;  // position among the features
constexpr std::uint64_t kClusteringStream = 0x6b6d65616e73;

/// Renumbers clusters from light to heavy, so that a queue's number means something and most jobs
/// stay where they are when clusters are made anew.
void sort_by_utilization(Clustering& clustering) {
  std::vector<std::size_t> order(clustering.centroids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return clustering.centroids[a][kMeanUtilization] < clustering.centroids[b][kMeanUtilization];
  });
  std::vector<std::size_t> rank(order.size());
  std::vector<FeaturePoint> sorted(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    rank[order[i]] = i;
    sorted[i] = clustering.centroids[order[i]];
  }
  clustering.centroids = std::move(sorted);
  for (std::size_t& label : clustering.labels) label = rank[label];
}

}  // namespace

ClusteredQueues::ClusteredQueues(std::uint64_t seed) : rng_{Rng{seed}.fork(kClusteringStream)} {}

void ClusteredQueues::add(const WaitingJob& job) {
  const bool is_new = jobs_.try_emplace(job.spec.id, Entry{.job = job, .queue = {}}).second;
  HORUS_CHECK(is_new, "a job waits once at a time");
  newcomers_.push_back(job.spec.id);
  ++changes_;
}

void ClusteredQueues::remove(JobId job) {
  const auto entry = jobs_.find(job);
  HORUS_CHECK(entry != jobs_.end(), "only a waiting job can be removed");
  if (entry->second.queue && !entry->second.taken) dequeue(entry->second);
  jobs_.erase(entry);
  ++changes_;
}

void ClusteredQueues::settle() {
  const bool is_stale = changes_ * kChangedShare >= clustered_jobs_;
  if (changes_ > 0 && is_stale && !jobs_.empty()) {
    cluster();
  } else {
    welcome_newcomers();
  }
  newcomers_.clear();
}

std::optional<JobId> ClusteredQueues::take_next(TimePoint now) {
  Queue* richest = nullptr;
  double most = 0.0;
  for (Queue& queue : queues_) {
    if (queue.jobs.empty()) continue;
    const double credit =
        queue_credit(queue.jobs.size(), queue.waiting_since.twice_median_us(), now);
    if (richest == nullptr || credit > most) {
      richest = &queue;
      most = credit;
    }
  }
  if (richest == nullptr) return std::nullopt;
  const JobId job = richest->jobs.begin()->arrival.id;
  Entry& entry = jobs_.at(job);
  dequeue(entry);
  entry.taken = true;
  return job;
}

void ClusteredQueues::put_back(JobId job) {
  Entry& entry = jobs_.at(job);
  HORUS_CHECK(entry.taken, "only a job that was taken can come back");
  entry.taken = false;
  enqueue(entry, *entry.queue);
}

void ClusteredQueues::enqueue(Entry& entry, std::size_t queue) {
  entry.queue = queue;
  queues_[queue].jobs.insert(lightness_of(entry.job));
  queues_[queue].waiting_since.insert(entry.job.waiting_since);
}

void ClusteredQueues::dequeue(Entry& entry) {
  Queue& queue = queues_[*entry.queue];
  queue.jobs.erase(lightness_of(entry.job));
  queue.waiting_since.erase(entry.job.waiting_since);
}

// Points go in the order of ids, so that the answer does not depend on who was added first.
void ClusteredQueues::cluster() {
  std::vector<FeaturePoint> points;
  points.reserve(jobs_.size());
  for (const auto& [id, entry] : jobs_) points.push_back(features_of(entry.job));
  scale_ = FeatureScale{points};
  for (FeaturePoint& point : points) point = scale_.scaled(point);
  Clustering clustering = k_means(points, kClusteringOptions, rng_.fork(clusterings_++));
  sort_by_utilization(clustering);
  centroids_ = std::move(clustering.centroids);
  auto label = clustering.labels.begin();
  for (auto& [id, entry] : jobs_) {
    if (entry.queue != *label) {
      if (entry.queue) dequeue(entry);
      enqueue(entry, *label);
    }
    ++label;
  }
  clustered_jobs_ = jobs_.size();
  changes_ = 0;
}

void ClusteredQueues::welcome_newcomers() {
  for (const JobId id : newcomers_) {
    const auto entry = jobs_.find(id);
    if (entry == jobs_.end() || entry->second.queue) continue;
    const FeaturePoint point = scale_.scaled(features_of(entry->second.job));
    enqueue(entry->second, nearest_centroid(point, centroids_));
  }
}

}  // namespace horus::sched
