// SPDX-License-Identifier: Apache-2.0
#include "horus/engine/engine.hpp"

#include <map>
#include <optional>
#include <utility>

#include "horus/base/check.hpp"
#include "horus/engine/admission.hpp"

namespace horus::engine {

using sched::Sharing;

namespace {

/// A job between its admission and its end.
struct Job {
  sched::WaitingJob request;
  std::optional<Sharing> running;  ///< Absent while it waits.
};

}  // namespace

struct Engine::State {
  State(const Cluster& the_cluster, const sched::BooksOptions& options,
        std::unique_ptr<sched::Policy> the_policy)
      : books{the_cluster, options}, policy{std::move(the_policy)} {
    HORUS_CHECK(policy != nullptr, "an engine needs a policy");
  }

  void apply(const Submitted& event);
  void apply(const Finished& event);
  void apply(const OutOfMemory& event);
  void decide();

  /// The running job `id`, its GPUs released.
  std::map<JobId, Job>::iterator stop(JobId id);
  void wait(Job& job);
  [[nodiscard]] bool starts_alone(const JobSpec& job) const;

  sched::Books books;
  std::unique_ptr<sched::Policy> policy;
  std::map<JobId, Job> jobs;  // waiting and running
  std::size_t running{};
  std::uint64_t next_sequence{};
  TimePoint now{TimePoint::min()};
  std::vector<Effect> effects;
};

void Engine::State::apply(const Submitted& event) {
  const JobSpec& spec = event.job;
  if (jobs.contains(spec.id)) {
    effects.emplace_back(Reject{.job = spec.id, .reason = duplicate_reason(spec.id)});
    return;
  }
  if (auto reason = reason_to_reject(books, spec)) {
    effects.emplace_back(Reject{.job = spec.id, .reason = std::move(*reason)});
    return;
  }
  Job& job = jobs[spec.id];
  job.request = sched::WaitingJob{
      .spec = spec, .sequence = next_sequence++, .waiting_since = now, .alone = starts_alone(spec)};
  wait(job);
}

void Engine::State::apply(const Finished& event) { jobs.erase(stop(event.job)); }

void Engine::State::apply(const OutOfMemory& event) {
  const auto entry = stop(event.job);
  Job& job = entry->second;
  if (*job.running == Sharing::Exclusive) {
    effects.emplace_back(Reject{.job = event.job, .reason = out_of_memory_reason(event.job)});
    jobs.erase(entry);
    return;
  }
  job.request.alone = true;
  wait(job);
}

// An engine that shares no GPU treats every job as one that must be alone, so that it behaves like
// exclusive scheduling in all respects, the memory margin included.
bool Engine::State::starts_alone(const JobSpec& job) const {
  const sched::BooksOptions& options = books.options();
  return options.max_residents == 1 || (options.gangs_exclusive && job.gpus > 1);
}

void Engine::State::wait(Job& job) {
  job.request.waiting_since = now;
  job.running.reset();
  policy->add(job.request);
}

std::map<JobId, Job>::iterator Engine::State::stop(JobId id) {
  const auto entry = jobs.find(id);
  HORUS_CHECK(entry != jobs.end() && entry->second.running, "the event names a running job");
  books.release(id);
  --running;
  return entry;
}

void Engine::State::decide() {
  while (auto decision = policy->next(books, now)) {
    const auto entry = jobs.find(decision->placement.job);
    HORUS_CHECK(entry != jobs.end() && !entry->second.running, "a policy starts waiting jobs only");
    const Sharing sharing = decision->exclusive ? Sharing::Exclusive : Sharing::Shared;
    HORUS_CHECK(decision->exclusive || !entry->second.request.alone,
                "a job that must be alone starts alone");
    books.book(entry->second.request.spec, decision->placement, sharing);
    entry->second.running = sharing;
    ++running;
    effects.emplace_back(
        Start{.placement = std::move(decision->placement), .exclusive = decision->exclusive});
  }
}

Engine::Engine(const Cluster& cluster, const sched::BooksOptions& options,
               std::unique_ptr<sched::Policy> policy)
    : state_{std::make_unique<State>(cluster, options, std::move(policy))} {}

Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

std::vector<Effect> Engine::step(TimePoint now, std::span<const Event> events) {
  HORUS_CHECK(now >= state_->now, "time does not run back");
  state_->now = now;
  for (const Event& event : events) {
    std::visit([this](const auto& happened) { state_->apply(happened); }, event);
  }
  state_->decide();
  return std::exchange(state_->effects, {});
}

std::size_t Engine::waiting() const { return state_->jobs.size() - state_->running; }
std::size_t Engine::running() const { return state_->running; }
const sched::Books& Engine::books() const { return state_->books; }

}  // namespace horus::engine
