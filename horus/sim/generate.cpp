// SPDX-License-Identifier: Apache-2.0
#include "horus/sim/generate.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "horus/base/rng.hpp"
#include "horus/base/text.hpp"
#include "horus/sim/philly_shape.hpp"

namespace horus::sim {
namespace {

// Streams of chance: each purpose has its own, so that changing one leaves the others alone.
constexpr std::uint64_t kWidthStream = 1;
constexpr std::uint64_t kDurationStream = 2;
constexpr std::uint64_t kArrivalStream = 3;

constexpr double kShortestGap_s = 1e-3;
constexpr double kLoadMax = 1e6;

/// The class of a job: by share, among those that fit the cluster.
class WidthDraw {
 public:
  explicit WidthDraw(std::int64_t gpus) {
    for (const WidthClass& width : philly_widths()) {
      if (width.gpus > gpus) break;
      total_ += width.share;
      ++count_;
    }
  }
  const WidthClass& draw(Rng& rng) const {
    double left = rng.uniform() * total_;
    std::size_t i = 0;
    while (i + 1 < count_ && left >= philly_widths()[i].share) left -= philly_widths()[i++].share;
    return philly_widths()[i];
  }

 private:
  std::size_t count_{};
  double total_{};
};

/// Seconds of each arrival since the first, before they are rescaled.
std::vector<double> burst_arrivals(std::uint64_t jobs, Rng rng) {
  std::vector<double> arrivals;
  arrivals.reserve(jobs);
  double now_s = 0.0;
  while (arrivals.size() < jobs) {
    auto burst = static_cast<std::uint64_t>(quantile(philly_burst_jobs(), rng.uniform()) + 0.5);
    for (; burst > 0 && arrivals.size() < jobs; --burst) {
      arrivals.push_back(now_s);
      now_s += std::max(quantile(philly_gap_in_burst_s(), rng.uniform()), kShortestGap_s);
    }
    now_s += quantile(philly_gap_between_bursts_s(), rng.uniform());
  }
  return arrivals;
}

double gpu_seconds(std::span<const TraceJob> jobs) {
  double sum = 0.0;
  for (const TraceJob& job : jobs) sum += job.gpus * to_seconds(job.duration);
  return sum;
}

bool is_load_sane(double load) { return load > 0.0 && load <= kLoadMax; }

Error insane_load(double load) {
  return {.code = Errc::InvalidArgument,
          .message = fmt::format("found a load of {}, expected more than 0 and at most {:g}", load,
                                 kLoadMax)};
}

/// Sets the arrivals of two or more jobs to `raw_s`, seconds from 0 on, stretched so that the load
/// is reached.
Result<Done> spread(std::span<TraceJob> jobs, std::span<const double> raw_s, double load,
                    std::int64_t gpus) {
  const double span_s = gpu_seconds(jobs) / (static_cast<double>(gpus) * load);
  if (span_s > kMaxSeconds) {
    return fail(
        Errc::InvalidArgument,
        fmt::format("a load of {} would spread the arrivals over {:.3g} s, expected at most "
                    "{:.0g} s; ask for a higher load or fewer jobs",
                    load, span_s, kMaxSeconds));
  }
  const double stretch = span_s / raw_s.back();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].arrival = TimePoint{from_seconds(raw_s[i] * stretch)};
  }
  return Done{};
}

Result<Trace> generate_philly_like(const GenerateOptions& options) {
  Rng widths = Rng{options.seed}.fork(kWidthStream);
  Rng durations = Rng{options.seed}.fork(kDurationStream);
  const WidthDraw width_draw{options.gpus};
  Trace trace;
  trace.jobs.reserve(options.jobs);
  for (std::uint64_t row = 1; row <= options.jobs; ++row) {
    const WidthClass& width = width_draw.draw(widths);
    TraceJob job;
    job.id = JobId{row};
    job.row = row;
    job.gpus = width.gpus;
    job.duration = from_seconds(quantile(width.duration_s, durations.uniform()));
    trace.jobs.push_back(std::move(job));
  }
  if (options.arrivals == Arrivals::Open && trace.jobs.size() > 1) {
    const std::vector<double> raw_s =
        burst_arrivals(trace.jobs.size(), Rng{options.seed}.fork(kArrivalStream));
    HORUS_TRY_DONE(spread(trace.jobs, raw_s, options.load, options.gpus));
  }
  return trace;
}

struct Workload {
  std::string_view name;
  Result<Trace> (*generate)(const GenerateOptions&);
};

// In order of name. A new workload is one function and one line here.
constexpr Workload kWorkloads[] = {{"philly-like", generate_philly_like}};

Result<Done> check(const GenerateOptions& options) {
  if (options.jobs < 1 || options.jobs > kGeneratedJobsMax) {
    return fail(Errc::InvalidArgument,
                fmt::format("found {} jobs, expected 1 to {}", options.jobs, kGeneratedJobsMax));
  }
  if (options.gpus < 1) {
    return fail(Errc::InvalidArgument,
                fmt::format("found {} GPUs, expected at least 1", options.gpus));
  }
  if (options.arrivals == Arrivals::Open && !is_load_sane(options.load)) {
    return tl::make_unexpected(insane_load(options.load));
  }
  return Done{};
}

}  // namespace

std::vector<std::string> generated_workloads() {
  std::vector<std::string> names;
  for (const Workload& workload : kWorkloads) names.emplace_back(workload.name);
  return names;
}

Result<Trace> generate(std::string_view workload, const GenerateOptions& options) {
  HORUS_TRY_DONE(check(options));
  for (const Workload& known : kWorkloads) {
    if (known.name == workload) return known.generate(options);
  }
  const std::vector<std::string> names = generated_workloads();
  return fail(Errc::NotFound,
              fmt::format("unknown workload '{}', expected {}.{}", printable(workload),
                          fmt::join(names, ", "), did_you_mean(workload, names)));
}

Result<Done> rescale_arrivals(std::span<TraceJob> jobs, double load, std::int64_t gpus) {
  if (!is_load_sane(load)) return tl::make_unexpected(insane_load(load));
  const TimePoint first = jobs.empty() ? TimePoint{} : jobs.front().arrival;
  std::vector<double> raw_s;
  raw_s.reserve(jobs.size());
  for (const TraceJob& job : jobs) raw_s.push_back(to_seconds(job.arrival - first));
  if (raw_s.empty() || raw_s.back() <= 0.0) {
    return fail(Errc::InvalidArgument,
                "all jobs arrive at the same time, so no rescaling reaches a load");
  }
  return spread(jobs, raw_s, load, gpus);
}

std::optional<double> offered_load(std::span<const TraceJob> jobs, std::int64_t gpus) {
  if (jobs.empty()) return std::nullopt;
  const double span_s = to_seconds(jobs.back().arrival - jobs.front().arrival);
  if (span_s <= 0.0) return std::nullopt;
  return gpu_seconds(jobs) / (static_cast<double>(gpus) * span_s);
}

}  // namespace horus::sim
