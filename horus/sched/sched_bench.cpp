// SPDX-License-Identifier: Apache-2.0
// What a decision costs as the cluster grows and as the queue grows. Two situations per policy:
// Full: all GPUs are taken for good, so that nothing fits and the policy has to find that out.
// Steady: a job ends, waiting jobs take its place until no more fits, and as many join the queue.
// Down each group of lines the time should stay flat, but for a logarithm and the processor's
// caches.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "horus/sched/books.hpp"
#include "horus/sched/policy.hpp"
#include "horus/sched/sample.hpp"

namespace horus::sched {
namespace {

constexpr std::uint64_t kBlockers = 1'000'000'000;  // ids beyond those of waiting jobs
constexpr std::int64_t kGpusFixed = 1'000;
constexpr std::int64_t kWaitingFixed = 1'000;

Cluster cluster_of(std::int64_t gpus) {
  return sample::cluster(fmt::format("{}x8xV100-16GB", gpus / 8));
}

TimePoint at_second(std::uint64_t second) {
  return TimePoint{std::chrono::seconds{static_cast<std::int64_t>(second)}};
}

/// A cluster, its books, a policy with a queue, and what runs.
struct Scene {
  Scene(std::string_view policy_name, std::int64_t gpus)
      : cluster{cluster_of(gpus)}, policy{*make_policy(policy_name, PolicyOptions{})} {}

  /// Leaves 100 MiB on each GPU: less than any job needs.
  void block_all_gpus() {
    const JobSpec blocker = sample::job({.id = 0, .memory_mib = (16 << 10) - 100});
    for (GpuIndex gpu = 0; gpu < books.gpus().size(); ++gpu) {
      JobSpec job = blocker;
      job.id = JobId{kBlockers + gpu};
      books.book(job, Placement{.job = job.id, .gpus = {gpu}}, Sharing::Shared);
    }
  }

  /// Starts jobs until the next one finds no place.
  void fill_gpus() {
    do {
      submit(1);
    } while (start_next());
  }

  void submit(int gpus_max) {
    WaitingJob job = sample::waiting(sample::random_job(++jobs, 1, gpus_max, rng));
    job.waiting_since = at_second(jobs);
    job.alone = job.spec.gpus > 1;
    specs.push_back(job.spec);
    policy->add(job);
  }

  bool start_next() {
    const auto decision = policy->next(books, at_second(jobs));
    if (!decision) return false;
    const JobId id = decision->placement.job;
    books.book(specs[id.value - 1], decision->placement,
               decision->exclusive ? Sharing::Exclusive : Sharing::Shared);
    running.push_back(id);
    return true;
  }

  void finish_any() {
    const auto place = static_cast<std::size_t>(rng.below(running.size()));
    books.release(running[place]);
    running[place] = running.back();
    running.pop_back();
  }

  Cluster cluster;
  Books books{cluster, BooksOptions{}};
  std::unique_ptr<Policy> policy;
  Rng rng{1};
  std::uint64_t jobs{};
  std::vector<JobSpec> specs;
  std::vector<JobId> running;
};

void full(benchmark::State& state, const std::string& policy) {
  Scene scene{policy, state.range(0)};
  scene.block_all_gpus();
  for (std::int64_t i = 0; i < state.range(1); ++i) scene.submit(8);
  const TimePoint now = at_second(scene.jobs);
  scene.start_next();  // Newcomers are sorted into their queues once.
  for (auto _ : state) {
    auto decision = scene.policy->next(scene.books, now);
    HORUS_CHECK(!decision, "nothing fits");
    benchmark::DoNotOptimize(decision);
  }
}

void steady(benchmark::State& state, const std::string& policy) {
  Scene scene{policy, state.range(0)};
  scene.fill_gpus();
  for (std::int64_t i = 0; i < state.range(1); ++i) scene.submit(1);
  while (scene.start_next()) scene.submit(1);
  for (auto _ : state) {
    scene.finish_any();
    while (scene.start_next()) scene.submit(1);
  }
}

struct Situation {
  const char* title;
  void (*measure)(benchmark::State&, const std::string& policy);
};

constexpr Situation kSituations[] = {{"Full", full}, {"Steady", steady}};

void register_all() {
  for (const std::string& policy : policy_names()) {
    for (const Situation& situation : kSituations) {
      const std::string title = fmt::format("{}/{}", situation.title, policy);
      auto* const bench = benchmark::RegisterBenchmark(
          title.c_str(), [measure = situation.measure, policy](benchmark::State& state) {
            measure(state, policy);
          });
      bench->ArgNames({"gpus", "waiting"})->Unit(benchmark::kMicrosecond)->MinTime(0.1);
      for (const std::int64_t gpus : {1'000, 10'000, 100'000}) bench->Args({gpus, kWaitingFixed});
      for (const std::int64_t waiting : {10'000, 100'000, 1'000'000}) {
        bench->Args({kGpusFixed, waiting});
      }
    }
  }
}

const bool kRegistered = (register_all(), true);

}  // namespace
}  // namespace horus::sched
