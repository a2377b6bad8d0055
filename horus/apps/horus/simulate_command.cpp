// SPDX-License-Identifier: Apache-2.0
// horus simulate: policies on one workload in one world, side by side.
#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "horus/apps/horus/belief.hpp"
#include "horus/apps/horus/command.hpp"
#include "horus/apps/horus/number_option.hpp"
#include "horus/apps/horus/predictor_source.hpp"
#include "horus/apps/horus/workload.hpp"
#include "horus/apps/horus/world_options.hpp"
#include "horus/base/text.hpp"
#include "horus/os/file.hpp"
#include "horus/report/pages.hpp"
#include "horus/sched/policy.hpp"
#include "horus/sim/metrics.hpp"
#include "horus/sim/world/world.hpp"
#include "horus/wire/reports.hpp"

namespace horus::apps {
namespace {

/// Shows progress, and writes events where they are wanted.
class Watcher final : public sim::Observer {
 public:
  Watcher(const Console& console, std::string policy, os::OutputFile* events)
      : console_{console}, policy_{std::move(policy)}, events_{events} {}

  void on_event(const sim::EventRecord& record) override {
    if (events_ == nullptr || error_) return;
    const auto written = events_->append(policy_ + "," + sim::format_event(record) + "\n");
    if (!written) error_ = written.error();
  }

  void on_progress(double fraction) override { console_.progress(policy_, fraction); }

  /// The first error of writing events.
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  const Console& console_;
  std::string policy_;
  os::OutputFile* events_;
  std::optional<Error> error_;
};

wire::PolicyRow to_row(const sim::PolicyResult& result) {
  return {.policy = result.policy,
          .jobs_finished = static_cast<std::int64_t>(result.jobs_finished),
          .makespan_s = result.makespan_s,
          .jct_mean_s = result.jct_mean_s,
          .jct_p50_s = result.jct_p50_s,
          .jct_p99_s = result.jct_p99_s,
          .wait_mean_s = result.wait_mean_s,
          .wait_p99_s = result.wait_p99_s,
          .first_start_mean_s = result.first_start_mean_s,
          .gpu_utilization = result.gpu_utilization,
          .slowdown_mean = result.slowdown_mean,
          .slowdown_p99 = result.slowdown_p99,
          .beyond_tolerance = result.beyond_tolerance,
          .oom_deaths = static_cast<std::int64_t>(result.oom_deaths),
          .preemptions = static_cast<std::int64_t>(result.preemptions),
          .lost_work_gpu_s = result.lost_work_gpu_s,
          .jobs_rejected = static_cast<std::int64_t>(result.jobs_rejected)};
}

std::vector<sim::SimJob> to_sim_jobs(const std::vector<sim::TraceJob>& jobs, const sim::Mix& mix,
                                     std::uint64_t seed) {
  // One salt of its own, so that models do not depend on what else the seed is used for.
  constexpr std::uint64_t kMixSalt = 0x6d69'7800;
  const Rng rng = Rng{seed}.fork(kMixSalt);
  std::vector<sim::SimJob> sim_jobs;
  sim_jobs.reserve(jobs.size());
  for (const sim::TraceJob& job : jobs) {
    sim_jobs.push_back({.id = job.id,
                        .arrival = job.arrival,
                        .duration = job.duration,
                        .gpus = job.gpus,
                        .config = sim::draw_config(mix, job.id, rng)});
  }
  return sim_jobs;
}

std::string policies_text() {
  std::string text = "Policies:\n";
  for (const sched::PolicyRule& policy : sched::policy_rules()) {
    text += fmt::format("  {:12}{}\n", policy.name, policy.rule);
  }
  return text;
}

class SimulateCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& parent) override {
    CLI::App* app = parent.add_subcommand(
        "simulate", "Compare scheduling policies on a trace or a generated workload");
    workload_.declare(*app);
    app->add_option("--cluster", cluster_, "NODESxGPUSxTYPE[+...], e.g. 16x8xV100-16GB");
    app->add_option("--policy", policies_,
                    fmt::format("Policies to compare, the first is the base; default: all: {}",
                                fmt::join(sched::policy_names(), ",")))
        ->delimiter(',');
    world_.declare(*app);
    predictor_.declare(*app);
    app->add_option("--seed", seed_, "Seed of everything that is drawn")
        ->transform(integer_between(0, std::numeric_limits<std::int64_t>::max()))
        ->capture_default_str();
    app->add_option("--tolerance", tolerance_, "Slowdown beyond which a job counts as slowed")
        ->check(number_between(1.0, 1e6))
        ->capture_default_str();
    app->add_option("--events", events_, "Write every event to this CSV file");
    app->add_flag("--timing", timing_, "Print to stderr how long each policy took");
    app->add_flag("--json", json_, "Print JSON instead of tables");
    app->footer(
        policies_text() +
        "The scheduler sees predictions; the world runs on a truth that it never sees. Formats of\n"
        "traces, mixes, truth tables and events: docs/reference/traces-and-truth.md.\n"
        "Examples:\n"
        "  horus simulate --generate philly-like --jobs 5000 --load 1.2 --cluster 8x8xV100-16GB\n"
        "  horus simulate --trace philly_jobs.csv.gz --format philly --cluster 48x8xV100-16GB\n"
        "  horus simulate --generate philly-like --jobs 2000 --closed --policy fifo,horus "
        "--json \\\n      --cluster 4x8xV100-16GB+4x4xA100-40GB --events events.csv");
    return app;
  }

  Result<Done> run(const Console& console) override {
    HORUS_TRY_DONE(check_policies());
    HORUS_TRY(const Cluster cluster, make_cluster());
    const auto gpus = static_cast<std::int64_t>(cluster.gpus().size());
    HORUS_TRY(const Workload workload, workload_.make(gpus, seed_));
    HORUS_TRY(const World world, world_.make(cluster, seed_));
    HORUS_TRY(const sim::SimOptions options, world_.sim_options(*world.truth, seed_));
    HORUS_TRY(const std::vector<sim::ConfigBelief> beliefs, make_beliefs(world, cluster));
    const std::vector<sim::SimJob> jobs = to_sim_jobs(workload.jobs, world.mix, seed_);
    report_.workload = workload.name;
    report_.cluster = cluster_;
    report_.jobs = static_cast<std::int64_t>(jobs.size());
    report_.gpus = gpus;
    report_.load = workload.load;
    report_.tolerance = tolerance_;
    report_.seed = seed_;
    report_.truth = world.description;
    report_.models = fmt::format("{} configurations of the {}, drawn at random",
                                 world.mix.entries.size(), world.mix_name);
    if (std::ranges::any_of(workload.jobs, [](const auto& job) { return !job.model.empty(); })) {
      report_.notes.emplace_back(
          "the model names of the trace are not used: models come from the mix");
    }
    report_.notes.insert(report_.notes.end(), workload.notes.begin(), workload.notes.end());
    report_.notes.insert(report_.notes.end(), world.notes.begin(), world.notes.end());
    HORUS_TRY_DONE(run_all({cluster, jobs, beliefs, *world.truth, options}, console));
    return console.print(json_ ? wire::to_json(report_) : report::page(report_, console.colour()));
  }

 private:
  /// All names are checked before the first policy runs for a minute.
  Result<Done> check_policies() {
    if (policies_.empty()) policies_ = sched::policy_names();
    std::set<std::string_view> seen;
    for (const std::string& name : policies_) {
      const auto policy = sched::make_policy(trim(name), {.seed = seed_});
      if (!policy) return fail(Errc::InvalidArgument, policy.error().message, "--policy");
      if (!seen.insert(trim(name)).second) {
        return fail(Errc::InvalidArgument, fmt::format("{} is given twice", trim(name)),
                    "--policy");
      }
    }
    return Done{};
  }

  Result<Cluster> make_cluster() {
    if (cluster_.empty()) {
      return fail(Errc::InvalidArgument, "expected NODESxGPUSxTYPE, e.g. 16x8xV100-16GB",
                  "--cluster");
    }
    auto cluster = Cluster::parse(cluster_, report_.notes);
    if (!cluster) return fail(Errc::InvalidArgument, cluster.error().message, "--cluster");
    return cluster;
  }

  Result<std::vector<sim::ConfigBelief>> make_beliefs(const World& world,
                                                      const Cluster& cluster) const {
    HORUS_TRY(const predict::Model model, predictor_.model());
    HORUS_TRY(const auto demands, beliefs_of(world.mix, world.mix_name, cluster, model));
    std::vector<sim::ConfigBelief> beliefs;
    for (std::size_t i = 0; i < demands.size(); ++i) {
      beliefs.push_back({.name = world.mix.entries[i].name, .demand_by_type = demands[i]});
    }
    return beliefs;
  }

  Result<Done> run_all(const sim::Scenario& scenario, const Console& console) {
    std::optional<os::OutputFile> events;
    if (!events_.empty()) {
      HORUS_TRY(os::OutputFile file, os::OutputFile::create(events_));
      events.emplace(std::move(file));
      HORUS_TRY_DONE(events->append(fmt::format("policy,{}\n", sim::kEventsHeader)));
    }
    for (const std::string& name : policies_) {
      HORUS_TRY_DONE(
          run_one(scenario, std::string{trim(name)}, events ? &*events : nullptr, console));
    }
    if (events) return events->commit();
    return Done{};
  }

  Result<Done> run_one(const sim::Scenario& scenario, const std::string& name,
                       os::OutputFile* events, const Console& console) {
    HORUS_TRY(auto policy, sched::make_policy(name, {.seed = seed_}));
    Watcher watcher{console, name, events};
    const os::Stopwatch watch;
    auto result = sim::run(scenario, std::move(policy), &watcher);
    console.clear_progress();
    if (!result) return tl::make_unexpected(result.error());
    if (watcher.error()) return tl::make_unexpected(*watcher.error());
    if (timing_) note_timing(name, *result, watch.seconds(), console);
    note_rejections(name, *result);
    report_.policies.push_back(to_row(sim::summarize(name, *result, {.tolerance = tolerance_})));
    return Done{};
  }

  static void note_timing(const std::string& name, const sim::SimResult& result, double seconds,
                          const Console& console) {
    const std::uint64_t events =
        std::accumulate(result.events.begin(), result.events.end(), std::uint64_t{0});
    console.note(fmt::format("{}: {} events in {:.3f} s, {:.0f} events/s", name, events, seconds,
                             static_cast<double>(events) / seconds));
  }

  void note_rejections(const std::string& name, const sim::SimResult& result) {
    if (result.rejections.empty()) return;
    const sim::Rejection& first = result.rejections.front();
    report_.notes.push_back(fmt::format("{}: {} jobs rejected; the first: job {} {}", name,
                                        result.rejections.size(), first.job.value, first.reason));
  }

  WorkloadOptions workload_;
  WorldOptions world_;
  PredictorOption predictor_;
  std::string cluster_;
  std::vector<std::string> policies_;
  std::uint64_t seed_{1};
  double tolerance_{1.25};
  std::string events_;
  bool timing_{false};
  bool json_{false};
  wire::SimulateReport report_;
};

}  // namespace

std::unique_ptr<Command> make_simulate_command() { return std::make_unique<SimulateCommand>(); }

}  // namespace horus::apps
