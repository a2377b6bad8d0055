// SPDX-License-Identifier: Apache-2.0
#include "horus/apps/horus/workload.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "horus/apps/horus/number_option.hpp"
#include "horus/os/file.hpp"
#include "horus/sim/generate.hpp"

namespace horus::apps {
namespace {

constexpr double kDefaultLoad = 1.0;

/// An unknown name is usage when it stood on the command line, not when a file's line is blamed.
Error as_usage(Error error) {
  if (error.code == Errc::NotFound && error.where.empty()) error.code = Errc::InvalidArgument;
  return error;
}

void close(std::vector<sim::TraceJob>& jobs) {
  for (sim::TraceJob& job : jobs) job.arrival = TimePoint{};
}

}  // namespace

void WorkloadOptions::declare(CLI::App& app) {
  auto* trace = app.add_option("--trace", trace_, "Trace file, plain or gzipped");
  app.add_option("--format", format_,
                 fmt::format("Format of the trace: {}", fmt::join(sim::trace_formats(), " or ")))
      ->needs(trace);
  app.add_option("--partition", partition_, "Only jobs of this virtual cluster")->needs(trace);
  app.add_flag("--skip-bad-rows", skip_bad_rows_, "Count malformed rows instead of stopping")
      ->needs(trace);
  app.add_option(
         "--generate", generator_,
         fmt::format("Make a workload instead: {}", fmt::join(sim::generated_workloads(), " or ")))
      ->excludes(trace);
  app.add_option("--jobs", jobs_, "Jobs to generate")
      ->transform(integer_between(1, static_cast<std::int64_t>(sim::kGeneratedJobsMax)))
      ->capture_default_str()
      ->excludes(trace);
  app.add_option("--load", load_,
                 "Sum of GPUs x solo seconds over GPUs x span of arrivals; reached by rescaling "
                 "arrivals. Default: 1 when generated, as recorded for a trace")
      ->check(number_between(1e-6, 1e6));
  app.add_flag("--closed", closed_, "All jobs arrive at time 0");
}

Result<Workload> WorkloadOptions::make(std::int64_t gpus, std::uint64_t seed) const {
  if (trace_.empty() && generator_.empty()) {
    return fail(Errc::InvalidArgument,
                "expected a workload: --trace FILE --format philly, or --generate philly-like");
  }
  if (closed_ && load_) {
    return fail(Errc::InvalidArgument, "--closed puts all jobs at time 0, so it has no --load");
  }
  auto workload = trace_.empty() ? generate(gpus, seed) : read(gpus);
  if (!workload) return tl::make_unexpected(as_usage(workload.error()));
  workload->load = sim::offered_load(workload->jobs, gpus);
  return workload;
}

Result<Workload> WorkloadOptions::read(std::int64_t gpus) const {
  if (format_.empty()) {
    return fail(Errc::InvalidArgument, fmt::format("expected --format with --trace: {}",
                                                   fmt::join(sim::trace_formats(), " or ")));
  }
  HORUS_TRY(const std::string text, os::read_text(trace_));
  const sim::TraceOptions options{
      .bad_rows = skip_bad_rows_ ? sim::BadRows::Skip : sim::BadRows::Fail,
      .partition = partition_};
  HORUS_TRY(sim::Trace trace, sim::read_trace(format_, text, trace_, options));
  Workload workload{.name = partition_.empty() ? trace_ : trace_ + " " + partition_,
                    .jobs = std::move(trace.jobs)};
  if (trace.rows_skipped > 0) {
    workload.notes.push_back(fmt::format("{} malformed rows skipped; the first: {}",
                                         trace.rows_skipped, trace.first_skipped));
  }
  if (closed_) close(workload.jobs);
  if (load_) HORUS_TRY_DONE(sim::rescale_arrivals(workload.jobs, *load_, gpus));
  return workload;
}

Result<Workload> WorkloadOptions::generate(std::int64_t gpus, std::uint64_t seed) const {
  const sim::GenerateOptions options{
      .jobs = jobs_,
      .load = load_.value_or(kDefaultLoad),
      .seed = seed,
      .gpus = gpus,
      .arrivals = closed_ ? sim::Arrivals::Closed : sim::Arrivals::Open};
  HORUS_TRY(sim::Trace trace, sim::generate(generator_, options));
  return Workload{.name = generator_, .jobs = std::move(trace.jobs)};
}

}  // namespace horus::apps
