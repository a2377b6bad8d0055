// SPDX-License-Identifier: Apache-2.0
// What must hold for every policy, after every event, on random workloads; and published results.

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "horus/sched/audit.hpp"
#include "horus/sim/generate.hpp"
#include "horus/sim/metrics.hpp"
#include "horus/sim/truth/parametric_truth.hpp"
#include "horus/sim/world/world_fixture.hpp"

namespace horus::sim {
namespace {

using testing_world::belief_of;
using testing_world::cluster_of;
using testing_world::FixedTruth;
using testing_world::load_of;
using testing_world::policy_of;

/// Holds the world against its laws after every event.
class Lawyer final : public Observer {
 public:
  Lawyer(const Cluster& cluster, std::span<const SimJob> jobs, int max_residents)
      : cluster_{cluster}, jobs_{jobs}, max_residents_{max_residents} {
    for (const SimJob& job : jobs) spec_[job.id] = &job;
  }

  void on_event(const EventRecord& record) override {
    ASSERT_GE(record.time, now_) << "time ran back";
    now_ = record.time;
    ++events[static_cast<std::size_t>(record.kind)];
    const SimJob& spec = *spec_.at(record.job);
    switch (record.kind) {
      case EventKind::Arrival:
        ASSERT_TRUE(arrived_.insert(record.job).second);
        break;
      case EventKind::Start:
        ASSERT_TRUE(arrived_.contains(record.job)) << "started before it came";
        ASSERT_TRUE(running_.insert(record.job).second) << "runs twice";
        ASSERT_FALSE(done_.contains(record.job)) << "runs again";
        ASSERT_EQ(record.gpus.size(), static_cast<std::size_t>(spec.gpus)) << "gang not whole";
        ASSERT_TRUE(std::is_sorted(record.gpus.begin(), record.gpus.end()));
        ASSERT_EQ(std::adjacent_find(record.gpus.begin(), record.gpus.end()), record.gpus.end());
        work_[record.job] = Work{.since = now_};
        break;
      case EventKind::Completion:
        ASSERT_EQ(running_.erase(record.job), 1U);
        ASSERT_TRUE(done_.insert(record.job).second);
        ASSERT_EQ(record.gpus.size(), static_cast<std::size_t>(spec.gpus));
        // A completion is rounded to a microsecond, as is the work that it ends.
        ASSERT_NEAR(work_us(record.job), static_cast<double>(spec.duration.count()),
                    2.0 + 1e-9 * static_cast<double>(spec.duration.count()))
            << "work is not conserved";
        break;
      case EventKind::Death:
        ASSERT_EQ(running_.erase(record.job), 1U);
        break;
      case EventKind::Preemption:
      case EventKind::Migration:
        FAIL() << "no policy does this yet";
    }
  }

  void after_step(const StepView& view) override {
    ++steps;
    ASSERT_EQ(view.engine.running(), running_.size());
    ASSERT_EQ(view.arrived, arrived_.size());
    ASSERT_EQ(view.arrived,
              view.finished + view.rejected + view.engine.running() + view.engine.waiting())
        << "a job was lost";
    ASSERT_EQ(sched::audit(view.engine.books()), std::nullopt);
    std::int64_t booked_tasks = 0;
    for (const auto& [id, booking] : view.engine.books().bookings()) {
      booked_tasks += static_cast<std::int64_t>(booking.gpus.size());
      keep_working(id, pace_of(view.devices, id, booking.gpus));
    }
    std::int64_t real_tasks = 0;
    for (GpuIndex gpu = 0; gpu < cluster_.gpus().size(); ++gpu) {
      const sched::GpuAccount& account = view.engine.books().gpus()[gpu];
      ASSERT_LE(account.memory, cluster_.type_of(gpu).memory) << "over memory in the books";
      ASSERT_LE(account.residents, max_residents_);
      ASSERT_EQ(account.residents, view.devices.residents(gpu).size());
      if (account.sharing == sched::Sharing::Exclusive) {
        ASSERT_LE(account.residents, 1);
      }
      real_tasks += account.residents;
    }
    ASSERT_EQ(booked_tasks, real_tasks);
  }

  EventCounts events{};
  std::size_t steps{};

 private:
  /// Work of the current run, in microseconds of solo service, and how it goes on.
  struct Work {
    TimePoint since;
    double done_us{};
    double pace{};  ///< Time per unit of work; 0 until the step of the start is over.
  };

  [[nodiscard]] double work_us(JobId id) const {
    const Work& work = work_.at(id);
    const auto passed_us = static_cast<double>((now_ - work.since).count());
    return work.pace > 0.0 ? work.done_us + passed_us / work.pace : work.done_us;
  }

  void keep_working(JobId id, double pace) {
    work_[id] = Work{.since = now_, .done_us = work_us(id), .pace = pace};
  }

  /// Told from what is on the GPUs: that of the slowest task.
  [[nodiscard]] double pace_of(const Devices& devices, JobId id,
                               std::span<const GpuIndex> gpus) const {
    const auto job = static_cast<JobIndex>(spec_.at(id) - jobs_.data());
    double pace = 0.0;
    for (const GpuIndex gpu : gpus) {
      const Resident& task = devices.resident(gpu, job);
      pace = std::max(pace, task.load.step_ratio * task.slowdown);
    }
    return pace;
  }

  const Cluster& cluster_;
  std::span<const SimJob> jobs_;
  int max_residents_;
  TimePoint now_;
  std::map<JobId, const SimJob*> spec_;
  std::map<JobId, Work> work_;
  std::set<JobId> arrived_, running_, done_;
};

struct RandomWorld {
  explicit RandomWorld(std::uint64_t seed, const char* cluster_text = "4x4xV100-16GB")
      : cluster{cluster_of(cluster_text)}, mix{parse_mix(default_mix_text(), "mix").value()} {
    const GenerateOptions generated{.jobs = 300, .load = 1.3, .seed = seed, .gpus = 16};
    const Trace trace = generate("philly-like", generated).value();
    const Rng rng{seed};
    for (const TraceJob& job : trace.jobs) {
      jobs.push_back(
          SimJob{job.id, job.arrival, job.duration, job.gpus, draw_config(mix, job.id, rng)});
    }
    // Beliefs that are roughly right, and sometimes too low for memory.
    for (const MixEntry& entry : mix.entries) {
      const double believed_mib = as_double(entry.truth.memory) / 1048576.0 * 0.97;
      beliefs.push_back(belief_of(entry.name, entry.truth.utilization,
                                  static_cast<std::int64_t>(believed_mib), cluster.types().size()));
    }
    ParametricOptions parameters;
    parameters.seed = seed;
    truth = std::move(ParametricTruth::make(mix, cluster.types(), cluster.types()[0],
                                            *find_gpu(kMixGpu)->spec, parameters)
                          .value());
    options.seed = seed;
  }

  [[nodiscard]] Scenario scenario() const { return {cluster, jobs, beliefs, *truth, options}; }

  Cluster cluster;
  Mix mix;
  std::vector<SimJob> jobs;
  std::vector<ConfigBelief> beliefs;
  std::unique_ptr<Truth> truth;
  SimOptions options;
};

class EveryPolicy : public testing::TestWithParam<std::string> {};

TEST_P(EveryPolicy, KeepsTheLawsAfterEveryEvent) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    RandomWorld world{seed};
    world.options.gangs = seed == 3 ? Gangs::Shared : Gangs::Exclusive;
    Lawyer lawyer{world.cluster, world.jobs, world.options.max_residents};
    const auto result = run(world.scenario(), policy_of(GetParam().c_str()), &lawyer);
    ASSERT_TRUE(result) << result.error().text() << " seed " << seed;
    EXPECT_EQ(lawyer.events, result->events) << "every event is told and counted once";
    const PolicyResult figures = summarize(GetParam(), *result);
    EXPECT_EQ(figures.jobs_finished + figures.jobs_rejected, world.jobs.size());
    EXPECT_GT(lawyer.steps, 300U);
    EXPECT_GT(figures.gpu_utilization, 0.0);
    EXPECT_LE(figures.gpu_utilization, 1.0);
    for (const JobOutcome& job : result->jobs) {
      if (!job.finish) continue;
      EXPECT_GE(*job.first_start, job.arrival);
      EXPECT_GE(*job.finish - job.arrival, job.held);
      EXPECT_GE(job.slowdown, 1.0 - 1e-6);
    }
  }
}

TEST_P(EveryPolicy, SameSeedGivesTheSameFigures) {
  const RandomWorld world{5};
  const auto once = run(world.scenario(), policy_of(GetParam().c_str()));
  const auto again = run(world.scenario(), policy_of(GetParam().c_str()));
  ASSERT_TRUE(once && again);
  EXPECT_EQ(summarize("x", *once), summarize("x", *again));
}

TEST_P(EveryPolicy, ATruthWithoutInterferenceEqualsSlowdownOne) {
  RandomWorld world{7};
  ParametricOptions parameters;
  parameters.gain = 0.0;
  world.truth =
      std::move(ParametricTruth::make(world.mix, world.cluster.types(), world.cluster.types()[0],
                                      *find_gpu(kMixGpu)->spec, parameters)
                    .value());
  const auto without = run(world.scenario(), policy_of(GetParam().c_str()));
  ASSERT_TRUE(without);
  for (const JobOutcome& job : without->jobs) {
    if (!job.finish) continue;
    EXPECT_DOUBLE_EQ(job.slowdown, 1.0);
  }
}

TEST_P(EveryPolicy, WidensOverSeveralGpuTypes) {
  const RandomWorld world{9, "2x4xV100-16GB+2x4xA100-40GB"};
  Lawyer lawyer{world.cluster, world.jobs, 3};
  const auto result = run(world.scenario(), policy_of(GetParam().c_str()), &lawyer);
  ASSERT_TRUE(result) << result.error().text();
}

INSTANTIATE_TEST_SUITE_P(Simulated, EveryPolicy, testing::ValuesIn(sched::policy_names()),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           for (char& c : name) {
                             if (c == '-') c = '_';
                             if (c == '+') c = 'P';
                           }
                           return name;
                         });

// --- Published results -------------------------------------------------------------------------

std::string file_text(const std::string& path) {
  std::ifstream file{path};
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

SimResult run_exclusive(const Trace& trace, const char* cluster_text, const char* policy) {
  const Cluster cluster = cluster_of(cluster_text);
  std::vector<SimJob> jobs;
  for (const TraceJob& job : trace.jobs) {
    jobs.push_back(SimJob{job.id, job.arrival, job.duration, job.gpus, 0});
  }
  const std::vector<ConfigBelief> beliefs{belief_of("any", 0.5, 1000, cluster.types().size())};
  const FixedTruth truth{{load_of(0.5, 1000)}};
  const auto result = run(Scenario{cluster, jobs, beliefs, truth, {}}, policy_of(policy));
  EXPECT_TRUE(result) << result.error().text();
  return result ? *result : SimResult{};
}

PolicyResult simulate_exclusive(const Trace& trace, const char* cluster_text, const char* policy) {
  return summarize(policy, run_exclusive(trace, cluster_text, policy));
}

/// The larger of the two middle values, which the original reports as the median.
double upper_median_jct_s(const SimResult& result) {
  std::vector<double> jct_s;
  for (const JobOutcome& job : result.jobs) jct_s.push_back(to_seconds(*job.finish - job.arrival));
  std::sort(jct_s.begin(), jct_s.end());
  return jct_s[jct_s.size() / 2];
}

// Results of the simulator of Tiresias itself (SymbioticLab/Tiresias, 959f9b0) on its 60_job.csv
// with 4 nodes of 4 GPUs, placement scheme "count": schedules "fifo" and "fjf".
TEST(Tiresias60Jobs, FifoAndFifoSkipReproduceTheOriginalSimulator) {
  const std::string text = file_text(HORUS_SHARED_DATA "/tiresias/60_job.csv");
  if (text.empty()) GTEST_SKIP() << "no tiresias/60_job.csv in HORUS_SHARED_DATA";
  const Trace trace = read_trace("tiresias", text, "60_job.csv").value();
  const PolicyResult fifo = simulate_exclusive(trace, "4x4xV100-16GB", "fifo");
  EXPECT_NEAR(fifo.jct_mean_s, 200.817, 0.0005);
  EXPECT_NEAR(fifo.first_start_mean_s, 22.400, 0.0005);
  EXPECT_NEAR(fifo.wait_mean_s, 22.400, 0.0005);
  EXPECT_EQ(fifo.makespan_s, 3335);
  EXPECT_EQ(upper_median_jct_s(run_exclusive(trace, "4x4xV100-16GB", "fifo")), 151);
  EXPECT_EQ(fifo.jct_p99_s, 1864);
  const PolicyResult skip = simulate_exclusive(trace, "4x4xV100-16GB", "fifo-skip");
  EXPECT_NEAR(skip.jct_mean_s, 190.683, 0.0005);
  EXPECT_NEAR(skip.first_start_mean_s, 12.267, 0.0005);
  EXPECT_EQ(skip.makespan_s, 3271);
  EXPECT_EQ(upper_median_jct_s(run_exclusive(trace, "4x4xV100-16GB", "fifo-skip")), 130);
  EXPECT_EQ(skip.jct_p99_s, 1800);
}

/// First come, first served over counted GPUs, the plain way: O(jobs^2).
double counted_fifo_jct_mean_s(const Trace& trace, int gpus) {
  std::vector<std::pair<TimePoint, int>> running;
  TimePoint now;
  double sum_s = 0.0;
  int free = gpus;
  for (const TraceJob& job : trace.jobs) {
    now = std::max(now, job.arrival);
    std::sort(running.begin(), running.end());
    while (!running.empty() && (running.front().first <= now || free < job.gpus)) {
      now = std::max(now, running.front().first);
      free += running.front().second;
      running.erase(running.begin());
    }
    free -= job.gpus;
    running.emplace_back(now + job.duration, job.gpus);
    sum_s += to_seconds(now + job.duration - job.arrival);
  }
  return sum_s / static_cast<double>(trace.jobs.size());
}

TEST(Fifo, AgreesWithAnIndependentCountOfGpus) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    const GenerateOptions generated{.jobs = 500, .load = 1.1, .seed = seed, .gpus = 16};
    const Trace trace = generate("philly-like", generated).value();
    const double expected_s = counted_fifo_jct_mean_s(trace, 16);
    EXPECT_NEAR(simulate_exclusive(trace, "4x4xV100-16GB", "fifo").jct_mean_s / expected_s, 1.0,
                1e-12);
  }
}

TEST(Fifo, OtherNamesForTheSameJobsChangeNoFigure) {
  const GenerateOptions generated{.jobs = 400, .load = 1.1, .seed = 4, .gpus = 16};
  Trace trace = generate("philly-like", generated).value();
  const PolicyResult before = simulate_exclusive(trace, "4x4xV100-16GB", "fifo");
  for (TraceJob& job : trace.jobs) job.id.value = 1'000'000 + job.id.value * 3;
  EXPECT_EQ(simulate_exclusive(trace, "4x4xV100-16GB", "fifo"), before);
}

TEST(Fifo, TheOrderOfRowsMattersOnlyBetweenDifferentJobsOfOneArrival) {
  // Six groups of ten equal rows, each group with an arrival of its own.
  std::vector<std::string> rows;
  for (int i = 0; i < 60; ++i) {
    const int group = i / 10;
    rows.push_back(fmt::format("{},{},{}\n", 1 + group % 3, group, 40 - group));
  }
  const auto simulate = [&rows] {
    std::string text = "num_gpu,submit_time,duration\n";
    for (const std::string& row : rows) text += row;
    return simulate_exclusive(read_trace("tiresias", text, "t.csv").value(), "1x4xV100-16GB",
                              "fifo");
  };
  const PolicyResult sorted = simulate();
  Rng rng{8};
  for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[rng.below(i)]);
  EXPECT_EQ(simulate(), sorted);
}

}  // namespace
}  // namespace horus::sim
