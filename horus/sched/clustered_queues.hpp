// SPDX-License-Identifier: Apache-2.0
#pragma once
// The three queues of horus+: like jobs wait together, and the most urgent queue gives first.

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "horus/base/rng.hpp"
#include "horus/sched/job_features.hpp"
#include "horus/sched/least_utilizing.hpp"
#include "horus/sched/policy.hpp"
#include "horus/sched/running_median.hpp"

namespace horus::sched {

class ClusteredQueues {
 public:
  static constexpr std::size_t kQueues = 3;

  /// Draws from a stream of its own: nothing else that the seed is used for shares its numbers.
  explicit ClusteredQueues(std::uint64_t seed);

  /// The job is queued by the next settle().
  void add(const WaitingJob& job);
  void remove(JobId job);

  /// Brings every job into its queue: clusters anew when a tenth of the jobs have come or gone
  /// since the last time, or sends newcomers to the nearest centroid.
  void settle();

  /// Takes the lightest job out of the queue with the most credit at `now`, ties to the lower
  /// queue. It still waits: it must be removed, or come back by put_back. Requires settled queues.
  [[nodiscard]] std::optional<JobId> take_next(TimePoint now);
  void put_back(JobId job);

  [[nodiscard]] const WaitingJob& job(JobId id) const { return jobs_.at(id).job; }
  /// The queue of a settled job.
  [[nodiscard]] std::size_t queue_of(JobId id) const { return *jobs_.at(id).queue; }

 private:
  struct Entry {
    WaitingJob job;
    std::optional<std::size_t> queue;  // absent until settled
    bool taken{};                      // out of its queue for now
  };
  struct Queue {
    std::set<Lightness> jobs;
    RunningMedian waiting_since;
  };

  void enqueue(Entry& entry, std::size_t queue);
  void dequeue(Entry& entry);
  void cluster();
  void welcome_newcomers();

  Rng rng_;
  std::map<JobId, Entry> jobs_;
  std::array<Queue, kQueues> queues_;
  std::vector<JobId> newcomers_;
  FeatureScale scale_;
  std::vector<FeaturePoint> centroids_;  // empty before the first clustering
  std::size_t clustered_jobs_{};         // waiting at the last clustering
  std::size_t changes_{};                // jobs that came or went since then
  std::uint64_t clusterings_{};
};

}  // namespace horus::sched
