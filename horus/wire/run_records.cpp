// SPDX-License-Identifier: Apache-2.0
#include "horus/wire/run_records.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "horus/base/text.hpp"
#include "horus/wire/json_fields.hpp"

namespace horus::wire {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLineBytesMax = std::size_t{1} << 20;
constexpr std::size_t kLinesMax = 1'000'000;
constexpr std::size_t kTextBytesMax = 4096;
constexpr std::size_t kSharersMax = 64;
constexpr int kDepthMax = 16;
constexpr std::int64_t kSchemaVersion = 1;

/// The value at `path` ("solo.step_ms_mean"), null where a part of it is missing or null.
const Json* at(const Json& record, std::string_view path) {
  const Json* value = &record;
  for (const std::string_view key : split(path, '.')) {
    if (!value->is_object()) return nullptr;
    const auto found = value->find(std::string{key});
    if (found == value->end() || found->is_null()) return nullptr;
    value = &*found;
  }
  return value;
}

Result<Done> read_text(const Json& record, std::string_view path, std::string& out) {
  if (const Json* value = at(record, path)) {
    HORUS_TRY(out, text_of(*value, std::string{path}, kTextBytesMax));
  }
  return Done{};
}

Result<Done> read_number(const Json& record, std::string_view path, const NumberRange& range,
                         std::optional<double>& out) {
  if (const Json* value = at(record, path)) {
    HORUS_TRY(out, number_of(*value, std::string{path}, range));
  }
  return Done{};
}

Result<Done> read_count(const Json& record, std::string_view path, const NumberRange& range,
                        std::optional<std::int64_t>& out) {
  const Json* value = at(record, path);
  if (value == nullptr) return Done{};
  HORUS_TRY(const double number, number_of(*value, std::string{path}, range));
  if (!value->is_number_integer()) {
    return fail(Errc::Corrupt, fmt::format("found {}, expected a whole number", value->dump()),
                std::string{path});
  }
  out = static_cast<std::int64_t>(number);
  return Done{};
}

Result<Done> read_truth(const Json& record, std::string_view path, bool& out) {
  if (const Json* value = at(record, path)) {
    HORUS_TRY(out, truth_of(*value, std::string{path}));
  }
  return Done{};
}

struct TextField {
  std::string_view path;
  std::string RunRecord::*field;
};
constexpr auto kTexts = std::to_array<TextField>({
    {"run_id", &RunRecord::run_id},
    {"kind", &RunRecord::kind},
    {"host.cpu", &RunRecord::cpu},
    {"host.framework", &RunRecord::framework},
    {"host.framework_version", &RunRecord::framework_version},
    {"gpu.name", &RunRecord::gpu},
    {"gpu.mode", &RunRecord::mode},
    {"model.onnx_sha256", &RunRecord::onnx_sha256},
    {"model.name", &RunRecord::model},
    {"model.family", &RunRecord::family},
    {"model.precision", &RunRecord::precision},
    {"model.optimizer", &RunRecord::optimizer},
    {"model.attention", &RunRecord::attention},
    {"model.checkpointing", &RunRecord::checkpointing},
});

struct NumberField {
  std::string_view path;
  NumberRange range;
  std::optional<double> RunRecord::*field;
};
constexpr auto kNumbers = std::to_array<NumberField>({
    {"model.passes_per_step", {1, 1000}, &RunRecord::passes_per_step},
    {"input.samples_per_s", {1e-9, 1e12}, &RunRecord::samples_per_second},
    {"solo.step_ms_mean", {1e-6, 1e9}, &RunRecord::step_ms},
    {"solo.util_mean", {0, 100}, &RunRecord::utilization_percent},
    {"solo.memutil_mean", {0, 100}, &RunRecord::memory_use_percent},
    {"solo.mem_peak_mib", {0, 1e8}, &RunRecord::memory_peak_mib},
    {"solo.sm_active", {0, 1}, &RunRecord::sm_active},
    {"joint.util_mean", {0, 100}, &RunRecord::joint_utilization_percent},
    {"joint.mem_peak_mib", {0, 1e8}, &RunRecord::joint_memory_peak_mib},
});

struct CountField {
  std::string_view path;
  NumberRange range;
  std::optional<std::int64_t> RunRecord::*field;
};
constexpr auto kCounts = std::to_array<CountField>({
    {"model.batch", {1, 1e9}, &RunRecord::batch},
    {"model.seq_len", {1, 1e9}, &RunRecord::sequence},
    {"model.accumulation_steps", {1, 1e6}, &RunRecord::accumulation_steps},
    {"input.workers", {0, 1e6}, &RunRecord::loader_workers},
});

Result<RunStatus> status_of(const Json& record) {
  std::string text;
  HORUS_TRY_DONE(read_text(record, "status", text));
  if (text == "ok") return RunStatus::Ok;
  if (text == "oom") return RunStatus::OutOfMemory;
  if (text == "failed") return RunStatus::Failed;
  if (text.empty()) return RunStatus::Unknown;
  return fail(Errc::Corrupt,
              fmt::format("found \"{}\", expected ok, oom, failed or null", printable(text)),
              "status");
}

Result<Done> check_version(const Json& record) {
  const Json* version = at(record, "schema_version");
  if (version == nullptr || !version->is_number_integer()) {
    return fail(Errc::Corrupt, "expected a whole number", "schema_version");
  }
  if (*version == kSchemaVersion) return Done{};
  return fail(
      Errc::Unsupported,
      fmt::format("version {} of records; this program reads {}", version->dump(), kSchemaVersion),
      "schema_version");
}

Result<std::vector<SharedStep>> shared_of(const Json& record) {
  std::vector<SharedStep> shared;
  const Json* co = at(record, "co");
  if (co == nullptr) return shared;
  if (!co->is_array() || co->size() > kSharersMax) {
    return fail(Errc::Corrupt, fmt::format("expected an array of at most {}", kSharersMax), "co");
  }
  for (const Json& each : *co) {
    SharedStep step;
    HORUS_TRY_DONE(read_text(each, "run_id", step.run_id));
    HORUS_TRY_DONE(read_number(each, "slowdown", {1e-3, 1e6}, step.slowdown));
    shared.push_back(std::move(step));
  }
  return shared;
}

Result<RunRecord> record_of(const Json& json) {
  if (!json.is_object()) return fail(Errc::Corrupt, "expected a JSON object");
  HORUS_TRY_DONE(check_version(json));
  RunRecord record;
  for (const TextField& each : kTexts) {
    HORUS_TRY_DONE(read_text(json, each.path, record.*each.field));
  }
  for (const NumberField& each : kNumbers) {
    HORUS_TRY_DONE(read_number(json, each.path, each.range, record.*each.field));
  }
  for (const CountField& each : kCounts) {
    HORUS_TRY_DONE(read_count(json, each.path, each.range, record.*each.field));
  }
  if (record.run_id.empty()) return fail(Errc::Corrupt, "expected a text", "run_id");
  HORUS_TRY(record.status, status_of(json));
  HORUS_TRY_DONE(read_truth(json, "shared_with_others", record.shared_with_others));
  HORUS_TRY_DONE(read_truth(json, "gpu.mig", record.mig));
  HORUS_TRY(record.shared, shared_of(json));
  return record;
}

Result<RunRecord> record_of_line(std::string_view line) {
  HORUS_TRY(const Json json, parse_json(line, {.bytes = kLineBytesMax, .depth = kDepthMax}));
  return record_of(json);
}

}  // namespace

Result<std::vector<RunRecord>> read_run_records(std::string_view text, const std::string& source) {
  std::vector<RunRecord> records;
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    const std::string where = fmt::format("{}:{}", source, number);
    if (records.size() == kLinesMax) {
      return fail(Errc::Unsupported, fmt::format("more than {} records", kLinesMax), where);
    }
    auto record = record_of_line(line);
    if (!record) {
      Error error = std::move(record).error();
      error.where = error.where.empty() ? where : where + ": " + error.where;
      return tl::make_unexpected(std::move(error));
    }
    record->where = where;
    records.push_back(*std::move(record));
  }
  return records;
}

}  // namespace horus::wire
