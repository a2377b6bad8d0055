// SPDX-License-Identifier: Apache-2.0
#include "horus/sim/world/validate.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "horus/sched/books.hpp"

namespace horus::sim {
namespace {

Result<Done> check_options(const SimOptions& options) {
  if (options.max_residents < 1 || options.max_residents > sched::kMaxResidentsLimit) {
    return fail(Errc::InvalidArgument,
                fmt::format("found {} residents per GPU at most, expected 1 to {}",
                            options.max_residents, sched::kMaxResidentsLimit));
  }
  if (options.oom_delay < Duration{0} || options.oom_delay > from_seconds(kMaxSeconds)) {
    return fail(Errc::InvalidArgument,
                fmt::format("the delay of an out-of-memory death is {} s, expected 0 to {:g} s",
                            to_seconds(options.oom_delay), kMaxSeconds));
  }
  if (!(options.newcomer_dies >= 0.0 && options.newcomer_dies <= 1.0)) {
    return fail(Errc::InvalidArgument,
                fmt::format("the probability that the newcomer dies is {}, expected 0 to 1",
                            options.newcomer_dies));
  }
  if (options.checkpoint_interval && *options.checkpoint_interval <= Duration{0}) {
    return fail(Errc::InvalidArgument,
                fmt::format("the checkpoint interval is {} s, expected more than 0",
                            to_seconds(*options.checkpoint_interval)));
  }
  return Done{};
}

Result<Done> check_beliefs(const Scenario& scenario) {
  for (const ConfigBelief& belief : scenario.beliefs) {
    if (belief.demand_by_type.size() == scenario.cluster.types().size()) continue;
    return fail(
        Errc::InvalidArgument,
        fmt::format("the belief about '{}' covers {} GPU types, expected the {} of the "
                    "cluster",
                    belief.name, belief.demand_by_type.size(), scenario.cluster.types().size()));
  }
  return Done{};
}

Result<Done> check_job(const SimJob& job, std::size_t configs) {
  if (job.gpus < 1) {
    return fail(Errc::InvalidArgument,
                fmt::format("job {} wants {} GPUs, expected at least 1", job.id.value, job.gpus));
  }
  const Duration longest = from_seconds(kMaxSeconds);
  const bool is_time_sane = job.duration >= Duration{0} && job.duration <= longest &&
                            job.arrival >= TimePoint{} && job.arrival <= TimePoint{longest};
  if (!is_time_sane) {
    return fail(Errc::InvalidArgument,
                fmt::format("job {} arrives at {} s and runs for {} s, expected 0 to {:g} s",
                            job.id.value, to_seconds(job.arrival.time_since_epoch()),
                            to_seconds(job.duration), kMaxSeconds));
  }
  if (job.config >= configs) {
    return fail(Errc::InvalidArgument,
                fmt::format("job {} has configuration {}, expected one of {}", job.id.value,
                            job.config, configs));
  }
  return Done{};
}

Result<Done> check_ids(std::span<const SimJob> jobs) {
  std::vector<JobId> ids;
  ids.reserve(jobs.size());
  for (const SimJob& job : jobs) ids.push_back(job.id);
  std::sort(ids.begin(), ids.end());
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice == ids.end()) return Done{};
  return fail(Errc::InvalidArgument, fmt::format("two jobs have the id {}", twice->value));
}

}  // namespace

Result<Done> validate(const Scenario& scenario) {
  HORUS_TRY_DONE(check_options(scenario.options));
  HORUS_TRY_DONE(check_beliefs(scenario));
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
    const SimJob& job = scenario.jobs[i];
    HORUS_TRY_DONE(check_job(job, scenario.beliefs.size()));
    if (i == 0 || scenario.jobs[i - 1].arrival <= job.arrival) continue;
    return fail(Errc::InvalidArgument,
                fmt::format("job {} stands behind a later one, expected jobs in order of arrival",
                            job.id.value));
  }
  return check_ids(scenario.jobs);
}

}  // namespace horus::sim
