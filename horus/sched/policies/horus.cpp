// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/policies/horus.hpp"

#include <map>

#include "horus/base/check.hpp"
#include "horus/sched/least_utilizing.hpp"
#include "horus/sched/priced.hpp"

namespace horus::sched {
namespace {

class Horus final : public Policy {
 public:
  std::string_view name() const override { return kHorus.name; }

  void add(const WaitingJob& job) override {
    const Lightness key = lightness_of(job);
    const bool is_new = keys_.emplace(job.spec.id, key).second;
    HORUS_CHECK(is_new, "a job waits once at a time");
    queue_.emplace(key, job);
  }

  void remove(JobId job) override {
    const auto entry = keys_.find(job);
    HORUS_CHECK(entry != keys_.end(), "only a waiting job can be removed");
    queue_.erase(entry->second);
    keys_.erase(entry);
  }

  std::optional<Decision> next(const Books& books, TimePoint /*now*/) override {
    int looks = kLookAhead;
    for (auto place = queue_.begin(); place != queue_.end() && looks > 0; ++place, --looks) {
      auto decision = place_by_cost(books, place->second);
      if (!decision) continue;
      keys_.erase(place->first.arrival.id);
      queue_.erase(place);
      return decision;
    }
    return std::nullopt;
  }

 private:
  std::map<Lightness, WaitingJob> queue_;
  std::map<JobId, Lightness> keys_;  // of the waiting jobs
};

}  // namespace

std::unique_ptr<Policy> make_horus(const PolicyOptions& /*options*/) {
  return std::make_unique<Horus>();
}

}  // namespace horus::sched
