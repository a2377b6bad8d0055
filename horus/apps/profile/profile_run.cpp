// SPDX-License-Identifier: Apache-2.0
#include "horus/apps/profile/profile_run.hpp"

#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "horus/apps/profile/output_reader.hpp"
#include "horus/apps/profile/sampler.hpp"
#include "horus/base/sha256.hpp"
#include "horus/base/text.hpp"
#include "horus/os/appended_file.hpp"
#include "horus/os/file.hpp"
#include "horus/os/host.hpp"
#include "horus/os/program.hpp"
#include "horus/os/supervisor.hpp"
#include "horus/record/profile_record.hpp"

namespace horus::apps {
namespace {

using record::ProfileOptions;

constexpr const char* kStepVariable = "HORUS_STEP_FD";
constexpr int kSignalBase = 128;  ///< As shells number the end by a signal.

void say(std::string_view text) {
  // There is nowhere left to complain when stderr itself fails.
  (void)os::write_all(os::kStandardError, fmt::format("horus: {}\n", without_controls(text)),
                      "standard error");
}

/// What is known and opened before the job starts, so that nothing fails behind long work.
struct Setup {
  os::SignalInbox inbox;
  os::AppendedFile record_file;
  std::optional<os::LinePattern> pattern;
  std::unique_ptr<os::Nvml> nvml;  ///< None with --gpu none.
  record::RunFacts facts;
};

Result<std::optional<os::LinePattern>> compile_pattern(const std::string& text) {
  if (text.empty()) return std::optional<os::LinePattern>{};
  auto pattern = os::LinePattern::compile(text);
  if (pattern) return std::optional<os::LinePattern>{std::move(*pattern)};
  return fail(Errc::InvalidArgument, pattern.error().message, "--step-pattern");
}

Result<std::unique_ptr<os::Nvml>> open_nvml(const ProfileOptions& options) {
  if (options.without_gpu) return std::unique_ptr<os::Nvml>{};
  auto nvml = os::Nvml::open();
  if (nvml) return std::make_unique<os::Nvml>(std::move(*nvml));
  Error error = nvml.error();
  error.message += ". --gpu none times steps without a GPU";
  return tl::make_unexpected(std::move(error));
}

Result<record::RunFacts> gather_facts(const ProfileOptions& options, const os::Nvml* nvml) {
  record::RunFacts facts{.interval = options.interval};
  const auto run_id = options.annotations.find("run_id");
  facts.run_id = run_id == options.annotations.end() ? os::random_id() : run_id->second;
  facts.host.cpu = os::cpu_name();
  facts.host.cores = os::usable_cores();
  if (!options.onnx_file.empty()) {
    HORUS_TRY(const os::MappedFile file, os::MappedFile::open(options.onnx_file));
    facts.onnx_sha256 = sha256_hex(file.bytes());
  }
  if (nvml == nullptr) return facts;
  facts.host.driver = nvml->driver_version().value;
  facts.host.cuda = nvml->cuda_version().value;
  HORUS_TRY(facts.gpus, choose_gpus(*nvml, options.gpus));
  return facts;
}

Result<Setup> prepare(const ProfileOptions& options) {
  HORUS_TRY(auto pattern, compile_pattern(options.step_pattern));
  HORUS_TRY(auto nvml, open_nvml(options));
  HORUS_TRY(record::RunFacts facts, gather_facts(options, nvml.get()));
  HORUS_TRY(os::AppendedFile file, os::AppendedFile::open(options.record_file));
  HORUS_TRY(os::SignalInbox inbox, os::SignalInbox::open());
  return Setup{std::move(inbox), std::move(file), std::move(pattern), std::move(nvml),
               std::move(facts)};
}

Result<std::vector<GpuWatch>> watches_of(const Setup& setup) {
  std::vector<GpuWatch> watches;
  for (const record::GpuFacts& gpu : setup.facts.gpus) {
    const auto device = setup.nvml->device(static_cast<unsigned>(gpu.index));
    const std::string label = fmt::format("GPU {}", gpu.index);
    if (!device.value) return fail(Errc::Unavailable, setup.nvml->describe(device.status), label);
    watches.emplace_back(*setup.nvml, *device.value, label);
  }
  return watches;
}

JobProcesses job_of(const ProfileOptions& options) {
  if (options.action == ProfileOptions::Action::Watch) {
    return {options.pid, JobProcesses::Root::Included};
  }
  // Orphans of the command come to us, and so stay with the job.
  os::adopt_orphans();
  return {os::own_pid(), JobProcesses::Root::Excluded};
}

/// Runs the command to its end.
Result<os::ProgramEnd> run_command(const ProfileOptions& options, const Setup& setup,
                                   const os::RunClock& clock, OutputReader& reader,
                                   SharedMeasurement& measurement, Sampler& sampler) {
  os::SpawnRequest request{.command = options.command,
                           .with_pipes = options.output == ProfileOptions::Output::Relayed,
                           .step_variable = kStepVariable};
  // Python keeps lines back when it writes to a pipe: their times would be those of full buffers.
  if (!options.step_pattern.empty()) request.environment_defaults = {"PYTHONUNBUFFERED=1"};
  HORUS_TRY(os::Spawned program, os::spawn(request));
  sampler.start(clock);
  return os::supervise(std::move(program), setup.inbox,
                       [&](os::Stream stream, std::string_view bytes) {
                         const auto counts = reader.read(stream, bytes);
                         if (!counts.empty()) measurement.steps(clock.now(), counts);
                       });
}

/// What is absent because of how the run went.
void add_run_notes(record::RunFacts& facts, const record::Summary& summary,
                   const OutputReader& reader) {
  auto& notes = facts.notes;
  if (summary.steps_seen > 0 && !summary.steps) {
    notes.push_back(fmt::format("all {} steps were in the warm-up", summary.steps_seen));
  }
  if (reader.odd_lines() > 0) {
    notes.push_back(fmt::format("{} lines matched --step-pattern without a number in its group",
                                reader.odd_lines()));
  }
  bool has_samples = facts.gpus.empty();
  bool was_there = facts.gpus.empty();
  for (const record::GpuSummary& gpu : summary.gpus) {
    has_samples = has_samples || gpu.samples > 0;
    was_there = was_there || gpu.job_was_there;
  }
  if (!has_samples) notes.emplace_back("no sample of a GPU was behind the warm-up");
  if (!was_there) notes.emplace_back("no process of the job was seen on a GPU");
  if (reader.said_out_of_memory() && facts.ending.exit_code == 0) {
    notes.emplace_back("the program said that memory ran out, and went on");
  }
}

int exit_code_of(const record::Ending& ending) {
  if (ending.signal) return kSignalBase + static_cast<int>(*ending.signal);
  return static_cast<int>(ending.exit_code.value_or(0));
}

/// Appends the record, or prints it where that fails: the run may have taken days.
int conclude(Setup& setup, const ProfileOptions& options, const record::Summary& summary) {
  const int code = exit_code_of(setup.facts.ending);
  const std::string line = profile_record(setup.facts, options.annotations, summary);
  if (const auto appended = setup.record_file.append(line); !appended) {
    report_error(appended.error());
    say("this is the record: " + line);
    return code == 0 ? kNoRecord : code;
  }
  if (!options.quiet) {
    say(fmt::format("{}; record in {}", profile_headline(setup.facts, summary),
                    options.record_file));
  }
  return code;
}

/// An error before or instead of the job.
int refuse(const Error& error) {
  report_error(error);
  return error.code == Errc::InvalidArgument ? kUsageError : kNoRecord;
}

int cannot_run(const Error& error) {
  report_error(error);
  return error.code == Errc::NotFound ? os::kNotFound : os::kCannotRun;
}

void take_end(record::RunFacts& facts, os::ProgramEnd end, const os::RunClock& clock) {
  if (end.exit_code) facts.ending.exit_code = *end.exit_code;
  if (end.signal) facts.ending.signal = *end.signal;
  facts.ending.ran = clock.now().time_since_epoch();
  for (std::string& note : end.notes) facts.notes.push_back(std::move(note));
}

}  // namespace

void report_error(const Error& error) { say("error: " + error.text()); }

int profile(const ProfileOptions& options) {
  os::fill_standard_streams();
  auto setup = prepare(options);
  if (!setup) return refuse(setup.error());
  auto watches = watches_of(*setup);
  if (!watches) return refuse(watches.error());
  const bool is_watch = options.action == ProfileOptions::Action::Watch;
  record::RunFacts& facts = setup->facts;
  SharedMeasurement measurement{facts.gpus.size(), options.warmup};
  OutputReader reader{std::move(setup->pattern)};
  Sampler sampler{std::move(*watches), job_of(options), options.interval, measurement};
  if (!is_watch) sampler.look_before();
  facts.time = os::utc_now();
  const os::RunClock clock;
  if (is_watch) sampler.start(clock);
  auto end = is_watch
                 ? os::watch_process(static_cast<int>(options.pid), options.duration, setup->inbox)
                 : run_command(options, *setup, clock, reader, measurement, sampler);
  const bool has_stopped = sampler.stop();
  int code = 0;
  if (end) {
    take_end(facts, std::move(*end), clock);
    reader.finish();
    facts.ending.said_out_of_memory = reader.said_out_of_memory();
    const record::Summary summary = measurement.summary();
    const auto notes = measurement.notes();
    for (std::size_t i = 0; i < notes.size(); ++i) facts.gpus[i].notes = notes[i];
    add_run_notes(facts, summary, reader);
    if (!has_stopped) facts.notes.emplace_back("the driver did not answer any more");
    code = conclude(*setup, options, summary);
  } else {
    code = is_watch ? refuse(end.error()) : cannot_run(end.error());
  }
  if (!has_stopped) os::exit_now(code);
  return code;
}

}  // namespace horus::apps
