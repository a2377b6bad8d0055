// SPDX-License-Identifier: Apache-2.0
// libnvidia-ml.so.1 as tests need it: the functions that Horus calls, with the names, structures
// and status codes of the NVML API Reference Guide. FAKE_NVML_OLD leaves out those of newer
// drivers.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/fake_nvml/fake_script.hpp"

#define API extern "C" __attribute__((visibility("default")))

namespace {

using fake_nvml::count_call;
using fake_nvml::Gpu;
using fake_nvml::Lines;
using fake_nvml::read_script;
using fake_nvml::scripted_failure;
using fake_nvml::word_at;

constexpr int kSuccess = 0;
constexpr int kInvalidArgument = 2;
constexpr int kNotSupported = 3;
[[maybe_unused]] constexpr int kNotFound = 6;  // Only the new one answers with it.
constexpr int kInsufficientSize = 7;
constexpr unsigned long long kMib = 1ULL << 20U;
constexpr unsigned kWholeGpu = ~0U;

struct Utilization {
  unsigned gpu, memory;
};
struct Memory {
  unsigned long long total, free, used;
};
struct ProcessV1 {
  unsigned pid;
  unsigned long long memory;
};
struct ProcessV2 {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};
struct GpmSupport {
  unsigned version, is_supported;
};
struct GpmMetric {
  unsigned id;
  int status;
  double value;
  const char* texts[3];
};
struct GpmMetricsGet {
  unsigned version, count;
  void *earlier, *later;
  GpmMetric metrics[1];  // As many as `count`.
};
/// What lies behind a sample: the GPU that it was taken from, from 1, and its number from 1.
struct GpmSample {
  std::uintptr_t device;
  unsigned number;
};
struct ProcessSample {
  unsigned pid;
  unsigned long long time_us;
  unsigned sm, memory, encoder, decoder;
};

/// A GPU for the time of one call.
struct Call {
  Call(void* device, const char* function) {
    const auto script = read_script();
    index = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(device) - 1);
    status = index < script.gpus.size() ? kSuccess : kInvalidArgument;
    if (status != kSuccess) return;
    gpu = script.gpus[index];
    number = count_call(index, function);
    status = scripted_failure(gpu.lines, function, number);
  }

  /// The number of `keyword` for this call; the status becomes "not supported" where there is none.
  unsigned long long value(const char* keyword) {
    const std::string* word = word_at(gpu.lines, keyword, number);
    if (word == nullptr && status == kSuccess) status = kNotSupported;
    return word == nullptr ? 0 : std::stoull(*word);
  }

  unsigned index{};
  unsigned number{};
  int status{};
  Gpu gpu;
};

int give_text(const std::string& text, char* buffer, unsigned length) {
  if (text.size() + 1 > length) return kInsufficientSize;
  std::memcpy(buffer, text.c_str(), text.size() + 1);
  return kSuccess;
}

int give_version(const char* keyword, char* buffer, unsigned length) {
  const auto script = read_script();
  const std::string* word = word_at(script.lines, keyword, 1);
  return word == nullptr ? kNotSupported : give_text(*word, buffer, length);
}

std::vector<ProcessV1> listed(const Lines& lines, const char* keyword) {
  std::vector<ProcessV1> rows;
  if (const auto found = lines.find(keyword); found != lines.end()) {
    for (const auto& words : found->second) {
      const unsigned long long mib = words.size() > 1 ? std::stoull(words[1]) : 0;
      for (const unsigned pid : fake_nvml::pids_of(words.at(0))) rows.push_back({pid, mib * kMib});
    }
  }
  return rows;
}

/// Processes of nobody, as many as the script wants.
std::vector<ProcessV1> with_crowd(std::vector<ProcessV1> rows, const Lines& lines) {
  const std::string* crowd = word_at(lines, "crowd", 1);
  const unsigned count = crowd == nullptr ? 0 : static_cast<unsigned>(std::stoul(*crowd));
  constexpr unsigned kNobody = 4'000'000'000U;  // Above the largest number of a process.
  for (unsigned i = 0; i < count; ++i) rows.push_back({kNobody + i, kMib});
  return rows;
}

ProcessV1 as_row(const ProcessV1& row, const ProcessV1*) { return row; }
[[maybe_unused]] ProcessV2 as_row(const ProcessV1& row, const ProcessV2*) {
  return {row.pid, row.memory, kWholeGpu, kWholeGpu};
}

template <class Row>
int give_rows(const std::vector<ProcessV1>& all, unsigned* count, Row* rows) {
  const auto room = *count;
  *count = static_cast<unsigned>(all.size());
  if (room < all.size()) return kInsufficientSize;
  for (std::size_t i = 0; i < all.size(); ++i) rows[i] = as_row(all[i], rows);
  return kSuccess;
}

template <class Row>
int give_processes(void* device, unsigned* count, Row* rows) {
  const Call call{device, "processes"};
  if (call.status != kSuccess) return call.status;
  return give_rows(with_crowd(listed(call.gpu.lines, "process"), call.gpu.lines), count, rows);
}

}  // namespace

#ifndef FAKE_NVML_OLD
API int nvmlInit_v2() {
#else
API int nvmlInit() {
#endif
  const auto script = read_script();
  const std::string* word = word_at(script.lines, "init", 1);
  return word == nullptr ? kSuccess : std::stoi(*word);
}

API int nvmlShutdown() { return kSuccess; }

API const char* nvmlErrorString(int status) {
  switch (status) {
    case kNotSupported:
      return "Not Supported";
    case 4:
      return "Insufficient Permissions";
    case 9:
      return "Driver Not Loaded";
    case 15:
      return "GPU is lost";
    case 18:
      return "Driver/library version mismatch";
    default:
      return "Unknown Error";
  }
}

API int nvmlSystemGetDriverVersion(char* buffer, unsigned length) {
  return give_version("driver", buffer, length);
}

#ifndef FAKE_NVML_OLD
API int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  const auto script = read_script();
  const std::string* word = word_at(script.lines, "cuda", 1);
  if (word == nullptr) return kNotSupported;
  *version = std::stoi(*word);
  return kSuccess;
}

API int nvmlDeviceGetCount_v2(unsigned* count) {
#else
API int nvmlDeviceGetCount(unsigned* count) {
#endif
  const auto script = read_script();
  *count = static_cast<unsigned>(script.gpus.size());
  return scripted_failure(script.lines, "count", 1);
}

#ifndef FAKE_NVML_OLD
API int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
#else
API int nvmlDeviceGetHandleByIndex(unsigned index, void** device) {
#endif
  *device = reinterpret_cast<void*>(static_cast<std::uintptr_t>(index) + 1);
  return Call{*device, "handle"}.status;
}

API int nvmlDeviceGetName(void* device, char* buffer, unsigned length) {
  const Call call{device, "name"};
  return call.status == kSuccess ? give_text(call.gpu.name, buffer, length) : call.status;
}

API int nvmlDeviceGetUUID(void* device, char* buffer, unsigned length) {
  const Call call{device, "uuid"};
  return call.status == kSuccess ? give_text(call.gpu.uuid, buffer, length) : call.status;
}

API int nvmlDeviceGetMemoryInfo(void* device, Memory* memory) {
  Call call{device, "memory"};
  memory->total = call.value("total") * kMib;
  memory->used = call.value("used") * kMib;
  memory->free = memory->total - memory->used;
  return call.status;
}

API int nvmlDeviceGetUtilizationRates(void* device, Utilization* rates) {
  Call call{device, "utilization"};
  rates->gpu = static_cast<unsigned>(call.value("util"));
  rates->memory = static_cast<unsigned>(call.value("memutil"));
  return call.status;
}

API int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
  Call call{device, "power"};
  *milliwatts = static_cast<unsigned>(call.value("power") * 1000);
  return call.status;
}

API int nvmlDeviceGetComputeRunningProcesses(void* device, unsigned* count, ProcessV1* rows) {
  return give_processes(device, count, rows);
}

#ifndef FAKE_NVML_OLD
API int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, ProcessV2* rows) {
  return give_processes(device, count, rows);
}

API int nvmlDeviceGetMPSComputeRunningProcesses_v3(void* device, unsigned* count, ProcessV2* rows) {
  const Call call{device, "mps"};
  if (call.gpu.lines.count("mps") == 0) return kNotSupported;
  if (call.status != kSuccess) return call.status;
  return give_rows(listed(call.gpu.lines, "mps"), count, rows);
}

API int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  Call call{device, "energy"};
  *millijoules = call.value("energy") * 1000;
  return call.status;
}

API int nvmlDeviceGetMigMode(void* device, unsigned* current, unsigned* pending) {
  Call call{device, "mig"};
  *current = *pending = static_cast<unsigned>(call.value("mig"));
  return call.status;
}

API int nvmlGpmQueryDeviceSupport(void* device, GpmSupport* support) {
  const Call call{device, "gpm_support"};
  support->is_supported = support->version == 1 && call.gpu.lines.count("gpm") > 0 ? 1 : 0;
  return call.status;
}

API int nvmlGpmSampleAlloc(void** sample) {
  *sample = new GpmSample{};
  return kSuccess;
}

API int nvmlGpmSampleFree(void* sample) {
  delete static_cast<GpmSample*>(sample);
  return kSuccess;
}

API int nvmlGpmSampleGet(void* device, void* sample) {
  const Call call{device, "gpm"};
  *static_cast<GpmSample*>(sample) = {reinterpret_cast<std::uintptr_t>(device), call.number};
  return call.status;
}

/// The words of "gpm" are percentages of metrics 2, 3 and 10, whatever the time between.
API int nvmlGpmMetricsGet(GpmMetricsGet* get) {
  const auto& earlier = *static_cast<const GpmSample*>(get->earlier);
  const auto& later = *static_cast<const GpmSample*>(get->later);
  const bool is_right = get->version == 1 && earlier.device == later.device && earlier.number > 0 &&
                        earlier.number < later.number;
  if (!is_right) return kInvalidArgument;
  const Call call{reinterpret_cast<void*>(later.device), "gpm_metrics"};
  if (call.status != kSuccess) return call.status;
  for (GpmMetric* metric = get->metrics; metric != get->metrics + get->count; ++metric) {
    const unsigned place = metric->id == 2 ? 1 : metric->id == 3 ? 2 : metric->id == 10 ? 3 : 0;
    const std::string* word = place == 0 ? nullptr : word_at(call.gpu.lines, "gpm", place);
    metric->status = word == nullptr ? kNotSupported : kSuccess;
    metric->value = word == nullptr ? 0 : std::stod(*word);
  }
  return kSuccess;
}

API int nvmlDeviceGetProcessUtilization(void* device, ProcessSample* rows, unsigned* count,
                                        unsigned long long since_us) {
  const Call call{device, "process_utilization"};
  if (call.status != kSuccess) return call.status;
  const auto found = call.gpu.lines.find("sm");
  if (found == call.gpu.lines.end()) return kNotSupported;
  std::vector<ProcessSample> all;
  for (const auto& words : found->second) {
    for (const unsigned pid : fake_nvml::pids_of(words.at(0))) {
      const auto percent = static_cast<unsigned>(std::stoul(words.at(1)));
      all.push_back({pid, since_us + 1000, percent, 0, 0, 0});
    }
  }
  if (all.empty()) return kNotFound;
  const unsigned room = *count;
  *count = static_cast<unsigned>(all.size());
  if (rows == nullptr || room < all.size()) return kInsufficientSize;
  std::copy(all.begin(), all.end(), rows);
  return kSuccess;
}
#endif
