// SPDX-License-Identifier: Apache-2.0
#include "horus/sched/policies/fifo_skip.hpp"

#include "horus/sched/exclusive.hpp"
#include "horus/sched/skip_queue.hpp"

namespace horus::sched {
namespace {

/// How many GPUs, and of which types.
struct ExclusiveAsk {
  std::size_t gpus{};
  TypeChoice choice;
  friend auto operator<=>(const ExclusiveAsk&, const ExclusiveAsk&) = default;
};

class FifoSkip final : public Policy {
 public:
  std::string_view name() const override { return kFifoSkip.name; }
  void add(const WaitingJob& job) override { queue_.add(job); }
  void remove(JobId job) override { queue_.remove(job); }

  // Cost: one look per distinct ask; there are few, since memory only says which types are left.
  std::optional<Decision> next(const Books& books, TimePoint /*now*/) override {
    queue_.settle([&books](const WaitingJob& job) {
      const auto gpus = static_cast<std::size_t>(job.spec.gpus);
      const TypeSet fitting = fitting_types(books, job.spec, Bytes{});
      return ExclusiveAsk{.gpus = gpus, .choice = choose_types(books, fitting, gpus)};
    });
    const WaitingJob* const job = queue_.earliest(
        [&books](const ExclusiveAsk& ask) { return has_empty(books, ask.choice, ask.gpus); });
    if (job == nullptr) return std::nullopt;
    auto decision = place_exclusive(books, job->spec, queue_.settled_ask(job->spec.id).choice);
    queue_.remove(job->spec.id);
    return decision;
  }

 private:
  SkipQueue<ExclusiveAsk> queue_;
};

}  // namespace

std::unique_ptr<Policy> make_fifo_skip(const PolicyOptions& /*options*/) {
  return std::make_unique<FifoSkip>();
}

}  // namespace horus::sched
