// SPDX-License-Identifier: Apache-2.0
#include "horus/record/profile_record.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "horus/record/json_object.hpp"

namespace horus::record {
namespace {

constexpr std::int64_t kSchemaVersion = 1;
constexpr double kMib = 1024.0 * 1024.0;

using Gpus = std::vector<GpuSummary>;

/// Spells what the user said about one path.
class Said {
 public:
  explicit Said(const Annotations& annotations) : annotations_{annotations} {}

  [[nodiscard]] std::optional<std::string> text(std::string_view path) const {
    const auto found = annotations_.find(path);
    if (found == annotations_.end()) return std::nullopt;
    return found->second;
  }
  /// JSON of a number: the parser of the options has checked that it is one.
  [[nodiscard]] std::string number(std::string_view path) const {
    return text(path).value_or("null");
  }

 private:
  const Annotations& annotations_;
};

std::optional<double> mib(std::optional<Bytes> bytes) {
  if (!bytes) return std::nullopt;
  return as_double(*bytes) / kMib;
}

std::optional<double> seconds(std::optional<Duration> duration) {
  if (!duration) return std::nullopt;
  return to_seconds(*duration);
}

std::optional<std::string> scope_name(std::optional<Scope> scope) {
  if (!scope) return std::nullopt;
  return *scope == Scope::Process ? "process" : "device";
}

std::string window_name(Window window) {
  switch (window) {
    case Window::Steps:
      return "steps";
    case Window::GpuUse:
      return "gpu_use";
    case Window::Run:
      return "run";
  }
  return {};
}

/// The field of all GPUs folded to one; nothing where any lacks it, because a sum or a mean over
/// some of them would be another quantity.
template <class T, class Fold>
std::optional<T> folded(const Gpus& gpus, std::optional<T> GpuSummary::*field, Fold fold) {
  std::optional<T> result;
  for (const GpuSummary& gpu : gpus) {
    if (!(gpu.*field)) return std::nullopt;
    result = result ? fold(*result, *(gpu.*field)) : *(gpu.*field);
  }
  return result;
}

std::optional<double> sum(const Gpus& gpus, std::optional<double> GpuSummary::*field) {
  return folded(gpus, field, [](double a, double b) { return a + b; });
}

std::optional<double> mean(const Gpus& gpus, std::optional<double> GpuSummary::*field) {
  const auto total = sum(gpus, field);
  if (!total) return std::nullopt;
  return *total / static_cast<double>(gpus.size());
}

template <class T>
std::optional<T> largest(const Gpus& gpus, std::optional<T> GpuSummary::*field) {
  return folded(gpus, field, [](T a, T b) { return std::max(a, b); });
}

/// The scope that all GPUs have; nothing where they differ.
std::optional<Scope> common(const Gpus& gpus, std::optional<Scope> GpuSummary::*field) {
  if (gpus.empty()) return std::nullopt;
  const auto differs = [&](const GpuSummary& gpu) { return gpu.*field != gpus.front().*field; };
  return std::ranges::any_of(gpus, differs) ? std::nullopt : gpus.front().*field;
}

/// How the GPU was used; nothing where nobody knows who else was there.
std::optional<std::string> mode_name(const Gpus& gpus) {
  const auto is_mps = [](const GpuSummary& gpu) { return gpu.mps; };
  if (std::ranges::any_of(gpus, is_mps)) return "mps";
  const auto strangers = largest(gpus, &GpuSummary::strangers);
  if (!strangers) return std::nullopt;
  return *strangers > 0 ? "timeslice" : "exclusive";
}

std::string host_json(const HostFacts& host, const Said& said) {
  return JsonObject{}
      .text("cpu", host.cpu)
      .integer("cores", host.cores)
      .text("driver", host.driver)
      .text("cuda", host.cuda)
      .text("framework", said.text("host.framework"))
      .text("framework_version", said.text("host.framework_version"))
      .str();
}

std::string gpu_json(const GpuFacts& facts, const Gpus& gpus) {
  return JsonObject{}
      .text("name", facts.name)
      .text("uuid", facts.uuid)
      .number("mem_mib", mib(facts.memory))
      .truth("mig", facts.mig)
      .text("mode", mode_name(gpus))
      .str();
}

std::string model_json(const std::optional<std::string>& sha256, const Said& said) {
  return JsonObject{}
      .text("onnx_sha256", sha256)
      .text("name", said.text("model.name"))
      .text("family", said.text("model.family"))
      .json("batch", said.number("model.batch"))
      .text("precision", said.text("model.precision"))
      .text("optimizer", said.text("model.optimizer"))
      .text("attention", said.text("model.attention"))
      .text("checkpointing", said.text("model.checkpointing"))
      .json("accumulation_steps", said.number("model.accumulation_steps"))
      .json("passes_per_step", said.number("model.passes_per_step"))
      .json("seq_len", said.number("model.seq_len"))
      .str();
}

std::string input_json(const Said& said) {
  return JsonObject{}
      .json("samples_per_s", said.number("input.samples_per_s"))
      .json("workers", said.number("input.workers"))
      .str();
}

/// Figures of GPUs: means over them for shares, the largest for memory, the sum for power.
void add_gpu_figures(JsonObject& object, const Gpus& gpus) {
  std::optional<std::int64_t> samples;
  for (const GpuSummary& gpu : gpus) samples = std::min(samples.value_or(gpu.samples), gpu.samples);
  object.number("util_mean", mean(gpus, &GpuSummary::util_mean))
      .number("util_p50", mean(gpus, &GpuSummary::util_p50))
      .number("util_p95", mean(gpus, &GpuSummary::util_p95))
      .text("util_source", scope_name(common(gpus, &GpuSummary::util_scope)))
      .number("util_device_mean", mean(gpus, &GpuSummary::device_util_mean))
      .number("util_process_mean", mean(gpus, &GpuSummary::process_util_mean))
      .number("memutil_mean", mean(gpus, &GpuSummary::memutil_mean))
      .number("mem_peak_mib", mib(largest(gpus, &GpuSummary::mem_peak)))
      .text("mem_source", scope_name(common(gpus, &GpuSummary::mem_scope)))
      .number("power_w", sum(gpus, &GpuSummary::power_w))
      .number("energy_j", sum(gpus, &GpuSummary::energy_j))
      .number("sm_active", mean(gpus, &GpuSummary::sm_active))
      .number("sm_occ", mean(gpus, &GpuSummary::sm_occupancy))
      .number("dram_active", mean(gpus, &GpuSummary::dram_active))
      .integer("samples", samples);
}

std::string solo_json(const RunFacts& facts, const Summary& summary, const Gpus& gpus) {
  const auto step = [&](double StepSummary::*field) -> std::optional<double> {
    if (!summary.steps) return std::nullopt;
    return *summary.steps.*field;
  };
  JsonObject object;
  object.integer("steps", summary.steps ? std::optional{summary.steps->steps} : std::nullopt)
      .number("step_ms_mean", step(&StepSummary::mean_ms))
      .number("step_ms_p50", step(&StepSummary::p50_ms))
      .number("step_ms_p95", step(&StepSummary::p95_ms));
  add_gpu_figures(object, gpus);
  // What needs a run of an empty process is not measured here.
  return object.json("mem_context_mib", "null")
      .number("sample_ms", to_seconds(facts.interval) * 1e3)
      .number("warmup_dropped_s", seconds(summary.dropped))
      .text("window", window_name(summary.window))
      .str();
}

std::string one_gpu_json(const GpuFacts& facts, const GpuSummary& summary) {
  const Gpus alone{summary};
  JsonObject object;
  object.integer("index", facts.index)
      .text("name", facts.name)
      .text("uuid", facts.uuid)
      .number("mem_mib", mib(facts.memory))
      .truth("mig", facts.mig)
      .text("mode", mode_name(alone))
      .integer("other_processes", summary.strangers);
  add_gpu_figures(object, alone);
  return object.str();
}

/// Of all GPUs of the run, each note once.
std::vector<std::string> all_notes(const RunFacts& facts, const std::vector<std::size_t>& used) {
  std::vector<std::string> notes = facts.notes;
  for (const std::size_t i : used) {
    const auto& more = facts.gpus[i].notes;
    notes.insert(notes.end(), more.begin(), more.end());
  }
  return notes;
}

std::string notes_json(const std::vector<std::string>& notes) {
  std::vector<std::string> items;
  for (const std::string& note : notes) items.push_back(json_text(note));
  return json_array(items);
}

}  // namespace

std::optional<std::string> run_status(const Ending& ending) {
  if (ending.exit_code == 0) return "ok";
  if (ending.said_out_of_memory) return "oom";
  if (!ending.exit_code && !ending.signal) return std::nullopt;
  return "failed";
}

std::vector<std::size_t> gpus_of_run(const RunFacts& facts, const Summary& summary) {
  std::vector<std::size_t> seen;
  std::vector<std::size_t> chosen;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < facts.gpus.size(); ++i) {
    all.push_back(i);
    if (summary.gpus[i].job_was_there) seen.push_back(i);
    if (facts.gpus[i].chosen) chosen.push_back(i);
  }
  if (!seen.empty()) return seen;
  return chosen.empty() ? all : chosen;
}

std::string profile_record(const RunFacts& facts, const Annotations& annotations,
                           const Summary& summary) {
  const Said said{annotations};
  const std::vector<std::size_t> used = gpus_of_run(facts, summary);
  Gpus gpus;
  std::vector<std::string> each;
  for (const std::size_t i : used) {
    gpus.push_back(summary.gpus[i]);
    each.push_back(one_gpu_json(facts.gpus[i], summary.gpus[i]));
  }
  const auto strangers = largest(gpus, &GpuSummary::strangers);
  const auto is_shared = strangers ? std::optional{*strangers > 0} : std::nullopt;
  return JsonObject{}
      .integer("schema_version", kSchemaVersion)
      .text("run_id", facts.run_id)
      .text("time", facts.time)
      .json("host", host_json(facts.host, said))
      .json("gpu", used.empty() ? "null" : gpu_json(facts.gpus[used.front()], gpus))
      .json("model", model_json(facts.onnx_sha256, said))
      .json("input", input_json(said))
      .json("features", "null")
      .json("solo", solo_json(facts, summary, gpus))
      .text("status", run_status(facts.ending))
      .text("set_id", said.text("set_id"))
      .json("members", "null")
      .truth("shared_with_others", is_shared)
      .integer("other_processes", strangers)
      .integer("exit_code", facts.ending.exit_code)
      .integer("signal", facts.ending.signal)
      .number("duration_s", seconds(facts.ending.ran))
      .json("gpus", json_array(each))
      .json("notes", notes_json(all_notes(facts, used)))
      .str();
}

std::string profile_headline(const RunFacts& facts, const Summary& summary) {
  Gpus gpus;
  for (const std::size_t i : gpus_of_run(facts, summary)) gpus.push_back(summary.gpus[i]);
  std::string text;
  const auto add = [&text](std::string part) { text += (text.empty() ? "" : ", ") + part; };
  if (const auto util = mean(gpus, &GpuSummary::util_mean)) {
    add(fmt::format("{:.0f} % utilization", *util));
  }
  if (const auto peak = mib(largest(gpus, &GpuSummary::mem_peak))) {
    add(fmt::format("{:.0f} MiB at most", *peak));
  }
  if (summary.steps) {
    add(fmt::format("{:.1f} ms per step ({} steps)", summary.steps->mean_ms, summary.steps->steps));
  }
  if (largest(gpus, &GpuSummary::strangers).value_or(0) > 0) add("shared with others");
  return text.empty() ? "nothing was measured" : text;
}

}  // namespace horus::record
