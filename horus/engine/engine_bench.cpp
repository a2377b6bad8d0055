// SPDX-License-Identifier: Apache-2.0
// How many events the engine takes in a second: each job is submitted, started and finished. Half
// of the items are arrivals, half completions; starts are not counted.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "horus/engine/engine.hpp"
#include "horus/sched/sample.hpp"

namespace horus::engine {
namespace {

namespace sample = sched::sample;

constexpr std::size_t kJobs = 20'000;

std::vector<JobSpec> workload() {
  Rng rng{1};
  std::vector<JobSpec> jobs;
  for (std::uint64_t id = 1; id <= kJobs; ++id) {
    jobs.push_back(sample::random_job(id, 1, 8, rng));
  }
  return jobs;
}

/// Submits one job a second; as soon as `kept` jobs run, the one that started first ends.
std::int64_t play(Engine& engine, const std::vector<JobSpec>& jobs, std::size_t kept) {
  std::vector<JobId> started;
  std::size_t ended = 0;
  std::int64_t events = 0;
  const auto happened = [&](Event event) {
    const TimePoint now{std::chrono::seconds{events++}};
    for (const Effect& effect : engine.step(now, std::span{&event, 1})) {
      if (const auto* const start = std::get_if<Start>(&effect)) {
        started.push_back(start->placement.job);
      }
    }
  };
  for (const JobSpec& job : jobs) {
    happened(Submitted{.job = job});
    while (started.size() - ended > kept) happened(Finished{.job = started[ended++]});
  }
  while (ended < started.size()) happened(Finished{.job = started[ended++]});
  return events;
}

void events_per_second(benchmark::State& state, const std::string& policy) {
  const Cluster cluster = sample::cluster("48x8xV100-16GB");
  const auto jobs = workload();
  std::int64_t events = 0;
  for (auto _ : state) {
    Engine engine{cluster, sched::BooksOptions{},
                  *sched::make_policy(policy, sched::PolicyOptions{})};
    events += play(engine, jobs, static_cast<std::size_t>(state.range(0)));
  }
  state.SetItemsProcessed(events);
}

void register_all() {
  for (const std::string& policy : sched::policy_names()) {
    const std::string title = fmt::format("Events/{}", policy);
    auto* const bench = benchmark::RegisterBenchmark(
        title.c_str(), [policy](benchmark::State& state) { events_per_second(state, policy); });
    // 100 running jobs leave GPUs free; with 1000 the cluster is full and a queue grows.
    bench->ArgName("running")->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond)->MinTime(0.2);
  }
}

const bool kRegistered = (register_all(), true);

}  // namespace
}  // namespace horus::engine
