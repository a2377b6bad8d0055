// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/policies/fifo.hpp"

#include <map>

#include "horus/base/check.hpp"
#include "horus/sched/arrival.hpp"
#include "horus/sched/exclusive.hpp"

namespace horus::sched {
namespace {

class Fifo final : public Policy {
 public:
  std::string_view name() const override { return kFifo.name; }

  void add(const WaitingJob& job) override {
    const auto [place, is_new] = queue_.try_emplace(arrival_of(job), job.spec);
    HORUS_CHECK(is_new && sequences_.emplace(job.spec.id, job.sequence).second,
                "a job waits once at a time");
  }

  void remove(JobId job) override {
    const auto entry = sequences_.find(job);
    HORUS_CHECK(entry != sequences_.end(), "only a waiting job can be removed");
    queue_.erase(Arrival{.sequence = entry->second, .id = job});
    sequences_.erase(entry);
  }

  // Cost: O(log waiting jobs), whatever the size of the cluster.
  std::optional<Decision> next(const Books& books, TimePoint /*now*/) override {
    if (queue_.empty()) return std::nullopt;
    const auto head = queue_.begin();
    const JobSpec& job = head->second;
    const TypeSet fitting = fitting_types(books, job, Bytes{});
    const TypeChoice choice = choose_types(books, fitting, static_cast<std::size_t>(job.gpus));
    auto decision = place_exclusive(books, job, choice);
    if (!decision) return std::nullopt;
    sequences_.erase(job.id);
    queue_.erase(head);
    return decision;
  }

 private:
  std::map<Arrival, JobSpec> queue_;
  std::map<JobId, std::uint64_t> sequences_;  // of the waiting jobs
};

}  // namespace

std::unique_ptr<Policy> make_fifo(const PolicyOptions& /*options*/) {
  return std::make_unique<Fifo>();
}

}  // namespace horus::sched
