// SPDX-License-Identifier: Apache-2.0
#include "horus/os/nvml.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <dlfcn.h>
#include <fmt/format.h>

#include "horus/os/nvml_abi.hpp"

namespace horus::os {
namespace {

namespace abi = nvml_abi;

constexpr std::size_t kTextBytes = 256;  ///< Longer than any name, version or UUID of NVML.
constexpr std::size_t kRowsFirst = 32;
constexpr std::size_t kRowsMax = 65'536;

template <class... Arguments>
using Entry = abi::Status (*)(Arguments...);

/// Calls what may be missing.
template <class... Arguments, class... Given>
abi::Status call(Entry<Arguments...> entry, Given... given) {
  return entry == nullptr ? abi::kFunctionNotFound : entry(given...);
}

template <class T>
NvmlAnswer<T> answer(abi::Status status, T value) {
  if (status != abi::kSuccess) return {.value = std::nullopt, .status = status};
  return {.value = std::move(value), .status = status};
}

template <class... Arguments>
NvmlAnswer<std::string> text_of(Entry<Arguments...> entry, auto... before) {
  std::array<char, kTextBytes> text{};
  const abi::Status status =
      call(entry, before..., text.data(), static_cast<unsigned>(text.size() - 1));
  return answer(status, std::string{text.data()});
}

/// A list whose length nobody knows before: asked with room for some, then with more, because
/// processes come and go between two calls.
template <class Row, class Ask>
NvmlAnswer<std::vector<Row>> list_of(const Ask& ask) {
  constexpr int kAttempts = 8;
  std::vector<Row> rows(kRowsFirst);
  abi::Status status = abi::kInsufficientSize;
  for (int i = 0; i < kAttempts && status == abi::kInsufficientSize; ++i) {
    auto count = static_cast<unsigned>(rows.size());
    status = ask(rows.data(), &count);
    const std::size_t wanted = count;
    if (status == abi::kInsufficientSize) {
      rows.resize(std::min(std::max(wanted, rows.size()) * 2, kRowsMax));
    } else {
      rows.resize(std::min(wanted, rows.size()));
    }
  }
  return answer(status, std::move(rows));
}

std::optional<Bytes> known_memory(std::uint64_t bytes) {
  // Inside containers some drivers list processes with 0 bytes: a context takes hundreds of MiB.
  if (bytes == 0 || bytes == abi::kNotAvailable) return std::nullopt;
  return Bytes{static_cast<std::int64_t>(bytes)};
}

NvmlProcess to_process(const abi::ProcessV1& row) {
  return {.pid = row.pid, .memory = known_memory(row.used_memory), .gpu_instance = std::nullopt};
}

NvmlProcess to_process(const abi::Process& row) {
  const bool is_whole_gpu = row.gpu_instance == ~0U;
  return {.pid = row.pid,
          .memory = known_memory(row.used_memory),
          .gpu_instance = is_whole_gpu ? std::nullopt : std::optional{row.gpu_instance}};
}

template <class Row>
NvmlAnswer<std::vector<NvmlProcess>> process_list(Entry<abi::Device, unsigned*, Row*> entry,
                                                  abi::Device device) {
  const auto rows =
      list_of<Row>([&](Row* room, unsigned* count) { return call(entry, device, count, room); });
  if (!rows.value) return {.value = std::nullopt, .status = rows.status};
  std::vector<NvmlProcess> processes;
  for (const Row& row : *rows.value) processes.push_back(to_process(row));
  return answer(rows.status, std::move(processes));
}

}  // namespace

/// The open library. A function that it lacks is null.
struct Nvml::Library {
  explicit Library(void* opened) : handle{opened} {}
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (is_initialized) call(shutdown);
    ::dlclose(handle);
  }

  /// Newer names stand first: a library keeps its older ones, with older structures.
  template <class Function>
  void load(Function& function, std::initializer_list<const char*> names) {
    for (const char* symbol : names) {
      function = reinterpret_cast<Function>(::dlsym(handle, symbol));
      if (function != nullptr) return;
    }
  }
  void load_all();

  void* handle{};
  bool is_initialized{};
  Entry<> init{};
  Entry<> shutdown{};
  const char* (*error_text)(abi::Status){};
  Entry<char*, unsigned> driver_version{};
  Entry<int*> cuda_version{};
  Entry<unsigned*> device_count{};
  Entry<unsigned, abi::Device*> device{};
  Entry<abi::Device, char*, unsigned> name{};
  Entry<abi::Device, char*, unsigned> uuid{};
  Entry<abi::Device, abi::Memory*> memory{};
  Entry<abi::Device, abi::Utilization*> utilization{};
  Entry<abi::Device, unsigned*> power_mw{};
  Entry<abi::Device, unsigned long long*> energy_mj{};
  Entry<abi::Device, unsigned*, unsigned*> mig_mode{};
  Entry<abi::Device, unsigned*, abi::Process*> processes{};
  Entry<abi::Device, unsigned*, abi::ProcessV1*> processes_v1{};
  Entry<abi::Device, unsigned*, abi::Process*> mps_clients{};
  Entry<abi::Device, unsigned*, abi::ProcessV1*> mps_clients_v1{};
  Entry<abi::Device, abi::ProcessUtilization*, unsigned*, unsigned long long> process_util{};
  Entry<abi::Device, abi::GpmSupport*> gpm_support{};
  Entry<abi::GpmSample*> gpm_alloc{};
  Entry<abi::GpmSample> gpm_free{};
  Entry<abi::Device, abi::GpmSample> gpm_sample{};
  Entry<abi::GpmMetricsGet*> gpm_metrics{};
};

void Nvml::Library::load_all() {
  load(init, {"nvmlInit_v2", "nvmlInit"});
  load(shutdown, {"nvmlShutdown"});
  load(error_text, {"nvmlErrorString"});
  load(driver_version, {"nvmlSystemGetDriverVersion"});
  load(cuda_version, {"nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"});
  load(device_count, {"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"});
  load(device, {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"});
  load(name, {"nvmlDeviceGetName"});
  load(uuid, {"nvmlDeviceGetUUID"});
  load(memory, {"nvmlDeviceGetMemoryInfo"});
  load(utilization, {"nvmlDeviceGetUtilizationRates"});
  load(power_mw, {"nvmlDeviceGetPowerUsage"});
  load(energy_mj, {"nvmlDeviceGetTotalEnergyConsumption"});
  load(mig_mode, {"nvmlDeviceGetMigMode"});
  load(processes,
       {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
  load(processes_v1, {"nvmlDeviceGetComputeRunningProcesses"});
  load(mps_clients, {"nvmlDeviceGetMPSComputeRunningProcesses_v3",
                     "nvmlDeviceGetMPSComputeRunningProcesses_v2"});
  load(mps_clients_v1, {"nvmlDeviceGetMPSComputeRunningProcesses"});
  load(process_util, {"nvmlDeviceGetProcessUtilization"});
  load(gpm_support, {"nvmlGpmQueryDeviceSupport"});
  load(gpm_alloc, {"nvmlGpmSampleAlloc"});
  load(gpm_free, {"nvmlGpmSampleFree"});
  load(gpm_sample, {"nvmlGpmSampleGet"});
  load(gpm_metrics, {"nvmlGpmMetricsGet"});
}

Result<Nvml> Nvml::open(const std::string& library) {
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = ::dlerror();
    return fail(Errc::NotFound,
                fmt::format("cannot open NVIDIA's management library ({}); it comes with the "
                            "driver. Inside a container, start it with access to GPUs",
                            why == nullptr ? "no reason given" : why),
                library);
  }
  Nvml nvml{std::make_unique<Library>(handle)};
  Library& opened = *nvml.library_;
  opened.load_all();
  if (opened.init == nullptr || opened.device_count == nullptr || opened.device == nullptr) {
    return fail(Errc::Unsupported, "lacks nvmlInit or nvmlDeviceGetCount: no library of a driver",
                library);
  }
  const abi::Status status = opened.init();
  opened.is_initialized = status == abi::kSuccess;
  if (opened.is_initialized) return nvml;
  std::string message = "does not start: " + nvml.describe(status);
  if (status == abi::kVersionMismatch) {
    message += "; the driver in the kernel is of another version: reboot, or reload its module";
  } else if (status == abi::kDriverNotLoaded) {
    message += "; is there an NVIDIA GPU, and is its kernel module loaded?";
  }
  return fail(Errc::Unavailable, std::move(message), library);
}

Nvml::Nvml(std::unique_ptr<Library> library) : library_{std::move(library)} {}
Nvml::Nvml(Nvml&&) noexcept = default;
Nvml::~Nvml() = default;

std::string Nvml::describe(NvmlStatus status) const {
  const char* text = library_->error_text == nullptr ? nullptr : library_->error_text(status);
  return text == nullptr ? fmt::format("NVML status {}", status)
                         : fmt::format("{} (NVML status {})", text, status);
}

bool Nvml::is_final(NvmlStatus status) {
  return status == abi::kNotSupported || status == abi::kFunctionNotFound ||
         status == abi::kNoPermission;
}

bool Nvml::is_lost(NvmlStatus status) { return status == abi::kGpuIsLost; }

NvmlAnswer<std::string> Nvml::driver_version() const { return text_of(library_->driver_version); }

NvmlAnswer<std::string> Nvml::cuda_version() const {
  int version = 0;  // 1000 * major + 10 * minor
  const abi::Status status = call(library_->cuda_version, &version);
  return answer(status, fmt::format("{}.{}", version / 1000, version % 1000 / 10));
}

NvmlAnswer<unsigned> Nvml::device_count() const {
  unsigned count = 0;
  const abi::Status status = call(library_->device_count, &count);
  return answer(status, count);
}

NvmlAnswer<NvmlDevice> Nvml::device(unsigned index) const {
  abi::Device handle = nullptr;
  const abi::Status status = call(library_->device, index, &handle);
  return answer(status, NvmlDevice{handle});
}

NvmlAnswer<std::string> Nvml::name(NvmlDevice device) const {
  return text_of(library_->name, device.handle);
}

NvmlAnswer<std::string> Nvml::uuid(NvmlDevice device) const {
  return text_of(library_->uuid, device.handle);
}

NvmlAnswer<NvmlMemory> Nvml::memory(NvmlDevice device) const {
  abi::Memory memory{};
  const abi::Status status = call(library_->memory, device.handle, &memory);
  return answer(status, NvmlMemory{.total = Bytes{static_cast<std::int64_t>(memory.total)},
                                   .used = Bytes{static_cast<std::int64_t>(memory.used)}});
}

NvmlAnswer<NvmlUtilization> Nvml::utilization(NvmlDevice device) const {
  abi::Utilization rates{};
  const abi::Status status = call(library_->utilization, device.handle, &rates);
  return answer(status, NvmlUtilization{.gpu_percent = rates.gpu, .memory_percent = rates.memory});
}

NvmlAnswer<double> Nvml::power_w(NvmlDevice device) const {
  unsigned milliwatts = 0;
  const abi::Status status = call(library_->power_mw, device.handle, &milliwatts);
  return answer(status, static_cast<double>(milliwatts) / 1e3);
}

NvmlAnswer<double> Nvml::energy_j(NvmlDevice device) const {
  unsigned long long millijoules = 0;
  const abi::Status status = call(library_->energy_mj, device.handle, &millijoules);
  return answer(status, static_cast<double>(millijoules) / 1e3);
}

NvmlAnswer<bool> Nvml::is_mig(NvmlDevice device) const {
  unsigned current = 0;
  unsigned pending = 0;  // after the next reset
  const abi::Status status = call(library_->mig_mode, device.handle, &current, &pending);
  return answer(status, current != 0);
}

NvmlAnswer<std::vector<NvmlProcess>> Nvml::processes(NvmlDevice device) const {
  if (library_->processes != nullptr) return process_list(library_->processes, device.handle);
  return process_list(library_->processes_v1, device.handle);
}

NvmlAnswer<std::vector<NvmlProcess>> Nvml::mps_clients(NvmlDevice device) const {
  if (library_->mps_clients != nullptr) return process_list(library_->mps_clients, device.handle);
  return process_list(library_->mps_clients_v1, device.handle);
}

NvmlAnswer<std::vector<NvmlProcessUtilization>> Nvml::process_utilization(
    NvmlDevice device, std::uint64_t since_us) const {
  const auto rows =
      list_of<abi::ProcessUtilization>([&](abi::ProcessUtilization* room, unsigned* count) {
        return call(library_->process_util, device.handle, room, count,
                    static_cast<unsigned long long>(since_us));
      });
  std::vector<NvmlProcessUtilization> samples;
  // Nothing new is an answer too.
  if (rows.status == abi::kNotFound) return answer(abi::kSuccess, std::move(samples));
  if (!rows.value) return {.value = std::nullopt, .status = rows.status};
  for (const abi::ProcessUtilization& row : *rows.value) {
    samples.push_back({.pid = row.pid, .time_us = row.time_us, .sm_percent = row.sm});
  }
  return answer(rows.status, std::move(samples));
}

NvmlAnswer<NvmlSnapshot> Nvml::snapshot(NvmlDevice device) const {
  abi::GpmSupport support{.version = abi::kGpmVersion, .is_supported = 0};
  abi::Status status = call(library_->gpm_support, device.handle, &support);
  if (status == abi::kSuccess && support.is_supported == 0) status = abi::kNotSupported;
  if (library_->gpm_free == nullptr) status = abi::kFunctionNotFound;
  abi::GpmSample sample = nullptr;
  if (status == abi::kSuccess) status = call(library_->gpm_alloc, &sample);
  if (status != abi::kSuccess) return {.value = std::nullopt, .status = status};
  NvmlSnapshot snapshot{sample, library_->gpm_free};
  status = call(library_->gpm_sample, device.handle, sample);
  return answer(status, std::move(snapshot));
}

NvmlAnswer<NvmlActivity> Nvml::activity(const NvmlSnapshot& earlier,
                                        const NvmlSnapshot& later) const {
  constexpr std::array kWanted{abi::kGpmSmUtil, abi::kGpmSmOccupancy, abi::kGpmDramBandwidth};
  abi::GpmMetricsGet get{};
  get.version = abi::kGpmVersion;
  get.count = static_cast<unsigned>(kWanted.size());
  get.earlier = earlier.handle();
  get.later = later.handle();
  for (std::size_t i = 0; i < kWanted.size(); ++i) get.metrics[i].id = kWanted[i];
  abi::Status status = call(library_->gpm_metrics, &get);
  std::array<double, kWanted.size()> shares{};
  for (std::size_t i = 0; i < kWanted.size() && status == abi::kSuccess; ++i) {
    status = get.metrics[i].status;
    shares[i] = std::clamp(get.metrics[i].value / 100, 0.0, 1.0);
    // A window without a clock tick divides by zero.
    if (!(get.metrics[i].value >= 0)) status = abi::kNoData;
  }
  return answer(
      status,
      NvmlActivity{.sm_active = shares[0], .sm_occupancy = shares[1], .dram_active = shares[2]});
}

}  // namespace horus::os
