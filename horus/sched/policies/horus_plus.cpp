// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/policies/horus_plus.hpp"

#include "horus/sched/clustered_queues.hpp"
#include "horus/sched/priced.hpp"

namespace horus::sched {
namespace {

class HorusPlus final : public Policy {
 public:
  explicit HorusPlus(std::uint64_t seed) : queues_{seed} {}

  std::string_view name() const override { return kHorusPlus.name; }
  void add(const WaitingJob& job) override { queues_.add(job); }
  void remove(JobId job) override { queues_.remove(job); }

  std::optional<Decision> next(const Books& books, TimePoint now) override {
    queues_.settle();
    std::vector<JobId> passed_over;
    std::optional<Decision> decision;
    for (int looks = 0; looks < kLookAhead && !decision; ++looks) {
      const auto job = queues_.take_next(now);
      if (!job) break;
      decision = place_by_cost(books, queues_.job(*job));
      if (decision) {
        queues_.remove(*job);
      } else {
        passed_over.push_back(*job);
      }
    }
    for (const JobId job : passed_over) queues_.put_back(job);
    return decision;
  }

 private:
  ClusteredQueues queues_;
};

}  // namespace

std::unique_ptr<Policy> make_horus_plus(const PolicyOptions& options) {
  return std::make_unique<HorusPlus>(options.seed);
}

}  // namespace horus::sched
