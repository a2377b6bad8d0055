// SPDX-License-Identifier: Apache-2.0
#pragma once
// Waiting jobs in order of arrival where what does not fit is passed over.

#include <map>
#include <set>
#include <vector>

#include "horus/base/check.hpp"
#include "horus/sched/arrival.hpp"
#include "horus/sched/policy.hpp"

namespace horus::sched {

/// Jobs with an equal `Ask` fit or do not fit alike, so only the first of them is looked at:
/// finding the earliest job that fits costs one look per distinct ask, however many jobs wait.
template <class Ask>
class SkipQueue {
 public:
  /// Cost: O(log waiting jobs).
  void add(const WaitingJob& job) {
    const bool is_new =
        jobs_.try_emplace(job.spec.id, Entry{.job = job, .group = groups_.end()}).second;
    HORUS_CHECK(is_new, "a job waits once at a time");
    newcomers_.push_back(job.spec.id);
  }

  /// Cost: O(log waiting jobs).
  void remove(JobId id) {
    const auto entry = jobs_.find(id);
    HORUS_CHECK(entry != jobs_.end(), "only a waiting job can be removed");
    if (const auto group = entry->second.group; group != groups_.end()) {
      group->second.erase(arrival_of(entry->second.job));
      if (group->second.empty()) groups_.erase(group);
    }
    jobs_.erase(entry);
  }

  /// Groups the jobs that were added since the last call. `ask_of(WaitingJob) -> Ask`.
  template <class AskOf>
  void settle(AskOf ask_of) {
    for (const JobId id : newcomers_) {
      const auto entry = jobs_.find(id);
      if (entry == jobs_.end() || entry->second.group != groups_.end()) continue;
      const auto group = groups_.try_emplace(ask_of(entry->second.job)).first;
      group->second.insert(arrival_of(entry->second.job));
      entry->second.group = group;
    }
    newcomers_.clear();
  }

  /// The earliest settled job whose ask `fits`, with its ask; null when there is none.
  template <class Fits>
  [[nodiscard]] const WaitingJob* earliest(Fits fits) const {
    const Arrival* best = nullptr;
    for (const auto& [ask, arrivals] : groups_) {
      const Arrival& first = *arrivals.begin();
      if ((best == nullptr || first < *best) && fits(ask)) best = &first;
    }
    return best == nullptr ? nullptr : &jobs_.at(best->id).job;
  }

  /// The ask of a settled job.
  [[nodiscard]] const Ask& settled_ask(JobId id) const { return jobs_.at(id).group->first; }

 private:
  using Groups = std::map<Ask, std::set<Arrival>>;
  struct Entry {
    WaitingJob job;
    typename Groups::iterator group;  // the end until settled
  };

  std::map<JobId, Entry> jobs_;
  Groups groups_;  // without empty groups
  std::vector<JobId> newcomers_;
};

}  // namespace horus::sched
