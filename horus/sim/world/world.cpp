// SPDX-License-Identifier: Apache-2.0
#include "horus/sim/world/world.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "horus/base/check.hpp"
#include "horus/sim/world/completion_queue.hpp"
#include "horus/sim/world/memory_watch.hpp"
#include "horus/sim/world/progress.hpp"
#include "horus/sim/world/validate.hpp"

namespace horus::sim {
namespace {

constexpr std::uint64_t kMemoryStream = 0x6f6f6dU;
constexpr std::size_t kProgressReports = 1000;

/// A job of the scenario and where it stands.
struct Job {
  explicit Job(const SimJob& the_spec) : spec{&the_spec}, progress{the_spec.duration} {}

  const SimJob* spec;
  Progress progress;
  std::vector<GpuIndex> gpus;  ///< Held now; empty while it waits or is done.
  double step_ratio{1.0};      ///< Of the slowest task of this run.
  double pace{};               ///< 0 until the first pace of this run is known.
  bool is_touched{false};      ///< A GPU of it changed in this step.
};

/// Something that happened in this step, kept until the engine has answered.
struct Happening {
  EventKind kind{EventKind::Arrival};
  JobIndex job{};
  Duration lost{};             ///< Of a death.
  std::vector<GpuIndex> gpus;  ///< Held when it happened. Filled for observers only.
};

class World {
 public:
  World(const Scenario& scenario, std::unique_ptr<sched::Policy> policy, Observer* observer);

  Result<SimResult> run();

 private:
  [[nodiscard]] std::optional<TimePoint> next_time() const;
  void pass_time(TimePoint now);

  void complete_jobs();
  void kill_jobs();
  void submit_jobs();
  void step_engine();

  void apply(const engine::Start& start);
  void apply(const engine::Reject& reject);
  [[nodiscard]] Result<Done> retime();
  [[nodiscard]] double pace_of(JobIndex job) const;
  void release(JobIndex job);
  void die(JobIndex job);

  void happen(EventKind kind, JobIndex job, Duration lost = {});
  void report();
  void report_event(const Happening& happening);
  void report_start(const engine::Start& start);
  void report_progress();
  [[nodiscard]] Result<SimResult> finish();
  [[nodiscard]] JobOutcome outcome_of(JobIndex index) const;
  [[nodiscard]] JobIndex index_of(JobId id) const;

  const Scenario& scenario_;
  Observer* observer_;
  engine::Engine engine_;
  Devices devices_;
  MemoryWatch memory_watch_;
  CompletionQueue completions_;
  std::vector<Job> jobs_;
  std::vector<std::pair<JobId, JobIndex>> index_by_id_;  // sorted
  std::vector<JobOutcome>
      outcomes_;  // first_start, finish and deaths are kept up; the rest at the end
  std::size_t arrived_{};
  std::size_t finished_{};
  std::size_t progress_reported_{};
  TimePoint now_;
  double busy_gpu_us_{};  // until now_
  SimResult result_;

  // Of the current step.
  std::vector<engine::Event> events_;
  std::vector<Happening> happenings_;
  std::vector<engine::Effect> effects_;
  std::map<JobId, std::string> reasons_;  // why jobs were rejected, for observers
  std::vector<JobIndex> touched_;
};

sched::BooksOptions books_options(const Scenario& scenario) {
  const int by_truth = scenario.truth.max_residents().value_or(scenario.options.max_residents);
  return {.max_residents = std::min(scenario.options.max_residents, by_truth),
          .gangs_exclusive = scenario.options.gangs == Gangs::Exclusive};
}

World::World(const Scenario& scenario, std::unique_ptr<sched::Policy> policy, Observer* observer)
    : scenario_{scenario},
      observer_{observer},
      engine_{scenario.cluster, books_options(scenario), std::move(policy)},
      devices_{scenario.cluster, scenario.truth},
      memory_watch_{scenario.options.oom_delay, scenario.options.newcomer_dies,
                    Rng{scenario.options.seed}.fork(kMemoryStream)},
      completions_{scenario.jobs.size()} {
  jobs_.reserve(scenario.jobs.size());
  index_by_id_.reserve(scenario.jobs.size());
  for (const SimJob& job : scenario.jobs) {
    index_by_id_.emplace_back(job.id, static_cast<JobIndex>(jobs_.size()));
    jobs_.emplace_back(job);
  }
  std::sort(index_by_id_.begin(), index_by_id_.end());
  outcomes_.resize(scenario.jobs.size());
  if (!jobs_.empty()) now_ = result_.first_arrival = jobs_.front().spec->arrival;
}

// --- The loop ---------------------------------------------------------------------------------

Result<SimResult> World::run() {
  while (const auto time = next_time()) {
    pass_time(*time);
    events_.clear();
    happenings_.clear();
    complete_jobs();
    kill_jobs();
    submit_jobs();
    if (events_.empty()) continue;  // An expected failure that did not come.
    step_engine();
    HORUS_TRY_DONE(retime());
    report();
  }
  return finish();
}

std::optional<TimePoint> World::next_time() const {
  std::optional<TimePoint> next;
  const auto consider = [&next](const std::optional<TimePoint>& time) {
    if (time && (!next || *time < *next)) next = time;
  };
  consider(completions_.next_time());
  consider(memory_watch_.next_time());
  if (arrived_ < jobs_.size()) consider(jobs_[arrived_].spec->arrival);
  return next;
}

void World::pass_time(TimePoint now) {
  HORUS_CHECK(now >= now_, "time does not run back");
  constexpr double kBillion = 1e9;
  busy_gpu_us_ += static_cast<double>(devices_.busy_billionths()) / kBillion *
                  static_cast<double>((now - now_).count());
  now_ = now;
}

void World::complete_jobs() {
  while (completions_.next_time() == now_) {
    const JobIndex index = completions_.pop();
    happen(EventKind::Completion, index);
    jobs_[index].progress.finish(now_);
    release(index);
    outcomes_[index].finish = now_;
    ++finished_;
    result_.last_completion = now_;
    result_.busy_gpu_s = busy_gpu_us_ / 1e6;
    events_.emplace_back(engine::Finished{jobs_[index].spec->id});
  }
}

void World::kill_jobs() {
  while (const auto failure = memory_watch_.pop(now_)) {
    while (devices_.is_overfull(failure->gpu)) die(memory_watch_.victim(*failure, devices_));
  }
}

void World::die(JobIndex index) {
  Job& job = jobs_[index];
  const Duration lost = job.progress.die(now_, scenario_.options.checkpoint_interval);
  happen(EventKind::Death, index, lost);
  result_.lost_work_gpu_s += job.spec->gpus * to_seconds(lost);
  ++outcomes_[index].deaths;
  completions_.erase(index);
  release(index);
  events_.emplace_back(engine::OutOfMemory{job.spec->id});
}

void World::submit_jobs() {
  for (; arrived_ < jobs_.size() && jobs_[arrived_].spec->arrival == now_; ++arrived_) {
    const SimJob& job = *jobs_[arrived_].spec;
    happen(EventKind::Arrival, static_cast<JobIndex>(arrived_));
    events_.emplace_back(
        engine::Submitted{JobSpec{job.id, job.gpus, scenario_.beliefs[job.config].demand_by_type}});
  }
}

void World::release(JobIndex index) {
  for (const GpuIndex gpu : jobs_[index].gpus) devices_.remove(gpu, index);
  jobs_[index].gpus.clear();
}

// --- What the engine wants --------------------------------------------------------------------

void World::step_engine() {
  effects_ = engine_.step(now_, events_);
  for (const engine::Effect& effect : effects_) {
    std::visit([this](const auto& wanted) { apply(wanted); }, effect);
  }
}

void World::apply(const engine::Start& start) {
  const JobIndex index = index_of(start.placement.job);
  Job& job = jobs_[index];
  HORUS_CHECK(job.gpus.empty(), "a job runs once at a time");
  job.gpus = start.placement.gpus;
  job.step_ratio = 0.0;
  job.pace = 0.0;
  std::optional<std::uint16_t> type_of_load;
  TaskLoad load;
  for (const GpuIndex gpu : job.gpus) {
    const std::uint16_t type = scenario_.cluster.gpus()[gpu].type;
    if (type_of_load != type) load = scenario_.truth.load(job.spec->id, job.spec->config, type);
    type_of_load = type;
    job.step_ratio = std::max(job.step_ratio, load.step_ratio);
    devices_.add(gpu, index, load);
    if (devices_.is_overfull(gpu)) memory_watch_.expect(now_, gpu, index);
  }
  job.progress.start(now_, job.step_ratio);
  if (!outcomes_[index].first_start) outcomes_[index].first_start = now_;
  ++result_.events[static_cast<std::size_t>(EventKind::Start)];
}

void World::apply(const engine::Reject& reject) {
  result_.rejections.push_back(Rejection{reject.job, reject.reason});
  if (observer_ != nullptr) reasons_[reject.job] = reject.reason;
}

/// Gives every job whose company changed its new pace and time of completion.
Result<Done> World::retime() {
  touched_.clear();
  for (const GpuIndex gpu : devices_.settle()) {
    for (const Resident& resident : devices_.residents(gpu)) {
      if (std::exchange(jobs_[resident.job].is_touched, true)) continue;
      touched_.push_back(resident.job);
    }
  }
  for (const JobIndex index : touched_) {
    Job& job = jobs_[index];
    job.is_touched = false;
    const double pace = pace_of(index);
    if (pace == job.pace) continue;
    job.pace = pace;
    job.progress.set_pace(now_, pace, scenario_.options.checkpoint_interval);
    const auto finish = job.progress.finish_time();
    if (!finish) {
      return fail(Errc::Unsupported,
                  fmt::format("job {} would finish later than time can be counted; the durations "
                              "of the trace add up to more than 100,000 years",
                              job.spec->id.value));
    }
    completions_.set(index, *finish);
  }
  return Done{};
}

/// Time per unit of work: that of the slowest task.
double World::pace_of(JobIndex index) const {
  double pace = 0.0;
  for (const GpuIndex gpu : jobs_[index].gpus) {
    const Resident& task = devices_.resident(gpu, index);
    pace = std::max(pace, task.load.step_ratio * task.slowdown);
  }
  return pace;
}

JobIndex World::index_of(JobId id) const {
  const auto at =
      std::lower_bound(index_by_id_.begin(), index_by_id_.end(), std::pair<JobId, JobIndex>{id, 0});
  HORUS_CHECK(at != index_by_id_.end() && at->first == id, "the engine names jobs it was given");
  return at->second;
}

// --- Telling ----------------------------------------------------------------------------------

void World::happen(EventKind kind, JobIndex job, Duration lost) {
  ++result_.events[static_cast<std::size_t>(kind)];
  if (observer_ == nullptr) return;
  happenings_.push_back(Happening{kind, job, lost, jobs_[job].gpus});
}

void World::report() {
  report_progress();
  if (observer_ == nullptr) return;
  for (const Happening& happening : happenings_) report_event(happening);
  for (const engine::Effect& effect : effects_) {
    if (const auto* const start = std::get_if<engine::Start>(&effect)) report_start(*start);
  }
  reasons_.clear();
  observer_->after_step(
      StepView{now_, engine_, devices_, arrived_, finished_, result_.rejections.size()});
}

void World::report_event(const Happening& happening) {
  const SimJob& job = *jobs_[happening.job].spec;
  std::string detail;
  if (happening.kind == EventKind::Arrival) {
    detail = fmt::format("gpus={} config={}", job.gpus, scenario_.beliefs[job.config].name);
  } else if (happening.kind == EventKind::Death) {
    detail = fmt::format("lost_us={}", happening.lost.count());
  }
  const auto reason = reasons_.find(job.id);
  if (reason != reasons_.end()) {
    detail += fmt::format("{}rejected={}", detail.empty() ? "" : " ", reason->second);
  }
  observer_->on_event(EventRecord{now_, happening.kind, job.id, happening.gpus, detail});
}

void World::report_start(const engine::Start& start) {
  std::size_t residents = 0;
  for (const GpuIndex gpu : start.placement.gpus) {
    residents = std::max(residents, devices_.residents(gpu).size());
  }
  const std::string detail =
      fmt::format("sharing={} residents={}", start.exclusive ? "exclusive" : "shared", residents);
  observer_->on_event(
      EventRecord{now_, EventKind::Start, start.placement.job, start.placement.gpus, detail});
}

void World::report_progress() {
  if (observer_ == nullptr) return;
  const std::size_t done = finished_ + result_.rejections.size();
  const std::size_t reports = done * kProgressReports / jobs_.size();
  if (reports == progress_reported_) return;
  progress_reported_ = reports;
  observer_->on_progress(static_cast<double>(reports) / static_cast<double>(kProgressReports));
}

// --- The end ----------------------------------------------------------------------------------

JobOutcome World::outcome_of(JobIndex index) const {
  const Job& job = jobs_[index];
  JobOutcome outcome = outcomes_[index];
  outcome.id = job.spec->id;
  outcome.arrival = job.spec->arrival;
  outcome.gpus = job.spec->gpus;
  outcome.held = job.progress.held();
  outcome.lost = job.progress.lost();
  outcome.slowdown = job.progress.slowdown();
  return outcome;
}

Result<SimResult> World::finish() {
  const std::size_t left = jobs_.size() - finished_ - result_.rejections.size();
  if (left > 0) {
    return fail(
        Errc::Unavailable,
        fmt::format("{} jobs still wait although nothing runs any more: the policy does not "
                    "place them",
                    left));
  }
  for (JobIndex i = 0; i < jobs_.size(); ++i) outcomes_[i] = outcome_of(i);
  result_.jobs = std::move(outcomes_);
  result_.gpus = scenario_.cluster.gpus().size();
  result_.sharings_measured = devices_.sharings_measured();
  result_.sharings_parametric = devices_.sharings_parametric();
  return std::move(result_);
}

}  // namespace

Result<SimResult> run(const Scenario& scenario, std::unique_ptr<sched::Policy> policy,
                      Observer* observer) {
  HORUS_TRY_DONE(validate(scenario));
  World world{scenario, std::move(policy), observer};
  return world.run();
}

}  // namespace horus::sim
