// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/policies/pack_blind.hpp"

#include "horus/sched/packed.hpp"
#include "horus/sched/skip_queue.hpp"

namespace horus::sched {
namespace {

class PackBlind final : public Policy {
 public:
  std::string_view name() const override { return kPackBlind.name; }
  void add(const WaitingJob& job) override { queue_.add(job); }
  void remove(JobId job) override { queue_.remove(job); }

  std::optional<Decision> next(const Books& books, TimePoint /*now*/) override {
    queue_.settle([&books](const WaitingJob& job) { return pack_ask(books, job); });
    std::vector<GpuIndex> gpus;  // of the last ask that fitted, which is the earliest job's
    const WaitingJob* const job = queue_.earliest([&](const PackAsk& ask) {
      auto packed = pack(books, ask);
      if (packed.empty()) return false;
      gpus = std::move(packed);
      return true;
    });
    if (job == nullptr) return std::nullopt;
    Decision decision{.placement = {.job = job->spec.id, .gpus = std::move(gpus)},
                      .exclusive = job->alone};
    queue_.remove(decision.placement.job);
    return decision;
  }

 private:
  SkipQueue<PackAsk> queue_;
};

}  // namespace

std::unique_ptr<Policy> make_pack_blind(const PolicyOptions& /*options*/) {
  return std::make_unique<PackBlind>();
}

}  // namespace horus::sched
