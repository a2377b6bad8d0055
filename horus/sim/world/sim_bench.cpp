// SPDX-License-Identifier: Apache-2.0
// Events per second of the whole simulator, without parsing: a Philly-sized workload on 384 GPUs,
// open at the trace's own load and closed, under every policy.

#include <benchmark/benchmark.h>

#include "horus/sim/generate.hpp"
#include "horus/sim/metrics.hpp"
#include "horus/sim/truth/parametric_truth.hpp"
#include "horus/sim/world/world_fixture.hpp"

namespace horus::sim {
namespace {

constexpr std::uint64_t kPhillyJobs = 82'247;
constexpr double kPhillyLoad = 0.97;

struct Bench {
  Bench(std::uint64_t count, Arrivals arrivals, const char* cluster_text)
      : cluster{testing_world::cluster_of(cluster_text)},
        mix{parse_mix(default_mix_text(), "mix").value()} {
    GenerateOptions options;
    options.jobs = count;
    options.load = kPhillyLoad;
    options.gpus = static_cast<std::int64_t>(cluster.gpus().size());
    options.arrivals = arrivals;
    const Trace trace = generate("philly-like", options).value();
    const Rng rng{1};
    for (const TraceJob& job : trace.jobs) {
      jobs.push_back(
          SimJob{job.id, job.arrival, job.duration, job.gpus, draw_config(mix, job.id, rng)});
    }
    for (const MixEntry& entry : mix.entries) {
      beliefs.push_back(testing_world::belief_of(entry.name, entry.truth.utilization,
                                                 (entry.truth.memory.count() >> 20U) * 11 / 10));
    }
    truth = std::move(ParametricTruth::make(mix, cluster.types(), cluster.types()[0],
                                            *find_gpu(kMixGpu)->spec, {})
                          .value());
  }

  Cluster cluster;
  Mix mix;
  std::vector<SimJob> jobs;
  std::vector<ConfigBelief> beliefs;
  std::unique_ptr<Truth> truth;
};

void simulate(benchmark::State& state, const char* policy, Arrivals arrivals, std::uint64_t jobs,
              const char* cluster) {
  const Bench bench{jobs, arrivals, cluster};
  std::uint64_t events = 0;
  for ([[maybe_unused]] auto step : state) {
    const auto result = run(Scenario{bench.cluster, bench.jobs, bench.beliefs, *bench.truth, {}},
                            testing_world::policy_of(policy));
    if (!result) {
      state.SkipWithError(result.error().text().c_str());
      return;
    }
    for (const std::uint64_t count : result->events) events += count;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(events));
}

void add(const char* name, const char* policy, Arrivals arrivals, std::uint64_t jobs,
         const char* cluster) {
  benchmark::RegisterBenchmark(name, [=](benchmark::State& state) {
    simulate(state, policy, arrivals, jobs, cluster);
  })->Unit(benchmark::kMillisecond);
}

[[maybe_unused]] const bool kRegistered = [] {
  constexpr const char* kPhillyCluster = "48x8xV100-16GB";
  for (const char* policy : {"fifo", "fifo-skip", "pack-blind", "horus", "horus+"}) {
    const std::string open = std::string{"simulate/open/"} + policy;
    const std::string closed = std::string{"simulate/closed/"} + policy;
    add(open.c_str(), policy, Arrivals::Open, kPhillyJobs, kPhillyCluster);
    add(closed.c_str(), policy, Arrivals::Closed, kPhillyJobs, kPhillyCluster);
  }
  // The cost of a decision must not grow with the cluster: ten times the GPUs, the same load.
  add("simulate/open/fifo/3840gpus", "fifo", Arrivals::Open, kPhillyJobs, "480x8xV100-16GB");
  add("simulate/open/horus/3840gpus", "horus", Arrivals::Open, kPhillyJobs, "480x8xV100-16GB");
  return true;
}();

}  // namespace
}  // namespace horus::sim
