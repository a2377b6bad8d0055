// SPDX-License-Identifier: Apache-2.0
#include "horus/sim/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace horus::sim {
namespace {

double mean(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

/// Of finished jobs, one entry each, in order of arrival.
struct Samples {
  std::vector<double> jct_s, wait_s, first_start_s, slowdown;
};

Samples samples_of(const SimResult& result) {
  Samples samples;
  for (const JobOutcome& job : result.jobs) {
    if (!job.finish || !job.first_start) continue;
    const Duration jct = *job.finish - job.arrival;
    samples.jct_s.push_back(to_seconds(jct));
    samples.wait_s.push_back(to_seconds(jct - job.held));
    samples.first_start_s.push_back(to_seconds(*job.first_start - job.arrival));
    samples.slowdown.push_back(job.slowdown);
  }
  return samples;
}

double share_above(std::span<const double> values, double limit) {
  if (values.empty()) return 0.0;
  const auto above =
      std::count_if(values.begin(), values.end(), [limit](double v) { return v > limit; });
  return static_cast<double>(above) / static_cast<double>(values.size());
}

}  // namespace

double percentile(std::span<double> values, double percent) {
  if (values.empty()) return 0.0;
  const double rank = std::ceil(percent * static_cast<double>(values.size()) / 100.0);
  const auto at = static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

PolicyResult summarize(std::string policy, const SimResult& result, const MetricOptions& options) {
  Samples samples = samples_of(result);
  PolicyResult out;
  out.policy = std::move(policy);
  out.jobs_finished = samples.jct_s.size();
  if (result.last_completion) {
    out.makespan_s = to_seconds(*result.last_completion - result.first_arrival);
  }
  out.jct_mean_s = mean(samples.jct_s);
  out.jct_p50_s = percentile(samples.jct_s, 50);
  out.jct_p99_s = percentile(samples.jct_s, 99);
  out.wait_mean_s = mean(samples.wait_s);
  out.wait_p99_s = percentile(samples.wait_s, 99);
  out.first_start_mean_s = mean(samples.first_start_s);
  if (out.makespan_s > 0.0) {
    out.gpu_utilization = result.busy_gpu_s / (out.makespan_s * static_cast<double>(result.gpus));
  }
  out.slowdown_mean = mean(samples.slowdown);
  out.beyond_tolerance = share_above(samples.slowdown, options.tolerance);
  out.slowdown_p99 = percentile(samples.slowdown, 99);
  out.oom_deaths = result.events[static_cast<std::size_t>(EventKind::Death)];
  out.preemptions = result.events[static_cast<std::size_t>(EventKind::Preemption)];
  out.lost_work_gpu_s = result.lost_work_gpu_s;
  out.jobs_rejected = result.rejections.size();
  return out;
}

}  // namespace horus::sim
